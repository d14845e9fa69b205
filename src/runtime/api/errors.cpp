// The last error, and the errors' names.
#include <utility>

#include "core/programs/cuda_errors.h"
#include "runtime/call.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// Who asks has looked.
cudaError_t asked(bool forget) {
  const std::lock_guard lock(the_runtime().mutex);
  ThreadState& thread = this_thread();
  if (thread.last_failure) the_runtime().records.send(ErrorAsked{thread.last_failure});
  thread.last_failure = 0;
  return forget ? std::exchange(thread.last_error, cudaSuccess) : thread.last_error;
}

const char* text_of(cudaError_t error, const char* CudaErrorText::*which) {
  if (error != cudaSuccess && error == this_thread().last_error) asked(false);
  const CudaErrorText* found = find_cuda_error(error);
  return found ? found->*which : "unrecognized error code";
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGetLastError() { return asked(true); }
cudaError_t cudaPeekAtLastError() { return asked(false); }
const char* cudaGetErrorName(cudaError_t error) { return text_of(error, &CudaErrorText::name); }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error, &CudaErrorText::text); }

}  // extern "C"
#pragma GCC visibility pop
