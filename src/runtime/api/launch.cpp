// Launches of kernels, what may be asked and set about them, and functions of the host on streams.
#include "runtime/call.h"
#include "runtime/modules/function_attributes.h"
#include "runtime/streams/launching.h"

using namespace cudalab;
using namespace cudalab::runtime;

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
    }
  });
}

KernelLaunch shape_of(dim3 grid, dim3 block, std::size_t shared_bytes) {
  return {shape_of(grid), shape_of(block), {0, 0, 0}, shared_bytes, false};
}

KernelLaunch shape_of(const cudaLaunchConfig_t& config) {
  KernelLaunch shape = shape_of(config.gridDim, config.blockDim, config.dynamicSmemBytes);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& one = config.attrs[i];
    if (one.id == cudaLaunchAttributeClusterDimension)
      shape.cluster = {one.val.clusterDim.x, one.val.clusterDim.y, one.val.clusterDim.z};
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
    return answer(__func__, [] { throw Failure{cudaErrorInvalidValue, "the configuration is null"}; });
  return launch_kernel(function, shape_of(*config), arguments, config->stream);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return answer(__func__, [&] {
    require(function, cudaErrorInvalidValue, "the function is null");
    submit(stream_of(stream), host_job([=] { function(data); }));
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return answer(__func__, [&] {
    require(callback && flags == 0, cudaErrorInvalidValue, "the callback is null, or the flags are not 0");
    submit(stream_of(stream), host_job([=] { callback(stream, the_runtime().lost, data); }));
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return answer(__func__, [&] {
    require(attributes, cudaErrorInvalidValue, "the pointer to the attributes is null");
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
    require(name, cudaErrorInvalidValue, "the pointer to the name is null");
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
