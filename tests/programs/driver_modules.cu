// Modules: from a file, of PTX that is wrong, linked at run time, and libraries.
// nvcc: -l:libcuda.so.1
#include <unistd.h>

#include <cstring>
#include <string>

#include "driver_check.h"

// Linking PTX at run time, and libraries, which belong to no context.
const char* const kTwice = R"(
.version 7.8
.target sm_70
.address_size 64
.visible .func (.reg .b32 result) twice(.reg .b32 x)
{
  shl.b32 result, x, 1;
  ret;
}
)";
const char* const kMain = R"(
.version 7.8
.target sm_70
.address_size 64
.extern .func (.reg .b32 result) twice(.reg .b32 x);
.visible .entry fill(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  call (%r2), twice, (%r1);
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r2;
  ret;
}
)";

void launch(CUfunction fill, CUdeviceptr out) {
  unsigned results[8];
  void* arguments[] = {&out};
  CHECK(cuMemsetD32(out, 0, 8));
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 8, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(results, out, sizeof results));
  std::printf("%u %u\n", results[0], results[7]);
}

void run_link() {
  CUdevice device;
  CUcontext context;
  CUlinkState linking;
  CUmodule module;
  CUfunction fill;
  CUdeviceptr out;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuMemAlloc(&out, 8 * sizeof(unsigned)));

  void* image = nullptr;
  size_t bytes = 0;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &linking));
  CHECK(cuLinkAddData(linking, CU_JIT_INPUT_PTX, (void*)kMain, std::strlen(kMain) + 1, "main.ptx", 0, nullptr,
                      nullptr));
  CHECK(cuLinkAddData(linking, CU_JIT_INPUT_PTX, (void*)kTwice, std::strlen(kTwice) + 1, "twice.ptx", 0,
                      nullptr, nullptr));
  CHECK(cuLinkComplete(linking, &image, &bytes));
  std::printf("%d\n", bytes > 0);
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(linking));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  launch(fill, out);
  CHECK(cuModuleUnload(module));

  CUlibrary library;
  CUkernel kernel;
  unsigned kernels = 0;
  const char* name = "";
  CHECK(cuLibraryLoadData(&library, kAddPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cuLibraryGetKernelCount(&kernels, library));
  CHECK(cuLibraryGetKernel(&kernel, library, "add"));
  CHECK(cuKernelGetName(&name, kernel));
  std::printf("%u %s %d\n", kernels, name, cuLibraryGetKernel(&kernel, library, "sub"));
  float values[4] = {1, 2, 3, 4};
  int n = 4;
  CHECK(cuMemcpyHtoD(out, values, sizeof values));
  void* arguments[] = {&out, &out, &out, &n};
  // A kernel is launched as a function.
  CHECK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuKernelGetFunction(&fill, kernel));
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(values, out, sizeof values));
  std::printf("%g %g\n", values[0], values[3]);
  CUdeviceptr factor;
  CHECK(cuLibraryGetGlobal(&factor, &bytes, library, "factor"));
  std::printf("%zu\n", bytes);
  CHECK(cuLibraryUnload(library));
  CHECK(cuMemFree(out));
  CHECK(cuDevicePrimaryCtxRelease(device));
}

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction add, none = nullptr;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxPushCurrent(context));

  const std::string file = "/tmp/driver_module_" + std::to_string(getpid()) + ".ptx";
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs(kAddPtx, out);
  std::fclose(out);
  CHECK(cuModuleLoad(&module, file.c_str()));
  std::remove(file.c_str());

  unsigned functions = 0;
  int registers = 0, threads = 0, shared = -1;
  CHECK(cuModuleGetFunction(&add, module, "add"));
  CHECK(cuModuleGetFunctionCount(&functions, module));
  CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, add));
  CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
  CHECK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, add));
  const char* name = "";
  CHECK(cuFuncGetName(&name, add));
  std::printf("%u %s %d %d %d\n", functions, name, registers > 0, threads, shared);
  std::printf("%d %d\n", cuModuleGetFunction(&none, module, "ad"), none == nullptr);

  // The variable of the module.
  CUdeviceptr factor, missing;
  size_t bytes = 0;
  float value = 0, three = 3;
  CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  CHECK(cuMemcpyDtoH(&value, factor, sizeof value));
  CHECK(cuMemcpyHtoD(factor, &three, sizeof three));
  std::printf("%zu %g %d\n", bytes, value, cuModuleGetGlobal(&missing, nullptr, module, "factors"));
  float a[4] = {1, 2, 3, 4}, c[4];
  int n = 4;
  CUdeviceptr da, dc;
  CHECK(cuMemAlloc(&da, sizeof a));
  CHECK(cuMemAlloc(&dc, sizeof c));
  CHECK(cuMemcpyHtoD(da, a, sizeof a));
  void* arguments[] = {&da, &da, &dc, &n};
  CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(c, dc, sizeof c));
  std::printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
  CHECK(cuModuleUnload(module));

  // Each module has its own variable, which begins with its initial value.
  for (int i = 0; i < 3; ++i) {
    CHECK(cuModuleLoadDataEx(&module, kAddPtx, 0, nullptr, nullptr));
    CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    CHECK(cuMemcpyDtoH(&value, factor, sizeof value));
    std::printf("%g ", value);
    CHECK(cuMemcpyHtoD(factor, &three, sizeof three));
    CHECK(cuModuleUnload(module));
  }

  // PTX with a mistake: the log names it.
  char log[1000] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, (void*)sizeof log};
  std::string wrong = kAddPtx;
  wrong.replace(wrong.find("mad.lo.s32"), 10, "mad.lo.x32");
  std::printf("%d ", cuModuleLoadDataEx(&module, wrong.c_str(), 2, options, values));
  std::printf("%d\n", log[0] != 0);
  CHECK(cuMemFree(da));
  CHECK(cuMemFree(dc));
  CHECK(cuCtxPopCurrent(&context));
  CHECK(cuDevicePrimaryCtxRelease(device));
  run_link();
}
