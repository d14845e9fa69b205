// Vector addition by the driver API: PTX is loaded at run time, launched, and timed with events.
// nvcc: -l:libcuda.so.1
#include "driver_check.h"

int main() {
  CUdevice device;
  CUcontext context, current;
  CUmodule module;
  CUfunction add;
  CUstream stream;
  CUevent begin, end;
  int count, major, minor, warp;
  CHECK(cuInit(0));
  CHECK(cuDeviceGetCount(&count));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  CHECK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  std::printf("%d %d.%d %d\n", count > 0, major, minor, warp);
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuCtxGetCurrent(&current));
  CHECK(cuModuleLoadData(&module, kAddPtx));
  CHECK(cuModuleGetFunction(&add, module, "add"));

  int n = 1000;
  const size_t bytes = n * sizeof(float);
  float a[1000], b[1000], c[1000];
  for (int i = 0; i < n; i++) a[i] = i, b[i] = 2 * i;
  CUdeviceptr da, db, dc;
  CHECK(cuMemAlloc(&da, bytes));
  CHECK(cuMemAlloc(&db, bytes));
  CHECK(cuMemAlloc(&dc, bytes));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CHECK(cuMemcpyHtoDAsync(da, a, bytes, stream));
  CHECK(cuMemcpyHtoDAsync(db, b, bytes, stream));
  void* arguments[] = {&da, &db, &dc, &n};
  CHECK(cuEventRecord(begin, stream));
  CHECK(cuLaunchKernel(add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  CHECK(cuEventRecord(end, stream));
  CHECK(cuMemcpyDtoHAsync(c, dc, bytes, stream));
  CHECK(cuStreamSynchronize(stream));
  float ms = 0;
  CHECK(cuEventElapsedTime(&ms, begin, end));
  std::printf("%g %g %g, %d %d\n", c[0], c[1], c[n - 1], ms > 0, current == context);

  CHECK(cuEventDestroy(begin));
  CHECK(cuEventDestroy(end));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFree(da));
  CHECK(cuMemFree(db));
  CHECK(cuMemFree(dc));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
