// The mixture of kernels that the virtual GPU's speed is judged by.
#pragma once

#include <string>

namespace cudalab::device {

// Measures the kernels whose names contain `part`, and prints a line of each.
void run_mixture(const std::string& part);

}  // namespace cudalab::device
