// The errors of CUDA's runtime, as a program on the host or a kernel asks for their names.
#pragma once

namespace cudalab {

struct CudaErrorText {
  int code;
  const char *name, *text;
};

// nullptr: no such error.
const CudaErrorText* find_cuda_error(int code);

}  // namespace cudalab
