// The C++ side of the runtime API: overloads by type, variables of the device by name, and makers of small
// structures, as the CUDA Runtime API reference lists them under "C++ API Routines".
#pragma once

#include "../cuda_runtime_api.h"
#include "qualifiers.h"

// What clang's host code names before a launch; cudaLaunchKernel is then called by the kernel's stub.
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = nullptr);

// ---- memory ------------------------------------------------------------------------------------------
template <class T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return ::cudaMalloc((void**)pointer, bytes);
}
template <class T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = 0) {
  return flags == 0 ? ::cudaMallocHost((void**)pointer, bytes) : ::cudaHostAlloc((void**)pointer, bytes, flags);
}
template <class T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
  return ::cudaHostAlloc((void**)pointer, bytes, flags);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void**)device, host, flags);
}
template <class T>
inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void**)pointer, bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void**)pointer, pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
  return ::cudaMallocAsync((void**)pointer, bytes, stream);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)pointer, bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)pointer, bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t bytes = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void*)pointer, bytes, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

// ---- variables of the device -------------------------------------------------------------------------
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void*)&symbol, from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr) {
  return ::cudaMemcpyToSymbolAsync((const void*)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, (const void*)&symbol, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = nullptr) {
  return ::cudaMemcpyFromSymbolAsync(to, (const void*)&symbol, bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return ::cudaGetSymbolAddress(address, (const void*)&symbol);
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  return ::cudaGetSymbolSize(bytes, (const void*)&symbol);
}

// ---- kernels -----------------------------------------------------------------------------------------
template <class T>
inline cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                                    cudaStream_t stream = nullptr) {
  return ::cudaLaunchKernel((const void*)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class T>
inline cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return ::cudaLaunchCooperativeKernel((const void*)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class... Parameters, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                      Arguments&&... arguments) {
  return [&](Parameters... values) {
    void* addresses[] = {(void*)&values..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void*)kernel, addresses);
  }(static_cast<Arguments&&>(arguments)...);
}
template <class T>
inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute((const void*)kernel, attribute, value);
}
template <class T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return ::cudaFuncGetAttributes(attributes, (const void*)kernel);
}
template <class T>
inline cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void*)kernel, config);
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int threads,
                                                                 size_t shared_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)kernel, threads, shared_bytes);
}
// The block size that keeps most threads of an SM busy: all multiples of a warp are asked, the largest first.
template <class T, class SharedBytes>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T kernel,
                                                                  SharedBytes shared_bytes_of, int limit = 0) {
  int device = 0, processors = 0, most = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = ::cudaGetDevice(&device);
  if (!error) error = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (!error) error = ::cudaFuncGetAttributes(&attributes, (const void*)kernel);
  if (error) return error;
  if (limit <= 0 || limit > attributes.maxThreadsPerBlock) limit = attributes.maxThreadsPerBlock;
  for (int threads = limit; threads > 0; threads = (threads - 1) / 32 * 32) {
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)kernel, threads,
                                                            shared_bytes_of(threads));
    if (error) return error;
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    *block = threads;
    *grid = blocks * processors;
  }
  return cudaSuccess;
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel, size_t shared_bytes = 0,
                                                      int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [=](int) { return shared_bytes; }, limit);
}

// ---- small structures --------------------------------------------------------------------------------
CUDALAB_BOTH cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return cudaExtent{width, height, depth};
}
CUDALAB_BOTH cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }
CUDALAB_BOTH cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
  return cudaPitchedPtr{pointer, pitch, width, height};
}

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc();
#define CUDALAB_CHANNELS(type, bits, kind)                                                                        \
  template <>                                                                                                     \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                                    \
    return cudaChannelFormatDesc{bits, 0, 0, 0, kind};                                                            \
  }
#define CUDALAB_CHANNELS_OF(prefix, element, bits, kind)                                                          \
  CUDALAB_CHANNELS(element, bits, kind)                                                                           \
  CUDALAB_CHANNELS(prefix##1, bits, kind)                                                                         \
  template <>                                                                                                     \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<prefix##2>() {                                               \
    return cudaChannelFormatDesc{bits, bits, 0, 0, kind};                                                         \
  }                                                                                                               \
  template <>                                                                                                     \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<prefix##4>() {                                               \
    return cudaChannelFormatDesc{bits, bits, bits, bits, kind};                                                   \
  }
CUDALAB_CHANNELS_OF(char, signed char, 8, cudaChannelFormatKindSigned)
CUDALAB_CHANNELS_OF(uchar, unsigned char, 8, cudaChannelFormatKindUnsigned)
CUDALAB_CHANNELS_OF(short, short, 16, cudaChannelFormatKindSigned)
CUDALAB_CHANNELS_OF(ushort, unsigned short, 16, cudaChannelFormatKindUnsigned)
CUDALAB_CHANNELS_OF(int, int, 32, cudaChannelFormatKindSigned)
CUDALAB_CHANNELS_OF(uint, unsigned int, 32, cudaChannelFormatKindUnsigned)
CUDALAB_CHANNELS_OF(float, float, 32, cudaChannelFormatKindFloat)
CUDALAB_CHANNELS(char, 8, cudaChannelFormatKindSigned)
#undef CUDALAB_CHANNELS_OF
#undef CUDALAB_CHANNELS
