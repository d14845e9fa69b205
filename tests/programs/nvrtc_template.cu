// A kernel that is compiled at run time: a template with its lowered name, a log of errors, a header, a constant.
// nvcc: -l:libcuda.so.1 -lnvrtc
#include <nvrtc.h>

#include <cstring>
#include <string>
#include <vector>

#include "driver_check.h"

#define CHECK_NVRTC(call)                                                            \
  do {                                                                               \
    nvrtcResult result_ = (call);                                                    \
    if (result_ != NVRTC_SUCCESS) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, nvrtcGetErrorString(result_));  \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (0)

const char* const kSource = R"(
#include "offset.h"
__constant__ int shift;
template <class T, int kFactor>
__global__ void scale(T* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * kFactor + kOffset + shift;
}
)";

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  nvrtcProgram program;
  const char *header = "constexpr int kOffset = 5;\n", *header_name = "offset.h";
  CHECK_NVRTC(nvrtcCreateProgram(&program, kSource, "scale.cu", 1, &header, &header_name));
  CHECK_NVRTC(nvrtcAddNameExpression(program, "scale<double, 3>"));
  CHECK_NVRTC(nvrtcAddNameExpression(program, "&shift"));
  const char* options[] = {"--gpu-architecture=compute_90", "--std=c++17", "-lineinfo"};
  CHECK_NVRTC(nvrtcCompileProgram(program, 3, options));
  size_t size = 0;
  CHECK_NVRTC(nvrtcGetPTXSize(program, &size));
  std::vector<char> ptx(size);
  CHECK_NVRTC(nvrtcGetPTX(program, ptx.data()));
  const char *kernel_name = nullptr, *variable_name = nullptr;
  CHECK_NVRTC(nvrtcGetLoweredName(program, "scale<double, 3>", &kernel_name));
  CHECK_NVRTC(nvrtcGetLoweredName(program, "&shift", &variable_name));
  std::printf("%s %s\n", kernel_name, variable_name);

  CUmodule module;
  CUfunction scale;
  CUdeviceptr x, shift;
  CHECK(cuModuleLoadData(&module, ptx.data()));
  CHECK(cuModuleGetFunction(&scale, module, kernel_name));
  CHECK(cuModuleGetGlobal(&shift, &size, module, variable_name));
  CHECK_NVRTC(nvrtcDestroyProgram(&program));
  int n = 1000, one = 1;
  std::vector<double> host(n);
  for (int i = 0; i < n; i++) host[i] = i;
  CHECK(cuMemAlloc(&x, n * sizeof(double)));
  CHECK(cuMemcpyHtoD(x, host.data(), n * sizeof(double)));
  CHECK(cuMemcpyHtoD(shift, &one, sizeof one));
  void* arguments[] = {&x, &n};
  CHECK(cuLaunchKernel(scale, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(host.data(), x, n * sizeof(double)));
  std::printf("%g %g %g\n", host[0], host[1], host[n - 1]);
  CHECK(cuMemFree(x));
  CHECK(cuModuleUnload(module));

  CHECK_NVRTC(nvrtcCreateProgram(&program, "__global__ void k() { y = 1; }", "wrong.cu", 0, nullptr, nullptr));
  std::printf("%s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 1, options)));
  CHECK_NVRTC(nvrtcGetProgramLogSize(program, &size));
  std::vector<char> log(size);
  CHECK_NVRTC(nvrtcGetProgramLog(program, log.data()));
  std::printf("%d\n", std::strstr(log.data(), "wrong.cu") != nullptr);
  CHECK_NVRTC(nvrtcDestroyProgram(&program));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
