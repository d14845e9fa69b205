// A program that compiles for the architecture of its GPU at run time and loads the machine code.
// nvcc: -l:libcuda.so.1 -lnvrtc
#include <nvrtc.h>

#include <string>
#include <vector>

#include "driver_check.h"

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  int major, minor;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));

  const std::string target = "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor);
  const char* const options[] = {target.c_str(), "-lineinfo"};
  const char* const source = "extern \"C\" __global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }";
  nvrtcProgram program;
  size_t bytes = 0;
  if (nvrtcCreateProgram(&program, source, "square.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return 1;
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) return 2;
  if (nvrtcGetCUBINSize(program, &bytes) != NVRTC_SUCCESS || bytes == 0) return 3;
  std::vector<char> code(bytes);
  if (nvrtcGetCUBIN(program, code.data()) != NVRTC_SUCCESS) return 4;
  nvrtcDestroyProgram(&program);

  CUmodule module;
  CUfunction square;
  CUdeviceptr x;
  CHECK(cuModuleLoadData(&module, code.data()));
  CHECK(cuModuleGetFunction(&square, module, "square"));
  int values[32];
  for (int i = 0; i < 32; ++i) values[i] = i;
  CHECK(cuMemAlloc(&x, sizeof values));
  CHECK(cuMemcpyHtoD(x, values, sizeof values));
  void* arguments[] = {&x};
  CHECK(cuLaunchKernel(square, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(values, x, sizeof values));
  std::printf("%d %d\n", values[2], values[31]);
  CHECK(cuMemFree(x));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
