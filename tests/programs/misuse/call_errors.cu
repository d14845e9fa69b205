// The errors of runtime calls with wrong arguments: one line per call.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void nothing() {}
__global__ void dynamic_shared(float* out) {
  extern __shared__ float s[];
  if (out) out[0] = s[0];
}
__constant__ float symbol[16];

static void say(const char* call, cudaError_t error) {
  std::printf("%-52s %s\n", call, cudaGetErrorName(error));
  cudaGetLastError();
}
#define CALL(...) say(#__VA_ARGS__, __VA_ARGS__)

template <class Launch>
static void launch(const char* what, Launch launch) {
  launch();
  const cudaError_t at_launch = cudaGetLastError();
  const cudaError_t at_end = cudaDeviceSynchronize();
  std::printf("%-52s %s, then %s\n", what, cudaGetErrorName(at_launch), cudaGetErrorName(at_end));
  cudaGetLastError();
}
#define LAUNCH(...) launch(#__VA_ARGS__, [&] { __VA_ARGS__; })

static void launches() {
  float* none = nullptr;
  LAUNCH(nothing<<<1, 1025>>>());
  LAUNCH(nothing<<<1, 2048>>>());
  LAUNCH(nothing<<<0, 32>>>());
  LAUNCH(nothing<<<1, 0>>>());
  LAUNCH(nothing<<<dim3(1, 65536), 32>>>());
  LAUNCH(nothing<<<dim3(1, 1, 65536), 32>>>());
  LAUNCH(nothing<<<dim3(1, 65535), 1>>>());
  LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>());
  LAUNCH(nothing<<<1, dim3(1, 1, 64)>>>());
  LAUNCH(nothing<<<1, dim3(32, 33)>>>());
  LAUNCH(nothing<<<-1, 32>>>());
  LAUNCH(dynamic_shared<<<1, 32, 48 * 1024>>>(none));
  LAUNCH(dynamic_shared<<<1, 32, 48 * 1024 + 1>>>(none));
  LAUNCH(dynamic_shared<<<1, 32, 300 * 1024>>>(none));
  LAUNCH(nothing<<<1, 32, -1>>>());
  CALL(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  LAUNCH(dynamic_shared<<<1, 32, 64 * 1024>>>(none));
  LAUNCH(dynamic_shared<<<1, 32, 64 * 1024 + 4>>>(none));
  CALL(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  CALL(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  CALL(cudaLaunchKernel((const void*)nullptr, dim3(1), dim3(32), nullptr, 0, nullptr));
  CALL(cudaLaunchKernel((const void*)&launches, dim3(1), dim3(32), nullptr, 0, nullptr));
  CALL(cudaLaunchCooperativeKernel((const void*)&nothing, dim3(1 << 20), dim3(1024), nullptr, 0, nullptr));
}

static void copies() {
  std::vector<float> host(256);
  float *device = nullptr, *other = nullptr;
  CALL(cudaMalloc(&device, 1024));
  CALL(cudaMalloc(&other, 1024));
  CALL(cudaMemcpy(device, host.data(), 1024, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpy(host.data(), device, 1024, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(device, host.data(), 1024, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy(host.data(), device, 1024, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy(device, other, 1024, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(device, other, 1024, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpy(device, other, 1024, cudaMemcpyHostToHost));
  CALL(cudaMemcpy(host.data(), host.data() + 128, 512, cudaMemcpyHostToHost));
  CALL(cudaMemcpy(host.data(), host.data() + 128, 512, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy(host.data(), host.data() + 128, 512, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(device, host.data(), 1024, cudaMemcpyDefault));
  CALL(cudaMemcpy(device, host.data(), 1024, (cudaMemcpyKind)7));
  CALL(cudaMemcpy(nullptr, host.data(), 1024, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(device, nullptr, 1024, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(device, host.data(), 0, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(device, host.data(), 0, (cudaMemcpyKind)7));
  CALL(cudaMemcpyAsync(device, host.data(), 1024, cudaMemcpyDeviceToHost, nullptr));
  CALL(cudaMemcpy2D(device, 16, host.data(), 64, 32, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2D(device, 64, host.data(), 16, 32, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2D(device, 64, host.data(), 64, 32, 4, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpyToSymbol(symbol, host.data(), 64));
  CALL(cudaMemcpyToSymbol(symbol, host.data(), 68));
  CALL(cudaMemcpyToSymbol(symbol, host.data(), 64, 4));
  CALL(cudaMemcpyToSymbol(symbol, host.data(), 64, 0, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpyToSymbol(host.data(), host.data(), 64));
  CALL(cudaMemset(device, 0, 1024));
  CALL(cudaMemset(host.data(), 0, 1024));
  CALL(cudaMemset(nullptr, 0, 1024));
  CALL(cudaMemset(nullptr, 0, 0));
  CALL(cudaMemset2D(device, 16, 0, 32, 4));
  CALL(cudaFree(device));
  CALL(cudaFree(device));
  CALL(cudaFree(other + 1));
  CALL(cudaFree(host.data()));
  CALL(cudaFree(nullptr));
  CALL(cudaFree(other));
  CALL(cudaMemcpy(host.data(), other, 1024, cudaMemcpyDeviceToHost));
}

static void memory() {
  void* p = nullptr;
  size_t pitch = 0;
  CALL(cudaMalloc(&p, 0));
  std::printf("pointer of nothing %s\n", p ? "set" : "null");
  CALL(cudaMalloc((void**)nullptr, 16));
  CALL(cudaMalloc(&p, (size_t)1 << 50));
  CALL(cudaMallocPitch(&p, &pitch, 0, 4));
  CALL(cudaMallocHost(&p, 0));
  CALL(cudaMallocHost(&p, 4096));
  CALL(cudaFree(p));
  CALL(cudaFreeHost(p));
  CALL(cudaFreeHost(p));
  CALL(cudaFreeHost(nullptr));
  CALL(cudaMallocManaged(&p, 0));
  CALL(cudaMallocManaged(&p, 4096, 3));
  CALL(cudaMallocManaged(&p, 4096));
  CALL(cudaFreeHost(p));
  CALL(cudaFree(p));
  std::vector<char> host(8192);
  CALL(cudaHostRegister(host.data(), 8192, cudaHostRegisterDefault));
  CALL(cudaHostRegister(host.data(), 8192, cudaHostRegisterDefault));
  CALL(cudaHostUnregister(host.data()));
  CALL(cudaHostUnregister(host.data()));
  CALL(cudaHostGetDevicePointer(&p, host.data(), 0));
  CALL(cudaHostAlloc(&p, 4096, 64));
  CALL(cudaGetSymbolAddress(&p, (const void*)host.data()));
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>(), three{32, 32, 32, 0, cudaChannelFormatKindFloat};
  CALL(cudaMallocArray(&array, &one, 0, 0));
  CALL(cudaMallocArray(&array, &three, 16, 16));
  CALL(cudaMallocArray(&array, &one, 1 << 20, 0));
  CALL(cudaMallocArray(&array, &one, 16, 1 << 20));
  CALL(cudaFreeArray(nullptr));
}

static void others() {
  int number = 0;
  cudaDeviceProp properties;
  CALL(cudaSetDevice(99));
  CALL(cudaSetDevice(-1));
  CALL(cudaGetDeviceProperties(&properties, 99));
  CALL(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 99));
  CALL(cudaDeviceGetAttribute(&number, (cudaDeviceAttr)100000, 0));
  CALL(cudaDeviceEnablePeerAccess(0, 0));
  CALL(cudaDeviceCanAccessPeer(&number, 0, 0));
  CALL(cudaGetDevice(nullptr));
  CALL(cudaGetDeviceCount(nullptr));
  cudaEvent_t a, b;
  float ms = 0;
  CALL(cudaEventCreate(&a));
  CALL(cudaEventCreate(&b));
  CALL(cudaEventElapsedTime(&ms, a, b));
  CALL(cudaEventQuery(a));
  CALL(cudaEventSynchronize(a));
  CALL(cudaEventRecord(a));
  CALL(cudaEventElapsedTime(&ms, a, b));
  CALL(cudaEventRecord(b));
  CALL(cudaEventSynchronize(b));
  CALL(cudaEventElapsedTime(&ms, a, b));
  CALL(cudaEventElapsedTime(nullptr, a, b));
  CALL(cudaEventDestroy(nullptr));
  CALL(cudaEventCreateWithFlags(&a, 64));
  cudaEvent_t untimed;
  CALL(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CALL(cudaEventRecord(untimed));
  CALL(cudaEventElapsedTime(&ms, untimed, b));
  cudaStream_t stream;
  CALL(cudaStreamCreateWithFlags(&stream, 64));
  CALL(cudaStreamCreate(&stream));
  cudaGraph_t graph = nullptr;
  CALL(cudaStreamEndCapture(stream, &graph));
  CALL(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  CALL(cudaStreamDestroy(nullptr));
  CALL(cudaStreamWaitEvent(stream, nullptr, 0));
  int blocks = 0;
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 2048, 0));
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 128, 1 << 20));
  CALL(cudaDeviceSetLimit((cudaLimit)99, 1));
  CALL(cudaDeviceSetCacheConfig((cudaFuncCache)9));
  cudaTextureObject_t texture = 0;
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
  CALL(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  CALL(cudaDestroyTextureObject(0));
  cudaPointerAttributes attributes;
  CALL(cudaPointerGetAttributes(&attributes, &number));
  std::printf("type %d\n", (int)attributes.type);
  CALL(cudaPointerGetAttributes(&attributes, nullptr));
  std::printf("%s / %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
}

int main() {
  launches();
  copies();
  memory();
  others();
}
