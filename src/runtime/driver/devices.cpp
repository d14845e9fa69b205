// The driver API's initialization, errors, devices and contexts.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "core/programs/cuda_errors.h"
#include "runtime/driver/driver.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

constexpr cudaError_t kInvalidContext = cudaErrorDeviceUninitialized;  // CUDA_ERROR_INVALID_CONTEXT

// Contexts that programs created, also those that are destroyed: a handle may outlive its context.
std::vector<std::unique_ptr<Context>>& own_contexts() {
  static auto& contexts = *new std::vector<std::unique_ptr<Context>>;
  return contexts;
}

CUcontext handle_of(Context* context) { return reinterpret_cast<CUcontext>(context); }

void require_known_device(int device) {
  require(device >= 0 && device < the_runtime().settings.devices, cudaErrorInvalidDevice,
          msg::device_unknown());
}

void require_answer(const void* pointer) {
  require(pointer, cudaErrorInvalidValue, msg::pointer_to_answer_null());
}

// Frees what the context owns after the last user has left it.
void release_memory(Context& context) {
  Runtime& state = the_runtime();
  if (state.lost == cudaSuccess) state.queue.wait_for_device(context.device);
  if (context.is_primary) state.memory.free_all(context.device);
  for (const std::uint64_t address : std::exchange(context.allocations, {}))
    if (const MemoryBlock* block = state.memory.begins_at(address))
      state.memory.free(address, block->kind == MemoryKind::kPinned);
}

CUresult text_of_error(CUresult error, const char** text, const char* CudaErrorText::*which) {
  const CudaErrorText* found = find_driver_error(error);
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = found ? found->*which : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

namespace cudalab::runtime {

void require_ready(Needs needs) {
  if (needs == Needs::kNothing) return;
  require(the_runtime().is_initialized, cudaErrorInitializationError, msg::driver_not_initialized());
  if (needs == Needs::kInit) return;
  const Context* current = current_context();
  require(current, kInvalidContext, msg::context_missing());
  require(current->users > 0, cudaErrorContextIsDestroyed, msg::context_destroyed());
}

Context& context_of(CUcontext handle) {
  require(handle, cudaErrorInvalidValue, msg::context_null());
  auto* context = reinterpret_cast<Context*>(handle);
  for (int device = 0; device < the_runtime().settings.devices; ++device)
    if (context == &primary_context(device)) return *context;
  const bool is_own =
      std::ranges::any_of(own_contexts(), [&](const auto& one) { return one.get() == context; });
  require(is_own, kInvalidContext, msg::context_unknown());
  return *context;
}

}  // namespace cudalab::runtime

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC visibility push(default)
extern "C" {

// ---- initialization and errors -----------------------------------------------------------------------

CUresult cuInit(unsigned flags) {
  return drive(__func__, Needs::kNothing, [&] {
    require(flags == 0, cudaErrorInvalidValue, msg::flags_not_zero());
    the_runtime().is_initialized = true;
  });
}
TWIN_THAT_NEEDS(kNothing, cuDriverGetVersion, cudaDriverGetVersion, (int* version), version)

CUresult cuGetErrorName(CUresult error, const char** name) {
  return text_of_error(error, name, &CudaErrorText::name);
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  return text_of_error(error, text, &CudaErrorText::text);
}

// ---- devices -----------------------------------------------------------------------------------------

TWIN_THAT_NEEDS(kInit, cuDeviceGetCount, cudaGetDeviceCount, (int* count), count)
TWIN_THAT_NEEDS(kInit, cuDeviceGetAttribute, cudaDeviceGetAttribute,
                (int* value, CUdevice_attribute attribute, CUdevice device), value, attribute, device)
TWIN_THAT_NEEDS(kInit, cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId, (char* text, int length, CUdevice device),
                text, length, device)
TWIN_THAT_NEEDS(kInit, cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId, (CUdevice * device, const char* text),
                device, text)
TWIN_THAT_NEEDS(kInit, cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer,
                (int* can, CUdevice device, CUdevice peer), can, device, peer)
TWIN_THAT_NEEDS(kInit, cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute,
                (int* value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer), value,
                attribute, device, peer)
TWIN_THAT_NEEDS(kInit, cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool,
                (CUmemoryPool * pool, CUdevice device), pool, device)
TWIN_THAT_NEEDS(kInit, cuDeviceGetMemPool, cudaDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device), pool,
                device)
TWIN_THAT_NEEDS(kInit, cuDeviceSetMemPool, cudaDeviceSetMemPool, (CUdevice device, CUmemoryPool pool), device,
                pool)

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return drive(__func__, Needs::kInit, [&] {
    require(device, cudaErrorInvalidValue, msg::pointer_to_device_null());
    require_known_device(ordinal);
    *device = ordinal;
  });
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return drive(__func__, Needs::kInit, [&] {
    require(name && length > 0, cudaErrorInvalidValue, msg::pointer_to_name_null());
    require_known_device(device);
    const std::string_view own = the_runtime().card().name;
    const std::size_t bytes = std::min(own.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, own.data(), bytes);
    name[bytes] = '\0';
  });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return drive("cuDeviceGetUuid", Needs::kInit, [&] {
    require_answer(uuid);
    require_known_device(device);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, device);
    *uuid = properties.uuid;
  });
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return drive("cuDeviceTotalMem", Needs::kInit, [&] {
    require_answer(bytes);
    require_known_device(device);
    *bytes = the_runtime().memory.limit_bytes();
  });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return drive(__func__, Needs::kInit, [&] {
    require(major && minor, cudaErrorInvalidValue, msg::pointer_to_answer_null());
    require_known_device(device);
    *major = the_runtime().card().compute_major;
    *minor = the_runtime().card().compute_minor;
  });
}
CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  return drive(__func__, Needs::kInit, [&] {
    require_answer(properties);
    require_known_device(device);
    cudaDeviceProp all;
    cudaGetDeviceProperties(&all, device);
    int clock_khz = 0;
    cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device);
    *properties = {.maxThreadsPerBlock = all.maxThreadsPerBlock,
                   .sharedMemPerBlock = static_cast<int>(all.sharedMemPerBlock),
                   .totalConstantMemory = static_cast<int>(all.totalConstMem),
                   .SIMDWidth = all.warpSize,
                   .memPitch = static_cast<int>(all.memPitch),
                   .regsPerBlock = all.regsPerBlock,
                   .clockRate = clock_khz,
                   .textureAlign = static_cast<int>(all.textureAlignment)};
    std::ranges::copy(all.maxThreadsDim, properties->maxThreadsDim);
    std::ranges::copy(all.maxGridSize, properties->maxGridSize);
  });
}

