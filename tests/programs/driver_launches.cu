// Ways to launch: a buffer of arguments, attributes, dynamic shared memory, a cooperative grid, functions of the
// host between kernels, and a captured graph.
// nvcc: -l:libcuda.so.1
#include "driver_check.h"

// Its arguments have different sizes, so the buffer has gaps; the launch requests shared memory.
const char* const kPtx = R"(
.version 7.8
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 tile[];

.visible .entry mix(.param .u8 small, .param .f64 real, .param .u32 whole, .param .u64 out)
{
  .reg .b16 %rs<2>;
  .reg .b32 %r<5>;
  .reg .f64 %fd<4>;
  .reg .b64 %rd<6>;
  ld.param.u8 %rs1, [small];
  ld.param.f64 %fd1, [real];
  ld.param.u32 %r1, [whole];
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 8;
  cvt.u32.u16 %r3, %rs1;
  add.s32 %r4, %r3, %r1;
  cvt.rn.f64.s32 %fd2, %r4;
  add.f64 %fd3, %fd1, %fd2;
  mov.u64 %rd4, tile;
  cvta.shared.u64 %rd4, %rd4;
  add.s64 %rd4, %rd4, %rd3;
  st.f64 [%rd4], %fd3;
  ld.f64 %fd2, [%rd4];
  add.s64 %rd5, %rd2, %rd3;
  st.global.f64 [%rd5], %fd2;
  ret;
}
)";

struct Arguments {
  unsigned char small;
  double real;
  unsigned whole;
  CUdeviceptr out;
};

// A graph that is captured from launches and copies of the driver API, and runs three times.
void run_graph() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction add;
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CUctxCreateParams parameters = {};  // none
  CHECK(cuCtxCreate(&context, &parameters, 0, device));
  CHECK(cuModuleLoadData(&module, kAddPtx));
  CHECK(cuModuleGetFunction(&add, module, "add"));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr x;
  float* host;
  int n = 32;
  CHECK(cuMemAlloc(&x, n * sizeof(float)));
  CHECK(cuMemAllocHost((void**)&host, n * sizeof(float)));
  for (int i = 0; i < n; i++) host[i] = i;
  CHECK(cuMemcpyHtoD(x, host, n * sizeof(float)));

  CUstreamCaptureStatus status;
  void* arguments[] = {&x, &x, &x, &n};
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  CHECK(cuMemcpyDtoHAsync(host, x, n * sizeof(float), stream));
  CHECK(cuStreamIsCapturing(stream, &status));
  CHECK(cuStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CHECK(cuGraphGetNodes(graph, nullptr, &nodes));
  std::printf("%d %zu\n", status, nodes);
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; i++) CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  std::printf("%g %g\n", host[1], host[31]);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFreeHost(host));
  CHECK(cuMemFree(x));
  CHECK(cuModuleUnload(module));
  CHECK(cuCtxDestroy(context));
}

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction mix;
  CUstream stream;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&mix, module, "mix"));
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  Arguments arguments{200, 0.5, 1000, 0};
  double results[1024];
  CHECK(cuMemAlloc(&arguments.out, sizeof results));

  size_t size = sizeof arguments;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(mix, 1, 1, 1, 4, 1, 1, 4 * sizeof(double), stream, nullptr, extra));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemcpyDtoH(results, arguments.out, 4 * sizeof(double)));
  std::printf("%g %g\n", results[0], results[3]);

  size_t offset, bytes;
  for (size_t i = 0; cuFuncGetParamInfo(mix, i, &offset, &bytes) == CUDA_SUCCESS; ++i)
    std::printf("%zu+%zu ", offset, bytes);
  std::printf("\n");

  // Above the default limit of shared memory per block: 1024 doubles fit, 100 KiB do not.
  void* each[] = {&arguments.small, &arguments.real, &arguments.whole, &arguments.out};
  arguments.whole = 0;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 1024, config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = 100 << 10;
  config.hStream = stream;
  std::printf("%d ", cuLaunchKernelEx(&config, mix, each, nullptr));
  int limit = 0;
  CHECK(cuFuncSetAttribute(mix, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10));
  CHECK(cuFuncGetAttribute(&limit, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, mix));
  std::printf("%d ", limit);
  CHECK(cuLaunchKernelEx(&config, mix, each, nullptr));
  CHECK(cuMemcpyDtoHAsync(results, arguments.out, sizeof results, stream));
  CHECK(cuStreamSynchronize(stream));
  std::printf("%g %g\n", results[0], results[1023]);

  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  config.gridDimX = 1 << 20;
  config.attrs = &cooperative, config.numAttrs = 1;
  std::printf("%d ", cuLaunchKernelEx(&config, mix, each, nullptr));
  std::printf("%d ", cuLaunchCooperativeKernel(mix, 1 << 20, 1, 1, 1024, 1, 1, 8192, stream, each));
  CHECK(cuLaunchCooperativeKernel(mix, 2, 1, 1, 1024, 1, 1, 8192, stream, each));
  int blocks = 0, minimal = 0, best = 0;
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mix, 1024, 8192));
  CHECK(cuOccupancyMaxPotentialBlockSize(&minimal, &best, mix, nullptr, 0, 0));
  std::printf("%d %d %d\n", blocks, minimal > 0, best);

  int order = 0;
  CHECK(cuLaunchHostFunc(stream, [](void* data) { *(int*)data = 1; }, &order));
  CHECK(cuStreamSynchronize(stream));
  std::printf("%d %d\n", order, cuStreamQuery(stream));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFree(arguments.out));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  run_graph();
}
