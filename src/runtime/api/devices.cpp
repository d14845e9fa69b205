// Devices: how many, which one, what they are, waiting for them, and peers.
#include <algorithm>
#include <cstring>

#include "runtime/call.h"
#include "runtime/device_properties.h"
#include "runtime/modules/modules.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

constexpr int kVersion = 13000;

void require_device(int device) {
  require(device >= 0 && device < the_runtime().settings.devices, cudaErrorInvalidDevice,
          "there is no such device");
}

cudaDeviceProp own_properties(int device) {
  return properties_of(the_runtime().card(), the_runtime().memory.limit_bytes(), device);
}

cudaError_t set_version(const char* call, int* version) {
  return answer_always(call, [&] {
    require(version, cudaErrorInvalidValue, "the pointer to the version is null");
    *version = kVersion;
  });
}

// A limit of the device: stored, and told again.
std::size_t& limit_of(cudaLimit limit) {
  static std::size_t values[] = {1024, 1048576, 8388608, 2, 2048, 64, 0};
  require(limit >= 0 && static_cast<std::size_t>(limit) < std::size(values), cudaErrorInvalidValue,
          "there is no such limit");
  return values[limit];
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return answer_always(__func__, [&] {
    require(count, cudaErrorInvalidValue, "the pointer to the number is null");
    *count = the_runtime().settings.devices;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return answer_always(__func__, [&] {
    require(device, cudaErrorInvalidValue, "the pointer to the device is null");
    *device = this_thread().device;
  });
}
cudaError_t cudaSetDevice(int device) {
  return answer_always(__func__, [&] {
    require_device(device);
    this_thread().device = device;
  });
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return answer(__func__, [&] { require_device(device); });
}
cudaError_t cudaSetValidDevices(int* devices, int count) {
  return answer(__func__, [&] {
    for (int i = 0; devices && i < count; ++i) require_device(devices[i]);
  });
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  return answer(__func__, [&] {
    require(device && properties, cudaErrorInvalidValue, "a pointer is null");
    *device = 0;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return answer_always(__func__, [&] {
    require(properties, cudaErrorInvalidValue, "the pointer to the properties is null");
    require_device(device);
    *properties = own_properties(device);
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return answer_always(__func__, [&] {
    require(value, cudaErrorInvalidValue, "the pointer to the value is null");
    require_device(device);
    const auto found = attribute_of(the_runtime().card(), own_properties(device), attribute);
    require(found.has_value(), cudaErrorInvalidValue, "there is no such attribute");
    *value = *found;
  });
}
cudaError_t cudaDeviceSynchronize() {
  return answer(__func__, [&] {
    for (const Stream* stream : the_runtime().queue.streams())
      require(!stream->capture, cudaErrorStreamCaptureUnsupported, "a stream is being captured into a graph");
    the_runtime().queue.wait_for_device(this_thread().device);
  });
}
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset() {
  return answer_always(__func__, [&] {
    Runtime& state = the_runtime();
    const int device = this_thread().device;
    if (state.lost == cudaSuccess) state.queue.wait_for_device(device);
    state.queue.drop_pending();
    state.memory.free_all(device);
    state.gpu.free_heap();
    // What a kernel's fault took down stays down: the process has to end.
    if (state.lost != cudaSuccess) state.lost = cudaErrorDevicesUnavailable;
    this_thread().last_error = cudaSuccess;
  });
}
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

cudaError_t cudaDriverGetVersion(int* version) { return set_version(__func__, version); }
cudaError_t cudaRuntimeGetVersion(int* version) { return set_version(__func__, version); }

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return answer(__func__, [&] {
    limit_of(limit) = value;
    if (limit == cudaLimitMallocHeapSize) the_runtime().gpu.set_heap_bytes(value);
  });
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return answer(__func__, [&] {
    require(value, cudaErrorInvalidValue, "the pointer to the value is null");
    *value = limit_of(limit);
  });
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return answer(__func__, [] {});
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return answer(__func__, [&] {
    require(config, cudaErrorInvalidValue, "the pointer is null");
    *config = cudaFuncCachePreferNone;
  });
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return answer(__func__, [] {});
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return answer(__func__, [&] {
    require(config, cudaErrorInvalidValue, "the pointer is null");
    *config = cudaSharedMemBankSizeFourByte;
  });
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return answer(__func__, [&] {
    require((flags & ~cudaDeviceMask) == 0, cudaErrorInvalidValue, "there is no such flag");
  });
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return answer(__func__, [&] {
    require(flags, cudaErrorInvalidValue, "the pointer to the flags is null");
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
  });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return answer(__func__, [&] {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
  });
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return answer(__func__, [&] {
    require(text && length > 12, cudaErrorInvalidValue, "there is no room for the name");
    require_device(device);
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return answer(__func__, [&] {
    require(device && text, cudaErrorInvalidValue, "a pointer is null");
    unsigned domain = 0, bus = 0;
    require(std::sscanf(text, "%x:%x", &domain, &bus) == 2, cudaErrorInvalidValue,
            "this names no place of a card");
    require_device(static_cast<int>(bus) - 1);
    *device = static_cast<int>(bus) - 1;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return answer(__func__, [&] {
    require(can, cudaErrorInvalidValue, "the pointer to the answer is null");
    require_device(device);
    require_device(peer);
    *can = device != peer;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return answer(__func__, [&] {
    require(flags == 0, cudaErrorInvalidValue, "the flags are not 0");
    require_device(peer);
    require(peer != this_thread().device, cudaErrorPeerAccessUnsupported, "a device is no peer of itself");
    require(the_runtime().peers.insert({this_thread().device, peer}).second,
            cudaErrorPeerAccessAlreadyEnabled, "the peer was enabled before");
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return answer(__func__, [&] {
    require_device(peer);
    require(the_runtime().peers.erase({this_thread().device, peer}) > 0, cudaErrorPeerAccessNotEnabled,
            "the peer was not enabled");
  });
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int device, int peer) {
  return answer(__func__, [&] {
    require(value, cudaErrorInvalidValue, "the pointer to the value is null");
    require_device(device);
    require_device(peer);
    require(device != peer, cudaErrorInvalidDevice, "a device is no peer of itself");
    *value = 1;
  });
}

cudaError_t cudaProfilerStart() {
  return answer(__func__, [] {});
}
cudaError_t cudaProfilerStop() {
  return answer(__func__, [] {});
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int threads, std::size_t shared_bytes,
                                                                   unsigned) {
  return answer(__func__, [&] {
    require(blocks && threads > 0, cudaErrorInvalidValue, "there is no block of such a size");
    *blocks = blocks_on_multiprocessor(the_runtime().modules.kernel_of(function), this_thread().device,
                                       threads, shared_bytes);
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                      int) {
  return answer(__func__, [&] {
    require(bytes && blocks > 0, cudaErrorInvalidValue, "there is no such number of blocks");
    const KernelRef& kernel = the_runtime().modules.kernel_of(function);
    const LoadedKernel loaded = the_runtime().modules.load(kernel, this_thread().device);
    const vgpu::Card& card = the_runtime().card();
    const std::size_t each = card.shared_per_multiprocessor / static_cast<std::size_t>(blocks);
    const std::size_t taken = loaded.info().static_shared_bytes + card.shared_reserved_per_block;
    *bytes = std::min(each - std::min(each, taken), most_dynamic_shared(kernel, loaded.info()));
  });
}

}  // extern "C"
#pragma GCC visibility pop
