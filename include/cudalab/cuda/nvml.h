// NVML for programs that clang compiles: the same header serves compilers whose toolkit has none.
#pragma once

#include "../nvml/nvml.h"
