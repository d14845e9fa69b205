// The entry points of programs compiled with --default-stream per-thread. In these functions the default
// stream is the calling thread's own. per_thread.txt lists the functions with their parameters.
#include "runtime/call.h"

using namespace cudalab::runtime;

#define PER_THREAD(name, suffix, parameters, arguments) \
  cudaError_t name##suffix parameters {                 \
    const OwnDefaultStream during;                      \
    return name arguments;                              \
  }

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the wrappers include deprecated functions
#pragma GCC visibility push(default)
extern "C" {

#include "embedded/per_thread.inc"

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared, stream);
}

}  // extern "C"
#pragma GCC visibility pop
