// The inputs of opcodes: combinations of special values, then values from a fixed seed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vgpu/opcodes/recorded_rows_testing.h"

namespace cudalab::conformance {

// The number of inputs for these operands that are reserved for cases which random values rarely hit. These
// inputs come last.
std::size_t extremes_for(const std::vector<std::string>& types);

// `count` values for each of the operands' types.
std::vector<vgpu::recorded::Column> make_inputs(const std::vector<std::string>& types, std::size_t count);

}  // namespace cudalab::conformance
