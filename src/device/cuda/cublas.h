// Implements LinearAlgebra with cuBLAS, which is loaded at run time.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "compile/toolkit.h"
#include "device/cuda/cuda_queue.h"
#include "device/device.h"

namespace cudalab::device {

// The library, if a version with a known ABI is installed.
struct CublasSearch {
  std::optional<compile::SharedLibrary> library;  // empty if it is not installed
  std::vector<Message> passed_over;               // libraries that were found but cannot be used, and why
};
CublasSearch find_cublas_library();

// Throws Error(kUnavailable), which states what is missing and what to install.
std::unique_ptr<LinearAlgebra> open_cublas(CudaQueue queue);

}  // namespace cudalab::device
