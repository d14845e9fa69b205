// Finds the driver API at run time: dlopen, cuGetProcAddress, and the names of errors.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

int main() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return std::printf("%s\n", dlerror()), 1;
  const auto init = (CUresult(*)(unsigned))dlsym(driver, "cuInit");
  const auto find = (CUresult(*)(const char*, void**, int, cuuint64_t,
                                 CUdriverProcAddressQueryResult*))dlsym(driver, "cuGetProcAddress_v2");
  const auto name = (CUresult(*)(CUresult, const char**))dlsym(driver, "cuGetErrorName");
  const auto text = (CUresult(*)(CUresult, const char**))dlsym(driver, "cuGetErrorString");
  const char* word = nullptr;
  name(init(1), &word);
  std::printf("%s ", word);
  name(init(0), &word);
  std::printf("%s\n", word);
  for (int code : {0, 1, 2, 3, 100, 201, 209, 218, 400, 500, 700, 720, 801, 999}) {
    const char* sentence = nullptr;
    name((CUresult)code, &word), text((CUresult)code, &sentence);
    std::printf("%d %s: %s\n", code, word, sentence);
  }
  std::printf("%d ", name((CUresult)12345, &word));
  std::printf("%d\n", word == nullptr);

  const auto is = [&](const char* base, int version, cuuint64_t flags, const char* symbol) {
    void* found = nullptr;
    CUdriverProcAddressQueryResult result{};
    const CUresult code = find(base, &found, version, flags, &result);
    std::printf("%s %d: %d %d %d\n", base, version, code, result,
                found && (!symbol || found == dlsym(driver, symbol)));
  };
  is("cuMemAlloc", 13000, 0, "cuMemAlloc_v2");
  is("cuLaunchKernel", 13000, 0, "cuLaunchKernel");
  is("cuLaunchKernel", 13000, 2, "cuLaunchKernel_ptsz");
  is("cuMemcpyHtoD", 12000, 2, "cuMemcpyHtoD_v2_ptds");
  is("cuStreamCreate", 13000, 2, "cuStreamCreate");
  is("cuCtxCreate", 3020, 0, "cuCtxCreate_v2");
  is("cuCtxCreate", 11040, 0, "cuCtxCreate_v3");
  is("cuCtxCreate", 13000, 0, "cuCtxCreate_v4");
  is("cuDeviceGetUuid", 11030, 0, "cuDeviceGetUuid");
  is("cuDeviceGetUuid", 11040, 0, "cuDeviceGetUuid_v2");
  is("cuLibraryLoadData", 11000, 0, nullptr);
  is("cuNoSuchFunction", 13000, 0, nullptr);
  is("cuMemAlloc_v2", 13000, 0, nullptr);

  void* allocate = nullptr;
  cudaDriverEntryPointQueryResult result{};
  std::printf("%d ", cudaGetDriverEntryPointByVersion("cuMemAlloc", &allocate, 13000, cudaEnableDefault, &result));
  std::printf("%d %d\n", result, allocate == dlsym(driver, "cuMemAlloc_v2"));
}
