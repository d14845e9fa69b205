// Memory that is allocated and freed in the order of a stream, and the pools that it comes from.
#include <map>

#include "runtime/call.h"
#include "runtime/streams/graph.h"
#include "runtime/streams/launching.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// A pool's attributes are kept and told again: memory is the device's whatever a pool says.
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
  require(own_pools().contains(pool), cudaErrorInvalidValue, "this is no pool of memory");
  return *pool;
}

cudaMemPool_t handle_of(Pool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

// Whether an attribute is a whole number of 32 bits; the others have 64.
bool is_flag(cudaMemPoolAttr attribute) { return attribute <= cudaMemPoolReuseAllowInternalDependencies; }

cudaError_t allocate(const char* call, void** pointer, std::size_t bytes, cudaStream_t stream) {
  return answer(call, [&] {
    require(pointer, cudaErrorInvalidValue, "the pointer to the pointer is null");
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
    require(the_runtime().memory.begins_at(address), cudaErrorInvalidValue, "the pointer leads to no memory");
    if (stream.capture && stream.capture->owns(address)) return;  // freed with the graph
    submit(stream, {.name = "cudaFreeAsync", .engine = Engine::kNone, .run = [address] {
                      Memory& memory = the_runtime().memory;
                      if (memory.begins_at(address)) memory.free(address, false);
                      return Outcome{};
                    }});
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return answer(__func__, [&] {
    require(pool, cudaErrorInvalidValue, "the pointer to the pool is null");
    require(device >= 0 && device < the_runtime().settings.devices, cudaErrorInvalidDevice,
            "there is no such device");
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
    require(pool && properties, cudaErrorInvalidValue, "a pointer is null");
    auto* made = new Pool{properties->location.id, {}};
    own_pools().insert(made);
    *pool = handle_of(*made);
  });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return answer(__func__, [&] {
    Pool& pool = pool_of(handle);
    require(own_pools().erase(&pool) > 0, cudaErrorInvalidValue, "a device's own pool cannot be destroyed");
    delete &pool;
  });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return answer(__func__, [&] {
    require(value, cudaErrorInvalidValue, "the pointer to the value is null");
    pool_of(pool).attributes[attribute] = is_flag(attribute)
                                              ? static_cast<std::uint64_t>(*static_cast<int*>(value))
                                              : *static_cast<std::uint64_t*>(value);
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return answer(__func__, [&] {
    require(value, cudaErrorInvalidValue, "the pointer to the value is null");
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
