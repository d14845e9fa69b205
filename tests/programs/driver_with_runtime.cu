// Both APIs in one program: they share the context, streams, events, memory, and kernels.
// nvcc: -l:libcuda.so.1
#include <cuda_runtime.h>

#include "driver_check.h"

__global__ void scale(float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

int main() {
  int n = 256;
  const size_t bytes = n * sizeof(float);
  float host[256], *x;
  for (int i = 0; i < n; i++) host[i] = i;
  // The runtime makes the primary context current; the driver API finds it.
  cudaMalloc(&x, bytes);
  CUcontext current = nullptr, primary = nullptr;
  CUdevice device = -1;
  CHECK(cuCtxGetCurrent(&current));
  CHECK(cuCtxGetDevice(&device));
  CHECK(cuDevicePrimaryCtxRetain(&primary, device));
  std::printf("%d %d\n", device, current == primary);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  CHECK(cuMemcpyHtoDAsync((CUdeviceptr)x, host, bytes, stream));
  scale<<<1, 256, 0, stream>>>(x, 2, n);
  CUmodule module;
  CUfunction add;
  CHECK(cuModuleLoadData(&module, kAddPtx));
  CHECK(cuModuleGetFunction(&add, module, "add"));
  void* arguments[] = {&x, &x, &x, &n};
  CHECK(cuLaunchKernel(add, 1, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  CUevent event;
  CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CHECK(cuEventRecord(event, stream));
  std::printf("%d\n", cudaEventSynchronize(event));
  cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[1], host[255]);

  // A kernel of the runtime is a function of the driver API.
  cudaFunction_t function;
  cudaGetFuncBySymbol(&function, (const void*)scale);
  float half = 0.5f;
  void* scaling[] = {&x, &half, &n};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, stream, scaling, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(host, (CUdeviceptr)x, bytes));
  std::printf("%g %g\n", host[1], host[255]);

  // The driver's memory in a call of the runtime, and its error, which the runtime does not remember.
  CUdeviceptr y;
  CHECK(cuMemAlloc(&y, bytes));
  std::printf("%d ", cudaMemset((void*)y, 0, bytes));
  std::printf("%d ", cuMemFree(y + 8));
  std::printf("%d ", cudaGetLastError());
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, (void*)y);
  std::printf("%d %d\n", attributes.type, attributes.device);
  std::printf("%d\n", cudaFree((void*)y));
  cudaFree(x);
  cudaStreamDestroy(stream);
  CHECK(cuEventDestroy(event));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
