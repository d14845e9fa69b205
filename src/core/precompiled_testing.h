// As precompiled_json.h, with the test framework: for all test programs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/precompiled_json.h"
