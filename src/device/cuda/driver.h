// Loads the CUDA driver at run time, and owns the resources that it allocates.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "device/cuda/driver_api.h"

namespace cudalab::device {

// The functions of libcuda.so.1 that the project calls. Every call is checked: `cuda.mem_alloc(&address,
// bytes)` throws CudaFailure if it fails; `.attempt(…)` returns the code instead.

// A failed driver call. what() is one line: the call, CUDA's error name and its description.
class CudaFailure : public Error {
 public:
  CudaFailure(CUresult result, Message message)
      : Error(ExitCode::kUnavailable, std::move(message)), result_(result) {}
  CUresult result() const { return result_; }

 private:
  CUresult result_;
};

// A driver function with its name. Calls are checked.
template <class Signature>
class DriverFunction;

// `call` is the name of the function or a description of the operation.
[[noreturn]] void throw_cuda_failure(cudalab::Argument call, CUresult result);

template <class... Parameters>
class DriverFunction<CUresult(Parameters...)> {
 public:
  using Pointer = CUresult (*)(Parameters...);
  void set(const char* name, void* address) {
    name_ = name;
    function_ = reinterpret_cast<Pointer>(address);
  }
  CUresult attempt(Parameters... parameters) const { return function_(parameters...); }
  void operator()(Parameters... parameters) const {
    const CUresult result = function_(parameters...);
    if (result != CUDA_SUCCESS) throw_cuda_failure(name_, result);
  }

