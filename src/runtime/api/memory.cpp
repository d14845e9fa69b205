// The runtime API's memory: allocation, copies, and stream-ordered allocation from pools.
#include <map>

#include "messages/runtime.h"
#include "runtime/call.h"
#include "runtime/copies.h"
#include "runtime/streams/graph.h"
#include "runtime/streams/launching.h"

// Stream-ordered allocation and memory pools.

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// A pool's attributes are only stored and returned: all allocations come from the device's memory.
struct Pool {
  int device = 0;
  std::map<cudaMemPoolAttr, std::uint64_t> attributes;
};

Pool& default_pool(int device) {
  static std::map<int, Pool> pools;
  Pool& pool = pools[device];
  pool.device = device;
  return pool;
}
std::set<Pool*>& own_pools() {
  static std::set<Pool*> known;
  return known;
}

Pool& pool_of(cudaMemPool_t handle) {
  auto* pool = reinterpret_cast<Pool*>(handle);
  for (int device = 0; device < the_runtime().settings.devices; ++device)
    if (pool == &default_pool(device)) return *pool;
  require(own_pools().contains(pool), cudaErrorInvalidValue, msg::pool_unknown());
  return *pool;
}

cudaMemPool_t handle_of(Pool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

// Whether an attribute is a 32-bit integer; the others have 64 bits.
bool is_flag(cudaMemPoolAttr attribute) { return attribute <= cudaMemPoolReuseAllowInternalDependencies; }

cudaError_t allocate(const char* call, void** pointer, std::size_t bytes, cudaStream_t stream) {
  return answer(call, [&] {
    require(pointer, cudaErrorInvalidValue, msg::pointer_to_pointer_null());
    *pointer = nullptr;
    const int device = stream_of(stream).device;
    if (bytes == 0) return;
    if (Graph* graph = stream_of(stream).capture.get()) {
      graph->memory.push_back(std::make_shared<const GraphMemory>(call, bytes, device));
      *pointer = reinterpret_cast<void*>(graph->memory.back()->address());
      return;
    }
    *pointer = reinterpret_cast<void*>(the_runtime().memory.allocate(call, bytes, device));
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate(__func__, pointer, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  return allocate(__func__, pointer, bytes, stream);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return answer(__func__, [&] {
    Stream& stream = stream_of(handle);
    if (!pointer) return;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    require(the_runtime().memory.begins_at(address), cudaErrorInvalidValue, msg::pointer_leads_nowhere());
    if (stream.capture && stream.capture->owns(address)) {  // the graph frees it
      stream.capture->freed.insert(address);
      return;
    }
    the_runtime().memory.expect(address, false);
    submit(stream, {.name = "cudaFreeAsync", .engine = Engine::kNone, .run = [address] {
                      Memory& memory = the_runtime().memory;
                      const MemoryBlock* block = memory.begins_at(address);
                      if (block && !block->is_freed_until_launch) memory.free(address, false);
                      return Outcome{};
                    }});
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return answer(__func__, [&] {
    require(pool, cudaErrorInvalidValue, msg::pointer_to_pool_null());
    require(device >= 0 && device < the_runtime().settings.devices, cudaErrorInvalidDevice,
            msg::device_unknown());
    *pool = handle_of(default_pool(device));
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t pool) {
  return answer(__func__, [&] { pool_of(pool); });
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return answer(__func__, [&] {
    require(pool && properties, cudaErrorInvalidValue, msg::pointer_null());
    auto* made = new Pool{properties->location.id, {}};
    own_pools().insert(made);
    *pool = handle_of(*made);
  });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return answer(__func__, [&] {
    Pool& pool = pool_of(handle);
    require(own_pools().erase(&pool) > 0, cudaErrorInvalidValue, msg::pool_of_device_not_destroyable());
    delete &pool;
  });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return answer(__func__, [&] {
    require(value, cudaErrorInvalidValue, msg::pointer_to_value_null());
    pool_of(pool).attributes[attribute] = is_flag(attribute)
                                              ? static_cast<std::uint64_t>(*static_cast<int*>(value))
                                              : *static_cast<std::uint64_t*>(value);
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return answer(__func__, [&] {
    require(value, cudaErrorInvalidValue, msg::pointer_to_value_null());
    Pool& pool = pool_of(handle);
    std::uint64_t held =
        is_flag(attribute) && !pool.attributes.contains(attribute) ? 1 : pool.attributes[attribute];
    if (attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent)
      held = the_runtime().memory.used_bytes(pool.device);
    if (is_flag(attribute))
      *static_cast<int*>(value) = static_cast<int>(held);
    else
      *static_cast<std::uint64_t*>(value) = held;
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return answer(__func__, [&] { pool_of(pool); });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, std::size_t) {
  return answer(__func__, [&] { pool_of(pool); });
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

std::uint64_t number_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
void* pointer_of(std::uint64_t address) { return reinterpret_cast<void*>(address); }

void require_pointer(const void* to) { require(to, cudaErrorInvalidValue, msg::pointer_to_pointer_null()); }

// Waits for queued work that may use the memory before freeing it, as CUDA does.
void free_memory(const void* pointer, bool on_host) {
  if (!pointer) return;
  Runtime& state = the_runtime();
  const MemoryBlock* block = state.memory.begins_at(number_of(pointer));
  if (block && state.peers.empty()) state.queue.wait_for_device(block->device);
  if (block && !state.peers.empty()) state.queue.wait_for_all();  // another device may still use it
  if (const MemoryBlock* before = state.memory.freed_at(number_of(pointer)); !block && before)
    report_mistake(MistakeKind::kDoubleFree, msg::free_again(Code{before->name}), msg::advice_free_once());
  state.memory.free(number_of(pointer), on_host);
}

cudaError_t allocate_on_host(const char* call, void** to, std::size_t bytes, MemoryKind kind,
                             unsigned flags) {
  return answer(call, [&] {
    require_pointer(to);
    *to = nullptr;
    if (bytes == 0) return;
    *to = pointer_of(the_runtime().memory.allocate_on_host(call, bytes, kind, this_thread().device, flags));
  });
}

cudaError_t copy_line(const char* call, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                      cudaStream_t stream, bool waits) {
  return answer(call, [&] { copy(call, line(to, from, bytes), kind, stream_of(stream), waits); });
}

Side side_of(const void* address, std::size_t pitch, std::size_t height) {
  return {number_of(address), pitch, pitch * height, false};
}

cudaError_t copy_rows(const char* call, void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    require(width <= to_pitch && width <= from_pitch, cudaErrorInvalidPitchValue,
            msg::row_wider_than_side_pitch());
    copy(call, {side_of(to, to_pitch, height), side_of(from, from_pitch, height), width, height, 1}, kind,
         stream_of(stream), waits);
  });
}

cudaError_t set_rows(const char* call, void* to, std::size_t pitch, int value, std::size_t width,
                     std::size_t height, cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    if (width * height == 0) return;
    require(height == 1 || width <= pitch, cudaErrorInvalidValue, msg::row_wider_than_pitch());
    fill(call, side_of(to, pitch, height), width, height, 1, {static_cast<std::uint32_t>(value), 1},
         stream_of(stream), waits);
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return answer(__func__, [&] {
    require_pointer(pointer);
    *pointer = nullptr;
    if (bytes > 0)
      *pointer = pointer_of(the_runtime().memory.allocate("cudaMalloc", bytes, this_thread().device));
  });
}
cudaError_t cudaFree(void* pointer) {
  return answer(__func__, [&] { free_memory(pointer, false); });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate_on_host(__func__, pointer, bytes, MemoryKind::kPinned, cudaHostAllocDefault);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  constexpr unsigned kKnown = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if (flags & ~kKnown)
    return answer(__func__, [] { throw Failure{cudaErrorInvalidValue, msg::flag_unknown()}; });
  return allocate_on_host(__func__, pointer, bytes, MemoryKind::kPinned, flags);
}
cudaError_t cudaFreeHost(void* pointer) {
  return answer(__func__, [&] { free_memory(pointer, true); });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return answer(__func__, [&] {
    require(pointer && bytes > 0, cudaErrorInvalidValue, msg::registration_empty());
    Memory& memory = the_runtime().memory;
    const MemoryBlock* known = memory.find(number_of(pointer));
    require(!known || known->kind == MemoryKind::kRegistered, cudaErrorInvalidValue,
            msg::registration_of_device_or_pinned());
    require(!memory.find(number_of(pointer)) && !memory.find(number_of(pointer) + bytes - 1),
            cudaErrorHostMemoryAlreadyRegistered, msg::memory_registered_before());
    require(number_of(pointer) >= kDeviceStart, cudaErrorNotSupported, msg::memory_address_too_low());
    memory.adopt({static_cast<std::byte*>(pointer), bytes}, MemoryKind::kRegistered, this_thread().device,
                 flags, "registered memory");
  });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return answer(__func__, [&] {
    Runtime& state = the_runtime();
    require(pointer, cudaErrorInvalidValue, msg::the_pointer_null());
    const MemoryBlock* block = state.memory.begins_at(number_of(pointer));
    require(!block || block->kind == MemoryKind::kRegistered, cudaErrorInvalidValue,
            msg::memory_pinned_not_registered());
    require(block, cudaErrorHostMemoryNotRegistered, msg::memory_not_registered());
    state.queue.wait_for_all();
    state.memory.release(number_of(pointer));
  });
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return answer(__func__, [&] {
    require(device && host && flags == 0, cudaErrorInvalidValue, msg::pointer_null_or_flags());
    const MemoryBlock* block = the_runtime().memory.find(number_of(host));
    require(block && block->is_on_host(), cudaErrorInvalidValue, msg::memory_not_pinned());
    *device = host;
  });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return answer(__func__, [&] {
    const MemoryBlock* block = the_runtime().memory.find(number_of(host));
    require(flags && block && block->is_on_host(), cudaErrorInvalidValue, msg::memory_not_pinned());
    *flags = block->flags | cudaHostAllocMapped;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_line(__func__, to, from, bytes, kind, nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_line(__func__, to, from, bytes, kind, stream, false);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy_line(__func__, to, from, bytes, cudaMemcpyDefault, nullptr, true);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return copy_line(__func__, to, from, bytes, cudaMemcpyDefault, stream, false);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(__func__, to, to_pitch, from, from_pitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy_rows(__func__, to, to_pitch, from, from_pitch, width, height, kind, stream, false);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return set_rows(__func__, to, bytes, value, bytes, 1, nullptr, true);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return set_rows(__func__, to, bytes, value, bytes, 1, stream, false);
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return set_rows(__func__, to, pitch, value, width, height, nullptr, true);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return set_rows(__func__, to, pitch, value, width, height, stream, false);
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return answer(__func__, [&] {
    fill(__func__, side_of(to.ptr, to.pitch, to.ysize), extent.width, extent.height, extent.depth,
         {static_cast<std::uint32_t>(value), 1}, stream_of(nullptr), true);
  });
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return answer(__func__, [&] {
    fill(__func__, side_of(to.ptr, to.pitch, to.ysize), extent.width, extent.height, extent.depth,
         {static_cast<std::uint32_t>(value), 1}, stream_of(stream), false);
  });
}

cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  return answer(__func__, [&] {
    const Memory& memory = the_runtime().memory;
    const std::size_t limit = memory.limit_bytes();
    if (total) *total = limit;
    if (available) *available = limit - std::min(limit, memory.used_bytes(this_thread().device));
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return answer(__func__, [&] {
    require(attributes, cudaErrorInvalidValue, msg::pointer_to_attributes_null());
    *attributes = {};
    const MemoryBlock* block = the_runtime().memory.find(number_of(pointer));
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = block ? block->device : cudaInvalidDeviceId;
    if (!block) {
      attributes->hostPointer = const_cast<void*>(pointer);
      return;
    }
    attributes->type = block->kind == MemoryKind::kManaged ? cudaMemoryTypeManaged
                       : block->is_on_host()               ? cudaMemoryTypeHost
                                                           : cudaMemoryTypeDevice;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (block->is_on_host()) attributes->hostPointer = const_cast<void*>(pointer);
  });
}

}  // extern "C"
#pragma GCC visibility pop
