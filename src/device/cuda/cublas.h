// LinearAlgebra by cuBLAS, which is looked for at run time.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "compile/toolkit.h"
#include "device/cuda/cuda_queue.h"
#include "device/device.h"

namespace cudalab::device {

// The library, of a version that this program can call.
struct CublasSearch {
  std::optional<compile::SharedLibrary> library;  // nothing where it is not installed
  std::vector<Message> passed_over;               // what was found and cannot be used, and why
};
CublasSearch find_cublas_library();

// Throws Error(kUnavailable) that says what is missing and what to install.
std::unique_ptr<LinearAlgebra> open_cublas(CudaQueue queue);

}  // namespace cudalab::device
