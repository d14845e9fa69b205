// Wrong calls of the driver API, each with its error. driver_misuse.txt contains the errors of an H200.
// nvcc: -l:libcuda.so.1
#include <cuda_runtime.h>

#include <cstdio>
#include <thread>

#include "../driver_check.h"

static void show(const char* call, CUresult answer) {
  const char* name = "?";
  cuGetErrorName(answer, &name);
  std::printf("%s -> %s\n", call, name);
}

// `...`: a call with commas.
#define TRY(...) show(#__VA_ARGS__, __VA_ARGS__)

int main() {
  CUdevice device = 0;
  CUcontext context = nullptr, other = nullptr, popped = nullptr;
  CUmodule module = nullptr;
  CUfunction add = nullptr, none = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr, fresh = nullptr;
  CUdeviceptr d = 0, e = 0;
  void* pointer = nullptr;
  int number = 0, n = 4;
  unsigned flags = 0;
  size_t size = 0;
  float ms = 0;
  char text[64];

  // before cuInit
  TRY(cuDeviceGetCount(&number));
  TRY(cuDriverGetVersion(&number));
  TRY(cuMemAlloc(&d, 64));
  TRY(cuCtxGetCurrent(&context));
  TRY(cuModuleLoadData(&module, kAddPtx));
  TRY(cuInit(1));
  TRY(cuInit(0));

  // without a context
  TRY(cuMemAlloc(&d, 64));
  TRY(cuModuleLoadData(&module, kAddPtx));
  TRY(cuStreamCreate(&stream, 0));
  TRY(cuEventCreate(&event, 0));
  TRY(cuCtxSynchronize());
  TRY(cuCtxGetCurrent(&context));
  std::printf("%d\n", context == nullptr);
  TRY(cuCtxGetDevice(&device));
  TRY(cuCtxPopCurrent(&context));
  TRY(cuMemGetInfo(&size, &size));
  TRY(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  TRY(cuStreamSynchronize(nullptr));

  // devices
  TRY(cuDeviceGet(&device, 0));
  TRY(cuDeviceGet(&number, 99));
  TRY(cuDeviceGet(&number, -1));
  TRY(cuDeviceGet(nullptr, 0));
  TRY(cuDeviceGetName(text, 64, 99));
  TRY(cuDeviceGetName(nullptr, 64, 0));
  TRY(cuDeviceGetAttribute(&number, (CUdevice_attribute)9999, device));
  TRY(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99));
  TRY(cuDeviceTotalMem(&size, 99));
  TRY(cuDeviceGetByPCIBusId(&number, "zz:99"));

  // contexts
  TRY(cuDevicePrimaryCtxGetState(device, &flags, &number));
  std::printf("%d\n", number);
  TRY(cuDevicePrimaryCtxRelease(device));
  TRY(cuDevicePrimaryCtxRetain(&context, 99));
  TRY(cuDevicePrimaryCtxRetain(&context, device));
  TRY(cuDevicePrimaryCtxGetState(device, &flags, &number));
  std::printf("%d\n", number);
  TRY(cuCtxSetCurrent(context));
  TRY(cuCtxCreate(&other, nullptr, 0, device));
  TRY(cuCtxGetCurrent(&popped));
  std::printf("%d\n", popped == other);
  TRY(cuMemAlloc(&d, 64));
  TRY(cuCtxPopCurrent(&popped));
  std::printf("%d\n", popped == other);
  TRY(cuCtxDestroy(other));
  TRY(cuMemFree(d));
  TRY(cuCtxGetCurrent(&popped));
  std::printf("%d\n", popped == context);
  TRY(cuCtxDestroy(context));
  TRY(cuCtxDestroy(nullptr));
  TRY(cuCtxPushCurrent(nullptr));
  TRY(cuCtxSetCurrent(nullptr));
  TRY(cuMemAlloc(&d, 64));
  TRY(cuCtxSetCurrent(context));
  TRY(cuCtxCreate(&other, nullptr, 0, 99));
  TRY(cuCtxSetLimit((CUlimit)77, 1));
  TRY(cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE));
  TRY(cuCtxEnablePeerAccess(context, 0));
  CUresult in_thread = CUDA_SUCCESS;
  std::thread([&] { in_thread = cuMemAlloc(&e, 4); }).join();
  TRY(in_thread);

  // modules
  TRY(cuModuleLoadData(&module, nullptr));
  TRY(cuModuleLoadData(&module, "no PTX"));
  TRY(cuModuleLoadData(&module, ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k() { foo; }\n"));
  TRY(cuModuleLoadData(&module, ".version 7.8\n.target sm_999\n.address_size 64\n"));
  TRY(cuModuleLoadData(&module, ".version 99.0\n.target sm_70\n.address_size 64\n"));
  TRY(cuModuleLoad(&module, "/no/such/file.ptx"));
  TRY(cuModuleLoadData(&module, kAddPtx));
  TRY(cuModuleGetFunction(&none, module, "subtract"));
  TRY(cuModuleGetFunction(&none, module, nullptr));
  TRY(cuModuleGetFunction(&none, nullptr, "add"));
  TRY(cuModuleGetFunction(&none, module, "factor"));
  TRY(cuModuleGetFunction(&add, module, "add"));
  TRY(cuModuleGetGlobal(&d, &size, module, "add"));
  TRY(cuModuleGetGlobal(&d, &size, module, "nothing"));
  TRY(cuFuncGetAttribute(&number, (CUfunction_attribute)99, add));
  TRY(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
  TRY(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30));
  TRY(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
  TRY(cuFuncGetParamInfo(add, 4, &size, nullptr));

  // memory
  TRY(cuMemAlloc(nullptr, 4));
  TRY(cuMemAlloc(&e, 0));
  TRY(cuMemAlloc(&e, (size_t)1 << 60));
  TRY(cuMemAlloc(&d, 64));
  TRY(cuMemFree(0));
  TRY(cuMemFree(d + 4));
  TRY(cuMemFree((CUdeviceptr)text));
  TRY(cuMemFreeHost(nullptr));
  TRY(cuMemFreeHost(text));
  TRY(cuMemAllocHost(&pointer, 0));
  TRY(cuMemHostAlloc(&pointer, 4, 0x1000));
  TRY(cuMemAllocManaged(&e, 0, CU_MEM_ATTACH_GLOBAL));
  TRY(cuMemAllocManaged(&e, 4, 0));
  TRY(cuMemAllocPitch(&e, &size, 0, 4, 4));
  TRY(cuMemAllocPitch(&e, &size, 4, 4, 3));
  TRY(cuMemHostRegister(nullptr, 4, 0));
  TRY(cuMemHostUnregister(text));
  TRY(cuMemHostGetDevicePointer(&e, text, 0));
  TRY(cuMemHostGetFlags(&flags, text));
  TRY(cuMemGetAddressRange(&e, &size, (CUdeviceptr)text));
  TRY(cuMemGetAddressRange(&e, &size, 0));
  TRY(cuMemcpyHtoD(d, text, 65));
  TRY(cuMemcpyHtoD(d, text, 0));
  TRY(cuMemcpyHtoD(0, text, 4));
  TRY(cuMemcpyDtoH(text, 0, 4));
  TRY(cuMemcpyDtoD(d, d + 8, 8));
  TRY(cuMemcpyHtoD(d, nullptr, 4));
  TRY(cuMemsetD8(d, 0, 65));
  TRY(cuMemsetD8(d, 0, 0));
  TRY(cuMemsetD16(d + 1, 0, 1));
  TRY(cuMemsetD32(d + 2, 0, 1));
  TRY(cuMemsetD8(0, 0, 4));
  TRY(cuMemsetD2D8(d, 4, 0, 8, 2));
  TRY(cuPointerGetAttribute(&number, (CUpointer_attribute)99, d));
  TRY(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, d));
  CUDA_MEMCPY2D copy{};
  TRY(cuMemcpy2D(nullptr));
  TRY(cuMemcpy2D(&copy));
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = d, copy.srcPitch = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = text, copy.dstPitch = 8;
  copy.WidthInBytes = 9, copy.Height = 2;
  TRY(cuMemcpy2D(&copy));
  copy.srcPitch = copy.dstPitch = 0, copy.Height = 1;
  TRY(cuMemcpy2D(&copy));

  // launches
  void* arguments[] = {&d, &d, &d, &n};
  TRY(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  TRY(cuLaunchKernel(add, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  TRY(cuLaunchKernel(add, 1, 1, 1, 0, 1, 1, 0, nullptr, arguments, nullptr));
  TRY(cuLaunchKernel(add, 1, 1, 1, 1025, 1, 1, 0, nullptr, arguments, nullptr));
  TRY(cuLaunchKernel(add, 1, 65536, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 65, 0, nullptr, arguments, nullptr));
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 1 << 20, nullptr, arguments, nullptr));
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  char buffer[28] = {};
  size_t bytes = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  void* half[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_END};
  void* wrong[] = {(void*)7, buffer, CU_LAUNCH_PARAM_END};
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, extra));
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, half));
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, wrong));
  bytes = 40;
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  TRY(cuLaunchKernelEx(nullptr, add, arguments, nullptr));
  TRY(cuLaunchHostFunc(nullptr, nullptr, nullptr));
  TRY(cuCtxSynchronize());

  // streams and events
  TRY(cuStreamCreate(nullptr, 0));
  TRY(cuStreamCreate(&stream, 8));
  TRY(cuStreamCreate(&stream, 0));
  TRY(cuStreamDestroy(nullptr));
  TRY(cuEventCreate(&event, 0x100));
  TRY(cuEventCreate(&event, CU_EVENT_INTERPROCESS));
  TRY(cuEventCreate(&event, 0));
  TRY(cuEventCreate(&fresh, 0));
  TRY(cuEventQuery(fresh));
  TRY(cuEventSynchronize(fresh));
  TRY(cuEventRecord(nullptr, stream));
  TRY(cuEventRecord(event, stream));
  TRY(cuEventSynchronize(event));
  TRY(cuEventElapsedTime(&ms, event, fresh));
  TRY(cuStreamWaitEvent(stream, event, 8));
  TRY(cuStreamGetFlags(stream, nullptr));
  TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, add, 0, 0));
  TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, add, 2048, 0));
  std::printf("%d\n", number);
  TRY(cuGetErrorName((CUresult)12345, (const char**)&pointer));
  TRY(cuMemFree(d));
  TRY(cuMemFree(d));
  TRY(cuEventDestroy(fresh));
  TRY(cuStreamDestroy(stream));
  TRY(cuModuleUnload(module));
  TRY(cuModuleUnload(module));
  TRY(cuDevicePrimaryCtxRelease(device));
  TRY(cuMemAlloc(&d, 64));
  TRY(cuCtxGetCurrent(&popped));
  std::printf("%d\n", popped == context);
}