 private:
  const char* name_ = "";
  Pointer function_ = nullptr;
};

// Rows: our name, the declaration in cuda.h, the symbol in the library. Each symbol is the oldest version
// with the needed behaviour, so a program that was built with a new toolkit runs with an older driver.
#define CUDALAB_DRIVER_FUNCTIONS(ROW)                                                \
  ROW(init, cuInit, "cuInit")                                                        \
  ROW(driver_version, cuDriverGetVersion, "cuDriverGetVersion")                      \
  ROW(error_name, cuGetErrorName, "cuGetErrorName")                                  \
  ROW(error_string, cuGetErrorString, "cuGetErrorString")                            \
  ROW(device_count, cuDeviceGetCount, "cuDeviceGetCount")                            \
  ROW(device_get, cuDeviceGet, "cuDeviceGet")                                        \
  ROW(device_name, cuDeviceGetName, "cuDeviceGetName")                               \
  ROW(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")                \
  ROW(device_memory, cuDeviceTotalMem, "cuDeviceTotalMem_v2")                        \
  ROW(context_retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")          \
  ROW(context_release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")    \
  ROW(context_set_current, cuCtxSetCurrent, "cuCtxSetCurrent")                       \
  ROW(memory_info, cuMemGetInfo, "cuMemGetInfo_v2")                                  \
  ROW(mem_alloc, cuMemAlloc, "cuMemAlloc_v2")                                        \
  ROW(mem_free, cuMemFree, "cuMemFree_v2")                                           \
  ROW(host_alloc, cuMemHostAlloc, "cuMemHostAlloc")                                  \
  ROW(host_free, cuMemFreeHost, "cuMemFreeHost")                                     \
  ROW(copy_to_device, cuMemcpyHtoD, "cuMemcpyHtoD_v2")                               \
  ROW(copy_from_device, cuMemcpyDtoH, "cuMemcpyDtoH_v2")                             \
  ROW(copy_to_device_async, cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")               \
  ROW(copy_from_device_async, cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")             \
  ROW(copy_on_device_async, cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")               \
  ROW(set_bytes, cuMemsetD8, "cuMemsetD8_v2")                                        \
  ROW(set_words_async, cuMemsetD32Async, "cuMemsetD32Async")                         \
  ROW(array_create, cuArray3DCreate, "cuArray3DCreate_v2")                           \
  ROW(array_destroy, cuArrayDestroy, "cuArrayDestroy")                               \
  ROW(copy_array, cuMemcpy3D, "cuMemcpy3D_v2")                                       \
  ROW(texture_create, cuTexObjectCreate, "cuTexObjectCreate")                        \
  ROW(texture_destroy, cuTexObjectDestroy, "cuTexObjectDestroy")                     \
  ROW(surface_create, cuSurfObjectCreate, "cuSurfObjectCreate")                      \
  ROW(surface_destroy, cuSurfObjectDestroy, "cuSurfObjectDestroy")                   \
  ROW(module_load, cuModuleLoadDataEx, "cuModuleLoadDataEx")                         \
  ROW(module_unload, cuModuleUnload, "cuModuleUnload")                               \
  ROW(module_function, cuModuleGetFunction, "cuModuleGetFunction")                   \
  ROW(module_global, cuModuleGetGlobal, "cuModuleGetGlobal_v2")                      \
  ROW(function_attribute, cuFuncGetAttribute, "cuFuncGetAttribute")                  \
  ROW(set_function_attribute, cuFuncSetAttribute, "cuFuncSetAttribute")              \
  ROW(launch_kernel, cuLaunchKernel, "cuLaunchKernel")                               \
  ROW(launch_kernel_with, cuLaunchKernelEx, "cuLaunchKernelEx")                      \
  ROW(stream_create, cuStreamCreate, "cuStreamCreate")                               \
  ROW(stream_wait, cuStreamSynchronize, "cuStreamSynchronize")                       \
  ROW(stream_wait_event, cuStreamWaitEvent, "cuStreamWaitEvent")                     \
  ROW(stream_destroy, cuStreamDestroy, "cuStreamDestroy_v2")                         \
  ROW(begin_capture, cuStreamBeginCapture, "cuStreamBeginCapture_v2")                \
  ROW(end_capture, cuStreamEndCapture, "cuStreamEndCapture")                         \
  ROW(graph_instantiate, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags") \
  ROW(graph_launch, cuGraphLaunch, "cuGraphLaunch")                                  \
  ROW(graph_destroy, cuGraphDestroy, "cuGraphDestroy")                               \
  ROW(graph_exec_destroy, cuGraphExecDestroy, "cuGraphExecDestroy")                  \
  ROW(event_create, cuEventCreate, "cuEventCreate")                                  \
  ROW(event_destroy, cuEventDestroy, "cuEventDestroy_v2")                            \
  ROW(event_record, cuEventRecord, "cuEventRecord")                                  \
  ROW(event_query, cuEventQuery, "cuEventQuery")                                     \
  ROW(event_elapsed, cuEventElapsedTime, "cuEventElapsedTime")

struct Driver {
#define CUDALAB_MEMBER(name, declaration, symbol) DriverFunction<decltype(declaration)> name;
  CUDALAB_DRIVER_FUNCTIONS(CUDALAB_MEMBER)
#undef CUDALAB_MEMBER
  std::string path;     // of the library
  std::string version;  // "13.0": the newest CUDA version that it supports
};

// The driver, or the reason why there is none; exactly one of the two is set. The driver is initialized and
// has at least one GPU.
struct DriverSearch {
  std::shared_ptr<const Driver> driver;
  Message missing;  // "libcuda.so.1 was not found", "cuInit failed: CUDA_ERROR_NO_DEVICE (…)"
};
// Searches once per process. $CUDALAB_CUDA_DRIVER names another library than libcuda.so.1.
const DriverSearch& cuda_driver();

// "CUDA_ERROR_ILLEGAL_ADDRESS"
std::string cuda_error_name(CUresult result);

// Owning objects for the driver's resources, and the context that they belong to.

// The primary context of a GPU. After a kernel fault, every later call of the process fails; a kernel that
// never ends cannot be stopped. In both cases the context is abandoned, and its resources are not touched
// again, not even to free them.
class CudaContext {
 public:
  CudaContext(std::shared_ptr<const Driver> driver, CUdevice gpu);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const Driver& driver() const { return *driver_; }
  bool is_usable() const { return usable_; }
  void make_current() const { driver_->context_set_current(context_); }
  void abandon() { usable_ = false; }

 private:
  std::shared_ptr<const Driver> driver_;
  CUdevice gpu_;
  CUcontext context_ = nullptr;
  bool usable_ = true;
};
using ContextPointer = std::shared_ptr<CudaContext>;

// Owns a handle of the driver and destroys it unless the context was abandoned.
template <class Handle>
class CudaResource {
 public:
  using Destroy = void (*)(const Driver&, Handle);
  CudaResource(ContextPointer context, Handle handle, Destroy destroy)
      : context_(std::move(context)), handle_(handle), destroy_(destroy) {}
  CudaResource(CudaResource&& other) noexcept
      : context_(std::move(other.context_)), handle_(other.handle_), destroy_(other.destroy_) {}
  CudaResource& operator=(CudaResource&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~CudaResource() {
    if (context_ && context_->is_usable()) destroy_(context_->driver(), handle_);
  }
  Handle get() const { return handle_; }

 private:
  ContextPointer context_;
  Handle handle_;
  Destroy destroy_;
};

using CudaModule = CudaResource<CUmodule>;
using CudaStream = CudaResource<CUstream>;
using CudaEvent = CudaResource<CUevent>;
using CudaGraph = CudaResource<CUgraphExec>;
using CudaMemory = CudaResource<CUdeviceptr>;
using PinnedMemory = CudaResource<void*>;

// These functions throw CudaFailure.
CudaStream make_stream(const ContextPointer& context);
CudaEvent make_event(const ContextPointer& context);
CudaMemory make_memory(const ContextPointer& context, std::size_t bytes);
PinnedMemory make_pinned_memory(const ContextPointer& context, std::size_t bytes);
// Records what `work` enqueues on a stream as a graph that can be launched repeatedly.
CudaGraph make_graph(const ContextPointer& context, CUstream stream,
                     const std::function<void(CUstream)>& work);
// Compiles PTX for the GPU. Throws a one-line Error if the driver rejects it; `file_name` appears in the
// message.
CudaModule make_module(const ContextPointer& context, const std::string& ptx, const std::string& file_name);

}  // namespace cudalab::device
