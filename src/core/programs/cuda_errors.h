// The errors of the CUDA runtime, for host programs and kernels that ask for names or texts.
#pragma once

namespace cudalab {

struct CudaErrorText {
  int code;
  const char *name, *text;
};

// Null if there is no such error.
const CudaErrorText* find_cuda_error(int code);

}  // namespace cudalab
