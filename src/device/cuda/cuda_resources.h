// What the CUDA driver gives out and wants back: one owning object a resource, and the context they all live
// in.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "device/cuda/driver.h"

namespace cudalab::device {

// The primary context of a GPU. A kernel that faults makes every later call of the process fail, and one that
// never ends cannot be stopped: the context is then abandoned, and what lives in it is not touched again, not
// even to free it.
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

// Owns a handle of the driver; destroys it unless its context is gone.
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

// Each throws CudaFailure.
CudaStream make_stream(const ContextPointer& context);
CudaEvent make_event(const ContextPointer& context);
CudaMemory make_memory(const ContextPointer& context, std::size_t bytes);
PinnedMemory make_pinned_memory(const ContextPointer& context, std::size_t bytes);
// What `work` puts on a stream, as one graph that can be launched again and again.
CudaGraph make_graph(const ContextPointer& context, CUstream stream,
                     const std::function<void(CUstream)>& work);
// Compiles PTX for the GPU. Throws Error in one line where the driver refuses it; `file_name` is for that
// message.
CudaModule make_module(const ContextPointer& context, const std::string& ptx, const std::string& file_name);

}  // namespace cudalab::device