// ---- primary contexts --------------------------------------------------------------------------------

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return drive(__func__, Needs::kInit, [&] {
    require_answer(context);
    require_known_device(device);
    ++primary_context(device).users;
    *context = handle_of(&primary_context(device));
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return drive("cuDevicePrimaryCtxRelease", Needs::kInit, [&] {
    require_known_device(device);
    Context& context = primary_context(device);
    require(context.users > 0, kInvalidContext, msg::context_not_retained());
    if (--context.users == 0) release_memory(context);
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return drive("cuDevicePrimaryCtxReset", Needs::kInit, [&] {
    require_known_device(device);
    release_memory(primary_context(device));
  });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return drive("cuDevicePrimaryCtxSetFlags", Needs::kInit, [&] {
    require_known_device(device);
    require((flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0, cudaErrorInvalidValue, msg::flag_unknown());
    primary_context(device).flags = flags;
  });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return drive(__func__, Needs::kInit, [&] {
    require(flags && active, cudaErrorInvalidValue, msg::pointer_to_answer_null());
    require_known_device(device);
    *flags = primary_context(device).flags;
    *active = primary_context(device).users > 0;
  });
}

// ---- contexts ----------------------------------------------------------------------------------------

// A context that is limited to a part of the GPU, or shared with a graphics API, is not supported.
CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* params, unsigned flags, CUdevice device) {
  return drive("cuCtxCreate", Needs::kInit, [&] {
    require(!params || (params->numExecAffinityParams == 0 && !params->cigParams), cudaErrorNotSupported,
            msg::context_with_parts());
    require_answer(context);
    require_known_device(device);
    require((flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0, cudaErrorInvalidValue, msg::flag_unknown());
    own_contexts().push_back(std::make_unique<Context>(
        Context{.device = device, .flags = flags, .users = 1, .number = the_runtime().next_context++}));
    ThreadState& thread = this_thread();
    thread.contexts.push_back(own_contexts().back().get());
    thread.device = device;
    *context = handle_of(thread.contexts.back());
  });
}
CUresult cuCtxDestroy(CUcontext handle) {
  return drive("cuCtxDestroy", Needs::kInit, [&] {
    Context& context = context_of(handle);
    require(!context.is_primary && context.users > 0, kInvalidContext, msg::context_not_destroyable());
    release_memory(context);
    context.users = 0;
    std::vector<Context*>& stack = this_thread().contexts;
    if (!stack.empty() && stack.back() == &context) stack.pop_back();
    if (!stack.empty()) this_thread().device = stack.back()->device;
  });
}
CUresult cuCtxPushCurrent(CUcontext handle) {
  return drive("cuCtxPushCurrent", Needs::kInit, [&] {
    Context& context = context_of(handle);
    this_thread().contexts.push_back(&context);
    this_thread().device = context.device;
  });
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  return drive("cuCtxPopCurrent", Needs::kInit, [&] {
    std::vector<Context*>& stack = this_thread().contexts;
    require(!stack.empty(), kInvalidContext, msg::context_missing());
    if (context) *context = handle_of(stack.back());
    stack.pop_back();
    if (!stack.empty()) this_thread().device = stack.back()->device;
  });
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return drive(__func__, Needs::kInit,
               [&] { set_current_context(context ? &context_of(context) : nullptr); });
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  return drive(__func__, Needs::kInit, [&] {
    require_answer(context);
    *context = handle_of(current_context());
  });
}
CUresult cuCtxGetDevice(CUdevice* device) {
  return drive(__func__, Needs::kContext, [&] {
    require(device, cudaErrorInvalidValue, msg::pointer_to_device_null());
    *device = current_context()->device;
  });
}
CUresult cuCtxGetFlags(unsigned* flags) {
  return drive(__func__, Needs::kContext, [&] {
    require(flags, cudaErrorInvalidValue, msg::pointer_to_flags_null());
    *flags = current_context()->flags;
  });
}
CUresult cuCtxSetFlags(unsigned flags) {
  return drive(__func__, Needs::kContext, [&] { current_context()->flags = flags; });
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return drive(__func__, Needs::kContext, [&] {
    require_answer(id);
    *id = (context ? context_of(context) : *current_context()).number;
  });
}
CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  return drive(__func__, Needs::kInit, [&] {
    require_answer(version);
    if (context) context_of(context);
    constexpr unsigned kVersionOfContexts = 3020;
    *version = kVersionOfContexts;
  });
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  int device = 0;
  const CUresult result = drive(__func__, Needs::kContext, [&] { device = context_of(peer).device; });
  if (result != CUDA_SUCCESS) return result;
  return call_twin(__func__, Needs::kContext, cudaDeviceEnablePeerAccess, device, flags);
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  int device = 0;
  const CUresult result = drive(__func__, Needs::kContext, [&] { device = context_of(peer).device; });
  if (result != CUDA_SUCCESS) return result;
  return call_twin(__func__, Needs::kContext, cudaDeviceDisablePeerAccess, device);
}

TWIN(cuCtxSynchronize, cudaDeviceSynchronize, ())
TWIN(cuCtxSetLimit, cudaDeviceSetLimit, (CUlimit limit, std::size_t value), limit, value)
TWIN(cuCtxGetLimit, cudaDeviceGetLimit, (std::size_t * value, CUlimit limit), value, limit)
TWIN(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig, (CUfunc_cache config), config)
TWIN(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig, (CUfunc_cache * config), config)
TWIN(cuCtxSetSharedMemConfig, cudaDeviceSetSharedMemConfig, (CUsharedconfig config), config)
TWIN(cuCtxGetSharedMemConfig, cudaDeviceGetSharedMemConfig, (CUsharedconfig * config), config)
TWIN(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, (int* least, int* greatest), least,
     greatest)
TWIN(cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache, ())
TWIN(cuProfilerStart, cudaProfilerStart, ())
TWIN(cuProfilerStop, cudaProfilerStop, ())

}  // extern "C"
#pragma GCC visibility pop
