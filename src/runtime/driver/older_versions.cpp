// Older versions of functions of the driver API, with the older or with the same parameters. Programs built
// with an older CUDA call them, and scripts look them up by name.
#include "runtime/driver/driver.h"

// `symbol` is a text because cuda.h defines most names as macros.
#define OLDER_VERSION(name, symbol, parameters, ...) \
  CUresult name parameters __asm__(symbol);          \
  CUresult name parameters { return __VA_ARGS__; }

namespace {

CUmemLocation location_of(CUdevice device) {
  return device == CU_DEVICE_CPU ? CUmemLocation{CU_MEM_LOCATION_TYPE_HOST, 0}
                                 : CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, device};
}

CUresult create_context(CUcontext* context, CUexecAffinityParam* affinity, int count, unsigned flags,
                        CUdevice device) {
  CUctxCreateParams params{affinity, count, nullptr};
  return cuCtxCreate(context, &params, flags, device);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

OLDER_VERSION(get_uuid_v1, "cuDeviceGetUuid", (CUuuid * uuid, CUdevice device), cuDeviceGetUuid(uuid, device))
OLDER_VERSION(primary_release_v1, "cuDevicePrimaryCtxRelease", (CUdevice device),
              cuDevicePrimaryCtxRelease(device))
OLDER_VERSION(primary_reset_v1, "cuDevicePrimaryCtxReset", (CUdevice device), cuDevicePrimaryCtxReset(device))
OLDER_VERSION(primary_set_flags_v1, "cuDevicePrimaryCtxSetFlags", (CUdevice device, unsigned flags),
              cuDevicePrimaryCtxSetFlags(device, flags))
OLDER_VERSION(elapsed_time_v1, "cuEventElapsedTime", (float* ms, CUevent start, CUevent end),
              cuEventElapsedTime(ms, start, end))
OLDER_VERSION(begin_capture_v1, "cuStreamBeginCapture", (CUstream stream),
              cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL))
OLDER_VERSION(host_register_v1, "cuMemHostRegister", (void* pointer, std::size_t bytes, unsigned flags),
              cuMemHostRegister(pointer, bytes, flags))
OLDER_VERSION(advise_v1, "cuMemAdvise",
              (CUdeviceptr pointer, std::size_t bytes, CUmem_advise advice, CUdevice device),
              cuMemAdvise(pointer, bytes, advice, location_of(device)))
OLDER_VERSION(prefetch_v1, "cuMemPrefetchAsync",
              (CUdeviceptr pointer, std::size_t bytes, CUdevice device, CUstream stream),
              cuMemPrefetchAsync(pointer, bytes, location_of(device), 0, stream))
OLDER_VERSION(prefetch_v1_per_thread, "cuMemPrefetchAsync_ptsz",
              (CUdeviceptr pointer, std::size_t bytes, CUdevice device, CUstream stream),
              (cudalab::runtime::OwnDefaultStream(),
               cuMemPrefetchAsync(pointer, bytes, location_of(device), 0, stream)))
OLDER_VERSION(link_create_v1, "cuLinkCreate",
              (unsigned count, CUjit_option* options, void** values, CUlinkState* state),
              cuLinkCreate(count, options, values, state))
OLDER_VERSION(link_add_data_v1, "cuLinkAddData",
              (CUlinkState state, CUjitInputType type, void* data, std::size_t bytes, const char* name,
               unsigned count, CUjit_option* options, void** values),
              cuLinkAddData(state, type, data, bytes, name, count, options, values))
OLDER_VERSION(link_add_file_v1, "cuLinkAddFile",
              (CUlinkState state, CUjitInputType type, const char* file, unsigned count,
               CUjit_option* options, void** values),
              cuLinkAddFile(state, type, file, count, options, values))
OLDER_VERSION(create_context_v2, "cuCtxCreate_v2", (CUcontext * context, unsigned flags, CUdevice device),
              cuCtxCreate(context, nullptr, flags, device))
OLDER_VERSION(create_context_v3, "cuCtxCreate_v3",
              (CUcontext * context, CUexecAffinityParam* affinity, int count, unsigned flags,
               CUdevice device),
              create_context(context, affinity, count, flags, device))

}  // extern "C"
#pragma GCC visibility pop
