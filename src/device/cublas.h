// LinearAlgebra by cuBLAS, which is looked for at run time.
#pragma once

#include <memory>

#include "device/cuda_queue.h"
#include "device/linear_algebra.h"

namespace cudalab::device {

// Throws Error(kUnavailable) that says what is missing and what to install.
std::unique_ptr<LinearAlgebra> open_cublas(CudaQueue queue);

}  // namespace cudalab::device
