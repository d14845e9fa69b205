// The errors of the CUDA runtime and of the driver API, for host programs and kernels that ask for names or
// texts.
#pragma once

#include <string_view>

namespace cudalab {

struct CudaErrorText {
  int code;
  const char *name, *text;
};

// Null if there is no such error.
const CudaErrorText* find_cuda_error(int code);

// The errors of the driver API. Most have the number of an error of the runtime API.
const CudaErrorText* find_driver_error(int code);
const CudaErrorText* find_driver_error(std::string_view name);

}  // namespace cudalab
