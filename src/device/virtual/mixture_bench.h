// The mixture of kernels that the virtual GPU's speed is judged by.
#pragma once

#include <string>

namespace cudalab::device {

// Measures the kernels whose names contain `part`, and prints a line of each. `mode`: "none", "all",
// "none+predict", "all+predict"; empty: all of them.
void run_mixture(const std::string& part, const std::string& mode);

}  // namespace cudalab::device
