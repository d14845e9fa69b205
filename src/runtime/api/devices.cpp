// The runtime API's devices: count, selection, properties, synchronization, limits and peer access.
#include <algorithm>

#include "messages/runtime.h"
#include "runtime/call.h"
#include "runtime/device_properties.h"
#include "runtime/modules/modules.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

constexpr int kVersion = 13000;

void require_device(int device) {
  require(device >= 0 && device < the_runtime().settings.devices, cudaErrorInvalidDevice,
          msg::device_unknown());
}

cudaDeviceProp own_properties(int device) {
  return properties_of(the_runtime().card(), the_runtime().memory.limit_bytes(), device);
}

cudaError_t set_version(const char* call, int* version) {
  return answer_always(call, [&] {
    require(version, cudaErrorInvalidValue, msg::pointer_to_version_null());
    *version = kVersion;
  });
}

// Limits of the device are stored and returned, and have no other effect.
std::size_t& limit_of(cudaLimit limit) {
  static std::size_t values[] = {1024, 1048576, 8388608, 2, 2048, 64, 0};
  require(limit >= 0 && static_cast<std::size_t>(limit) < std::size(values), cudaErrorInvalidValue,
          msg::device_limit_unknown());
  return values[limit];
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return answer_always(__func__, [&] {
    require(count, cudaErrorInvalidValue, msg::pointer_to_number_null());
    *count = the_runtime().settings.devices;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return answer_always(__func__, [&] {
    require(device, cudaErrorInvalidValue, msg::pointer_to_device_null());
    *device = this_thread().device;
  });
}
cudaError_t cudaSetDevice(int device) {
  return answer_always(__func__, [&] {
    require_device(device);
    this_thread().device = device;
    set_current_context(&primary_context(device));
    enter_runtime_api(true);
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
    require(device && properties, cudaErrorInvalidValue, msg::pointer_null());
    *device = 0;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return answer_always(__func__, [&] {
    require(properties, cudaErrorInvalidValue, msg::pointer_to_properties_null());
    require_device(device);
    *properties = own_properties(device);
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return answer_always(__func__, [&] {
    require(value, cudaErrorInvalidValue, msg::pointer_to_value_null());
    require_device(device);
    const auto found = attribute_of(the_runtime().card(), own_properties(device), attribute);
    require(found.has_value(), cudaErrorInvalidValue, msg::attribute_unknown());
    *value = *found;
  });
}
cudaError_t cudaDeviceSynchronize() {
  return answer(__func__, [&] {
    for (const Stream* stream : the_runtime().queue.streams())
      require(!stream->capture, cudaErrorStreamCaptureUnsupported, msg::capture_in_progress());
    the_runtime().queue.wait_for_device(this_thread().device);
    note_synchronization();
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
    // After a kernel's fault the device stays unusable until the process ends.
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
    require(value, cudaErrorInvalidValue, msg::pointer_to_value_null());
    *value = limit_of(limit);
  });
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return answer(__func__, [&] {
    require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual, cudaErrorInvalidValue,
            msg::cache_config_unknown(static_cast<int>(config)));
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return answer(__func__, [&] {
    require(config, cudaErrorInvalidValue, msg::the_pointer_null());
    *config = cudaFuncCachePreferNone;
  });
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return answer(__func__, [] {});
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return answer(__func__, [&] {
    require(config, cudaErrorInvalidValue, msg::the_pointer_null());
    *config = cudaSharedMemBankSizeFourByte;
  });
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return answer(__func__,
                [&] { require((flags & ~cudaDeviceMask) == 0, cudaErrorInvalidValue, msg::flag_unknown()); });
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return answer(__func__, [&] {
    require(flags, cudaErrorInvalidValue, msg::pointer_to_flags_null());
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
    require(text && length > 12, cudaErrorInvalidValue, msg::device_name_without_room());
    require_device(device);
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return answer(__func__, [&] {
    require(device && text, cudaErrorInvalidValue, msg::pointer_null());
    unsigned domain = 0, bus = 0;
    require(std::sscanf(text, "%x:%x", &domain, &bus) == 2, cudaErrorInvalidValue,
            msg::device_name_of_no_card());
    require_device(static_cast<int>(bus) - 1);
    *device = static_cast<int>(bus) - 1;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return answer(__func__, [&] {
    require(can, cudaErrorInvalidValue, msg::pointer_to_answer_null());
    require_device(device);
    require_device(peer);
    *can = device != peer;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return answer(__func__, [&] {
    require(flags == 0, cudaErrorInvalidValue, msg::flags_not_zero());
    require_device(peer);
    require(peer != this_thread().device, cudaErrorPeerAccessUnsupported, msg::peer_of_itself());
    require(the_runtime().peers.insert({this_thread().device, peer}).second,
            cudaErrorPeerAccessAlreadyEnabled, msg::peer_enabled_before());
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return answer(__func__, [&] {
    require_device(peer);
    require(the_runtime().peers.erase({this_thread().device, peer}) > 0, cudaErrorPeerAccessNotEnabled,
            msg::peer_not_enabled());
  });
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int device, int peer) {
  return answer(__func__, [&] {
    require(value, cudaErrorInvalidValue, msg::pointer_to_value_null());
    require_device(device);
    require_device(peer);
    require(device != peer, cudaErrorInvalidDevice, msg::peer_of_itself());
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
    require(blocks && threads > 0, cudaErrorInvalidValue, msg::occupancy_block_size_impossible());
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
    require(bytes && blocks > 0, cudaErrorInvalidValue, msg::occupancy_block_count_impossible());
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
