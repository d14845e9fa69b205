// Wrong calls, each with its error. misuse.txt contains the errors of an H200.
#include "try.h"

#include <cstdlib>
#include <vector>

__global__ void idle(int* x) {
  if (x) *x = 1;
}
__global__ void with_tile(int* x) {
  __shared__ int tile[1000];
  tile[threadIdx.x] = 1;
  __syncthreads();
  if (x) *x = tile[0];
}
__device__ int variable[4];
__constant__ int fixed[4];
int no_symbol;

#define TRY_LAUNCH(...)                     \
  do {                                      \
    __VA_ARGS__;                            \
    show(#__VA_ARGS__, cudaPeekAtLastError()); \
  } while (0)

int main() {
  int *device, *other, *pinned, *managed, host[64] = {};
  void* pointer;
  size_t size, pitch;
  int number;
  float ms;
  cudaMalloc(&device, 256);
  cudaMalloc(&other, 256);
  cudaMallocHost(&pinned, 256);
  cudaMallocManaged(&managed, 256);
  cudaStream_t stream, destroyed;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&destroyed);
  cudaEvent_t event, fresh, untimed;
  cudaEventCreate(&event);
  cudaEventCreate(&fresh);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  cudaEventRecord(event);
  cudaEventRecord(untimed);
  cudaDeviceSynchronize();
  cudaGetLastError();
  cudaDeviceProp properties;

  // memory
  TRY(cudaMalloc((void**)nullptr, 4));
  TRY(cudaMalloc(&pointer, 0));
  TRY(cudaMalloc(&pointer, (size_t)1 << 60));
  TRY(cudaFree(nullptr));
  TRY(cudaFree(host));
  TRY(cudaFree(device + 1));
  TRY(cudaFree(pinned));
  TRY(cudaFreeHost(nullptr));
  TRY(cudaFreeHost(device));
  TRY(cudaFreeHost(host));
  TRY(cudaFreeHost(managed));
  TRY(cudaMallocHost((void**)nullptr, 4));
  TRY(cudaMallocHost(&pointer, 0));
  TRY(cudaHostAlloc(&pointer, 4, 0x1000));
  TRY(cudaMallocManaged(&pointer, 0));
  TRY(cudaMallocManaged(&pointer, 4, 0x10));
  TRY(cudaMallocPitch(&pointer, &pitch, 0, 0));
  TRY(cudaMallocPitch(&pointer, (size_t*)nullptr, 4, 4));
  TRY(cudaHostRegister(nullptr, 4, 0));
  TRY(cudaHostRegister(host, 0, 0));
  TRY(cudaHostRegister(pinned, 256, 0));
  TRY(cudaHostUnregister(host));
  TRY(cudaHostUnregister(nullptr));
  TRY(cudaHostUnregister(pinned));
  TRY(cudaHostGetDevicePointer(&pointer, host, 0));
  TRY(cudaHostGetDevicePointer(&pointer, pinned, 1));
  TRY(cudaHostGetDevicePointer((void**)nullptr, pinned, 0));
  TRY(cudaMemGetInfo(nullptr, nullptr));
  TRY(cudaPointerGetAttributes(nullptr, device));
  // copies
  TRY(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(nullptr, host, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(device, nullptr, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(host, nullptr, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy(host, device, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(device, host, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy(device, host, 4, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpy(host, device, 4, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpy(device, host, 4, (cudaMemcpyKind)7));
  TRY(cudaMemcpy(device, host, 4, (cudaMemcpyKind)-1));
  TRY(cudaMemcpy(device, host, 257, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(device + 32, other, 256, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpy(host, device + 63, 8, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy(pinned, device, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(device, pinned, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy(managed, host, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(managed, host, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyAsync(device, host, 4, cudaMemcpyDeviceToHost, 0));
  TRY(cudaMemcpyAsync(device, host, 4, (cudaMemcpyKind)9, stream));
  TRY(cudaMemcpy2D(device, 8, host, 8, 16, 2, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(device, 16, host, 8, 16, 2, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(device, 128, host, 16, 16, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(device, 16, host, 16, 0, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(device, 16, host, 16, 16, 2, (cudaMemcpyKind)8));
  TRY(cudaMemset(nullptr, 0, 4));
  TRY(cudaMemset(host, 0, 4));
  TRY(cudaMemset(device, 0, 0));
  TRY(cudaMemset(device, 0, 257));
  TRY(cudaMemset(pinned, 0, 4));
  TRY(cudaMemset2D(device, 8, 0, 16, 2));
  TRY(cudaMemsetAsync(host, 0, 4, stream));
  // symbols
  TRY(cudaMemcpyToSymbol(no_symbol, host, 4));
  TRY(cudaMemcpyToSymbol(variable, host, 20));
  TRY(cudaMemcpyToSymbol(variable, host, 4, 16));
  TRY(cudaMemcpyToSymbol(fixed, host, 20));
  TRY(cudaMemcpyToSymbol(variable, host, 4, 0, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyToSymbol(variable, nullptr, 4));
  TRY(cudaMemcpyFromSymbol(host, no_symbol, 4));
  TRY(cudaMemcpyFromSymbol(host, variable, 20));
  TRY(cudaMemcpyFromSymbol(host, variable, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaGetSymbolAddress(&pointer, no_symbol));
  TRY(cudaGetSymbolSize(&size, no_symbol));
  // launches
  TRY_LAUNCH(idle<<<1, 1025>>>(nullptr));
  TRY_LAUNCH(idle<<<1, 0>>>(nullptr));
  TRY_LAUNCH(idle<<<0, 1>>>(nullptr));
  TRY_LAUNCH(idle<<<dim3(1, 65536), 1>>>(nullptr));
  TRY_LAUNCH(idle<<<dim3(1, 1, 65536), 1>>>(nullptr));
  TRY_LAUNCH(idle<<<1, dim3(1, 1, 65)>>>(nullptr));
  TRY_LAUNCH(idle<<<1, dim3(1, 1025, 1)>>>(nullptr));
  TRY_LAUNCH(idle<<<1, 32, 49153>>>(nullptr));
  TRY_LAUNCH(idle<<<1, 32, 1 << 20>>>(nullptr));
  TRY_LAUNCH(with_tile<<<1, 32, 46000>>>(nullptr));
  TRY_LAUNCH(idle<<<1, 32, 0, destroyed>>>(nullptr));
  void* arguments[] = {&device};
  TRY(cudaLaunchKernel((void*)idle, dim3(1), dim3(1025), arguments, 0, 0));
  TRY(cudaLaunchKernel((void*)idle, dim3(0), dim3(1), arguments, 0, 0));
  TRY(cudaLaunchKernel((void*)idle, dim3(1), dim3(1), arguments, 1 << 20, 0));
  TRY(cudaLaunchKernel(nullptr, dim3(1), dim3(1), arguments, 0, 0));
  TRY(cudaLaunchKernel((void*)show, dim3(1), dim3(1), arguments, 0, 0));
  TRY(cudaLaunchCooperativeKernel((void*)idle, dim3(1000000), dim3(1024), arguments, 0, 0));
  TRY(cudaFuncSetAttribute(idle, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  TRY(cudaFuncSetAttribute(idle, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  TRY(cudaFuncSetAttribute(idle, (cudaFuncAttribute)77, 1));
  TRY(cudaFuncGetAttributes(nullptr, idle));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, idle, 0, 0));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, idle, 2000, 0));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor((int*)nullptr, idle, 32, 0));
  TRY(cudaLaunchHostFunc(stream, nullptr, nullptr));
  // streams and events
  TRY(cudaStreamCreate((cudaStream_t*)nullptr));
  TRY(cudaStreamCreateWithFlags(&destroyed, 0x80));
  TRY(cudaStreamDestroy(nullptr));
  TRY(cudaStreamQuery(stream));
  TRY(cudaStreamWaitEvent(stream, fresh, 0));
  TRY(cudaStreamWaitEvent(stream, nullptr, 0));
  TRY(cudaStreamWaitEvent(stream, event, 8));
  TRY(cudaStreamEndCapture(stream, (cudaGraph_t*)&pointer));
  TRY(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  TRY(cudaEventCreate((cudaEvent_t*)nullptr));
  TRY(cudaEventCreateWithFlags(&event, 0x80));
  TRY(cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  cudaEventCreate(&event);
  cudaEventRecord(event);
  TRY(cudaEventDestroy(nullptr));
  TRY(cudaEventRecord(nullptr));
  TRY(cudaEventSynchronize(nullptr));
  TRY(cudaEventSynchronize(fresh));
  TRY(cudaEventQuery(fresh));
  TRY(cudaEventElapsedTime(&ms, fresh, event));
  TRY(cudaEventElapsedTime(&ms, event, fresh));
  TRY(cudaEventElapsedTime(&ms, untimed, event));
  TRY(cudaEventElapsedTime((float*)nullptr, event, event));
  TRY(cudaEventElapsedTime(&ms, nullptr, event));
  // devices
  TRY(cudaSetDevice(-1));
  TRY(cudaSetDevice(99));
  TRY(cudaGetDevice(nullptr));
  TRY(cudaGetDeviceCount(nullptr));
  TRY(cudaGetDeviceProperties(&properties, 99));
  TRY(cudaGetDeviceProperties(nullptr, 0));
  TRY(cudaDeviceGetAttribute(&number, (cudaDeviceAttr)9999, 0));
  TRY(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 99));
  TRY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  TRY(cudaDeviceEnablePeerAccess(0, 0));
  TRY(cudaDeviceEnablePeerAccess(99, 0));
  TRY(cudaDeviceDisablePeerAccess(0));
  TRY(cudaDeviceCanAccessPeer(&number, 0, 99));
  TRY(cudaDeviceSetLimit((cudaLimit)99, 1));
  TRY(cudaDeviceGetLimit(&size, (cudaLimit)99));
  TRY(cudaSetDeviceFlags(0x1000));
  TRY(cudaDriverGetVersion(nullptr));
  TRY(cudaRuntimeGetVersion(nullptr));
  // arrays, textures, graphs
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  cudaArray_t array, none;
  cudaMallocArray(&array, &format, 8, 8);
  TRY(cudaMallocArray(&none, &format, 0, 8));
  TRY(cudaMallocArray(&none, &three, 8, 8));
  TRY(cudaMallocArray(&none, nullptr, 8, 8));
  TRY(cudaFreeArray(nullptr));
  TRY(cudaMemcpy2DToArray(array, 0, 0, host, 32, 36, 1, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 9, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(array, 0, 0, host, 16, 32, 2, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 1, cudaMemcpyDeviceToHost));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture = {};
  cudaTextureObject_t object;
  TRY(cudaCreateTextureObject(nullptr, &resource, &texture, nullptr));
  TRY(cudaCreateTextureObject(&object, nullptr, &texture, nullptr));
  TRY(cudaCreateTextureObject(&object, &resource, nullptr, nullptr));
  TRY(cudaCreateSurfaceObject(&object, &resource));
  TRY(cudaDestroyTextureObject(0));
  TRY(cudaGraphCreate(nullptr, 0));
  TRY(cudaGraphLaunch(nullptr, stream));
  TRY(cudaGraphDestroy(nullptr));
  TRY(cudaMallocAsync(nullptr, 4, stream));
  TRY(cudaFreeAsync(nullptr, stream));
  // a second free
  cudaFree(other);
  TRY(cudaFree(other));
  TRY(cudaMemcpy(other, host, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemset(other, 0, 4));
  cudaFreeHost(pinned);
  TRY(cudaFreeHost(pinned));
  // a fault, and everything after it
  idle<<<1, 1>>>((int*)16);
  TRY(cudaGetLastError());
  TRY(cudaDeviceSynchronize());
  TRY(cudaDeviceSynchronize());
  TRY(cudaMalloc(&pointer, 4));
  TRY(cudaFree(device));
  TRY(cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost));
  TRY(cudaStreamSynchronize(stream));
  TRY(cudaStreamQuery(stream));
  TRY(cudaEventRecord(event));
  TRY(cudaEventElapsedTime(&ms, event, event));
  TRY(cudaPeekAtLastError());
  TRY(cudaGetDeviceCount(&number));
  TRY(cudaGetDevice(&number));
  TRY(cudaSetDevice(0));
  TRY_LAUNCH(idle<<<1, 1>>>(nullptr));
  TRY(cudaDeviceReset());
  TRY(cudaMalloc(&pointer, 4));
}
