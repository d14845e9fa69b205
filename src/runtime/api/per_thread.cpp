// The names that a program calls which was compiled with --default-stream per-thread: what they are given the
// default stream for happens on the calling thread's own. per_thread.txt lists the functions with their
// parameters.
#include "runtime/runtime.h"

using namespace cudalab::runtime;

namespace {

class OwnDefaultStream {
 public:
  OwnDefaultStream() { this_thread().is_default_its_own = true; }
  ~OwnDefaultStream() { this_thread().is_default_its_own = false; }
  OwnDefaultStream(const OwnDefaultStream&) = delete;
  OwnDefaultStream& operator=(const OwnDefaultStream&) = delete;
};

}  // namespace

#define PER_THREAD(name, suffix, parameters, arguments) \
  cudaError_t name##suffix parameters {                 \
    const OwnDefaultStream during;                      \
    return name arguments;                              \
  }

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs may call what is deprecated
#pragma GCC visibility push(default)
extern "C" {

#include "embedded/per_thread.inc"

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared, stream);
}

}  // extern "C"
#pragma GCC visibility pop
