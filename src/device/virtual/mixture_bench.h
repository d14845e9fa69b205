// Benchmark of the virtual GPU with a mixture of kernels.
#pragma once

#include <string>

namespace cudalab::device {

// Measures the kernels whose names contain `part` and prints a line for each. `mode` is "none", "all",
// "none+predict", "all+predict", or empty for all of them.
void run_mixture(const std::string& part, const std::string& mode);

}  // namespace cudalab::device
