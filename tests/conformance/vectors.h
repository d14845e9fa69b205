// Inputs that opcodes are tried with: special values against each other, then values drawn from a fixed seed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vgpu/opcodes/recorded_rows_testing.h"

namespace cudalab::conformance {

// How many of the inputs for these operands are kept for cases that chance hardly meets; they come last.
std::size_t extremes_for(const std::vector<std::string>& types);

// `count` values for each of the operands' types.
std::vector<vgpu::recorded::Column> make_inputs(const std::vector<std::string>& types, std::size_t count);

}  // namespace cudalab::conformance
