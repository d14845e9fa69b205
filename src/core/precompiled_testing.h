// The headers of precompiled_json.h and the test framework, for all test programs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/precompiled_json.h"
