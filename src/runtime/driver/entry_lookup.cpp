// Finds functions of the driver API by name and version, for cuGetProcAddress and for the functions of the
// runtime API that do the same.
#include <dlfcn.h>

#include <array>
#include <span>
#include <string>

#include "runtime/driver/driver.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// Versions of functions whose parameters changed, by the version of CUDA that introduced them. For all other
// functions, the newest version is used.
struct FunctionVersion {
  std::string_view name;
  const char* symbol;
  int since;
};
constexpr FunctionVersion kVersions[] = {
    {"cuCtxCreate", "cuCtxCreate_v2", 3020},
    {"cuCtxCreate", "cuCtxCreate_v3", 11040},
    {"cuCtxCreate", "cuCtxCreate_v4", 12050},
    {"cuDeviceGetUuid", "cuDeviceGetUuid", 9020},
    {"cuDeviceGetUuid", "cuDeviceGetUuid_v2", 11040},
    {"cuGetProcAddress", "cuGetProcAddress", 11030},
    {"cuGetProcAddress", "cuGetProcAddress_v2", 12000},
    {"cuLibraryLoadData", "cuLibraryLoadData", 12000},
    {"cuLibraryGetKernel", "cuLibraryGetKernel", 12000},
    {"cuMemAdvise", "cuMemAdvise", 8000},
    {"cuMemAdvise", "cuMemAdvise_v2", 12020},
    {"cuMemPrefetchAsync", "cuMemPrefetchAsync", 8000},
    {"cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 12020},
    {"cuStreamBeginCapture", "cuStreamBeginCapture", 10000},
    {"cuStreamBeginCapture", "cuStreamBeginCapture_v2", 10010},
};

void* symbol_called(const std::string& name) {
  static void* const library = [] {
    Dl_info self{};
    ::dladdr(reinterpret_cast<const void*>(&cuInit), &self);
    return ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return library ? ::dlsym(library, name.c_str()) : nullptr;
}

// The variant whose default stream is the thread's own; the function itself if there is no such variant.
void* variant_of(const std::string& symbol, bool is_per_thread) {
  if (is_per_thread)
    for (const char* suffix : {"_ptsz", "_ptds"})
      if (void* found = symbol_called(symbol + suffix)) return found;
  return symbol_called(symbol);
}

bool has_version(std::string_view name) {
  const std::size_t at = name.rfind('_');
  return at != std::string_view::npos;
}

struct Lookup {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
};

Lookup look_up(const std::string& name, int version, bool is_per_thread) {
  if (!name.starts_with("cu") || has_version(name)) return {};
  const char* symbol = nullptr;
  bool has_row = false;
  for (const FunctionVersion& row : kVersions) {
    if (row.name != name) continue;
    has_row = true;
    if (row.since <= version) symbol = row.symbol;
  }
  if (symbol) return {variant_of(symbol, is_per_thread), CU_GET_PROC_ADDRESS_SUCCESS};
  if (has_row) return {nullptr, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT};
  for (const char* suffix : {"_v4", "_v3", "_v2", ""})
    if (void* found = variant_of(name + suffix, is_per_thread)) return {found, CU_GET_PROC_ADDRESS_SUCCESS};
  return {};
}

Lookup look_up(const char* name, void** function, int version, unsigned long long flags) {
  require(name && function, cudaErrorInvalidValue, msg::pointer_null());
  require(flags <= CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, cudaErrorInvalidValue, msg::flag_unknown());
  const Lookup found =
      look_up(std::string(name), version,
              flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ||
                  (flags == CU_GET_PROC_ADDRESS_DEFAULT && this_thread().is_default_its_own));
  *function = found.function;
  return found;
}

cudaError_t look_up_for_runtime(const char* call, const char* name, void** function, unsigned version,
                                unsigned long long flags, cudaDriverEntryPointQueryResult* status) {
  return answer(call, [&] {
    const Lookup found = look_up(name, function, static_cast<int>(version), flags);
    if (status) *status = static_cast<cudaDriverEntryPointQueryResult>(found.status);
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status) {
  return drive("cuGetProcAddress", Needs::kNothing, [&] {
    const Lookup found = look_up(name, function, version, flags);
    if (status) *status = found.status;
    if (!status && !found.function) throw Failure{cudaErrorSymbolNotFound, msg::entry_point_unknown(name)};
  });
}
CUresult get_proc_address_v1(const char* name, void** function, int version,
                             cuuint64_t flags) __asm__("cuGetProcAddress");
CUresult get_proc_address_v1(const char* name, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress(name, function, version, flags, nullptr);
}

// NVIDIA's libraries, such as NVRTC, ask for undocumented tables of functions. They continue without them.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  if (table) *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  return look_up_for_runtime(__func__, name, function, version, flags, status);
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return look_up_for_runtime(__func__, name, function, CUDA_VERSION, flags, status);
}

}  // extern "C"
#pragma GCC visibility pop
