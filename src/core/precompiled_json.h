// The headers of precompiled.h and JSON, for layers that read and write documents.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/precompiled.h"
