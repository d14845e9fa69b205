// What nvcc's code calls before main, and around every `<<<>>>`.
#include <vector>

#include "runtime/call.h"
#include "runtime/streams/launching.h"

using namespace cudalab::runtime;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

// Of `<<<>>>`, until the stub takes them: arguments may launch kernels themselves.
std::vector<CallConfiguration>& configurations() {
  thread_local std::vector<CallConfiguration> waiting;
  return waiting;
}

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  FatBinary* binary = nullptr;
  answer_always(__func__, [&] { binary = the_runtime().modules.add(wrapper); });
  return reinterpret_cast<void**>(binary);
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  if (handle) answer_always(__func__, [&] { the_runtime().modules.remove(binary_of(handle)); });
}

char __cudaInitModule(void** handle) {
  if (handle)
    answer_always(__func__,
                  [&] { the_runtime().modules.load_managed(*binary_of(handle), this_thread().device); });
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* symbol, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  if (handle) binary_of(handle)->functions[stub] = symbol;
}

void __cudaRegisterVar(void** handle, char* shadow, char*, const char* symbol, int, std::size_t bytes, int,
                       int) {
  if (handle) binary_of(handle)->variables[shadow] = {symbol, bytes, nullptr};
}

void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* symbol, int,
                              std::size_t bytes, int, int) {
  if (handle) binary_of(handle)->variables[pointer] = {symbol, bytes, pointer};
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

cudaError_t __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       cudaStream_t* stream) {
  if (configurations().empty()) return cudaErrorMissingConfiguration;
  const CallConfiguration& last = configurations().back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *stream = last.stream;
  configurations().pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  return answer(__func__, [&] {
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<KernelRef*>(&the_runtime().modules.kernel_of(stub)));
  });
}

}  // extern "C"
#pragma GCC visibility pop
