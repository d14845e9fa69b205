// The runtime API's kernels: what nvcc's code registers before main, launches, attributes, and device
// symbols.
#include <vector>

#include "messages/runtime.h"
#include "runtime/call.h"
#include "runtime/copies.h"
#include "runtime/modules/modules.h"
#include "runtime/streams/launching.h"

// What nvcc's code calls before main, and around every `<<<>>>`.

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

// __device__ and __constant__ variables, by the address of their shadows on the host.

using namespace cudalab;

namespace {

void* address_in(const void* symbol, std::size_t offset, std::size_t bytes) {
  std::size_t size = 0;
  const std::uint64_t address = the_runtime().modules.address_of(symbol, this_thread().device, size);
  if (offset > size || bytes > size - offset) {
    const Message what = msg::copy_beyond_variable(bytes, offset, offset + bytes - size, size);
    report_mistake(MistakeKind::kBeyondTheEnd, what, msg::advice_copy_what_fits());
    throw Failure{cudaErrorInvalidValue, what};
  }
  return reinterpret_cast<void*>(address + offset);
}

cudaError_t to_symbol(const char* call, const void* symbol, const void* from, std::size_t bytes,
                      std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    require(kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection,
            msg::copy_to_variable_not_to_device());
    copy(call, line(address_in(symbol, offset, bytes), from, bytes), kind, stream_of(stream), waits);
  });
}
cudaError_t from_symbol(const char* call, void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    require(kind != cudaMemcpyHostToDevice && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection,
            msg::copy_from_variable_not_from_device());
    copy(call, line(to, address_in(symbol, offset, bytes), bytes), kind, stream_of(stream), waits);
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return to_symbol(__func__, symbol, from, bytes, offset, kind, nullptr, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return to_symbol(__func__, symbol, from, bytes, offset, kind, stream, false);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return from_symbol(__func__, to, symbol, bytes, offset, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return from_symbol(__func__, to, symbol, bytes, offset, kind, stream, false);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return answer(__func__, [&] {
    require(address, cudaErrorInvalidValue, msg::pointer_to_address_null());
    *address = address_in(symbol, 0, 0);
  });
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return answer(__func__, [&] {
    require(bytes, cudaErrorInvalidValue, msg::pointer_to_size_null());
    the_runtime().modules.address_of(symbol, this_thread().device, *bytes);
  });
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

Dim3 shape_of(const dim3& shape) { return {shape.x, shape.y, shape.z}; }

cudaError_t launch_kernel(const void* function, const KernelLaunch& shape, void** arguments,
                          cudaStream_t stream) {
  return answer("cudaLaunchKernel", [&] {
    const KernelRef& kernel = the_runtime().modules.kernel_of(function);
    try {
      launch(kernel, shape, arguments, stream_of(stream));
    } catch (const Failure& why) {
      throw LaunchFailure{why, kernel.symbol};
    } catch (const Error& error) {  // of loading the module
      throw LaunchFailure{{cudaErrorInvalidValue, error.message()}, kernel.symbol};
    }
  });
}

KernelLaunch shape_of(dim3 grid, dim3 block, std::size_t shared_bytes) {
  return {.spec = {shape_of(grid), shape_of(block), shared_bytes}};
}

KernelLaunch shape_of(const cudaLaunchConfig_t& config) {
  KernelLaunch shape = shape_of(config.gridDim, config.blockDim, config.dynamicSmemBytes);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& one = config.attrs[i];
    if (one.id == cudaLaunchAttributeClusterDimension)
      shape.spec.cluster = {one.val.clusterDim.x, one.val.clusterDim.y, one.val.clusterDim.z};
    if (one.id == cudaLaunchAttributeCooperative) shape.is_cooperative = one.val.cooperative != 0;
  }
  return shape;
}

// Runs when its turn on the stream has come, without the lock: it may not call CUDA, but it may take long.
Job host_job(std::function<void()> function) {
  Job job;
  job.name = "a function of the host";
  job.run = [function = std::move(function)] {
    function();
    return Outcome{};
  };
  return job;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return launch_kernel(function, shape_of(grid, block, shared_bytes), arguments, stream);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  KernelLaunch shape = shape_of(grid, block, shared_bytes);
  shape.is_cooperative = true;
  return launch_kernel(function, shape, arguments, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (!config)
    return answer(__func__, [] { throw Failure{cudaErrorInvalidValue, msg::launch_configuration_null()}; });
  return launch_kernel(function, shape_of(*config), arguments, config->stream);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return answer(__func__, [&] {
    require(function, cudaErrorInvalidValue, msg::host_function_null());
    submit(stream_of(stream), host_job([=] { function(data); }));
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return answer(__func__, [&] {
    require(callback && flags == 0, cudaErrorInvalidValue, msg::callback_null_or_flags());
    submit(stream_of(stream), host_job([=] { callback(stream, the_runtime().lost, data); }));
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return answer(__func__, [&] {
    require(attributes, cudaErrorInvalidValue, msg::pointer_to_attributes_null());
    *attributes = attributes_of(the_runtime().modules.kernel_of(function), this_thread().device);
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return answer(__func__, [&] {
    set_attribute(the_runtime().modules.kernel_of(function), attribute, value, this_thread().device);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return answer(__func__, [&] { the_runtime().modules.kernel_of(function); });
}
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return answer(__func__, [&] { the_runtime().modules.kernel_of(function); });
}
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return answer(__func__, [&] {
    require(name, cudaErrorInvalidValue, msg::pointer_to_name_null());
    *name = the_runtime().modules.kernel_of(function).symbol.c_str();
  });
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return answer(__func__, [&] {
    *kernel =
        reinterpret_cast<cudaKernel_t>(const_cast<KernelRef*>(&the_runtime().modules.kernel_of(function)));
  });
}

}  // extern "C"
#pragma GCC visibility pop
