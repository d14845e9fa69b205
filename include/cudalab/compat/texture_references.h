// Texture references, which CUDA 12 removed, on top of texture objects: programs that declare `texture<float, 2> image;` compile
// and run unchanged. `cudalab run --compat texture-references FILE` includes this file before the program.
//
// A reference is a __device__ variable. The host works with its own copy of the variable; binding makes a texture object from the
// copy and the memory, and writes its handle to the device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#ifdef __NVCC__
#pragma nv_diag_suppress 20091, 20092, 20094  // host code reads and writes the host's copy
#endif

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03

namespace texture_references {

// What a fetch returns: the element, or a number in [0, 1] or [-1, 1] for cudaReadModeNormalizedFloat.
template <class T, cudaTextureReadMode mode>
struct Fetched {
  using Type = T;
};
template <>
struct Fetched<unsigned char, cudaReadModeNormalizedFloat> {
  using Type = float;
};
template <>
struct Fetched<signed char, cudaReadModeNormalizedFloat> {
  using Type = float;
};
template <>
struct Fetched<char, cudaReadModeNormalizedFloat> {
  using Type = float;
};
template <>
struct Fetched<unsigned short, cudaReadModeNormalizedFloat> {
  using Type = float;
};
template <>
struct Fetched<short, cudaReadModeNormalizedFloat> {
  using Type = float;
};
template <>
struct Fetched<uchar2, cudaReadModeNormalizedFloat> {
  using Type = float2;
};
template <>
struct Fetched<ushort2, cudaReadModeNormalizedFloat> {
  using Type = float2;
};
template <>
struct Fetched<uchar4, cudaReadModeNormalizedFloat> {
  using Type = float4;
};
template <>
struct Fetched<char4, cudaReadModeNormalizedFloat> {
  using Type = float4;
};
template <>
struct Fetched<ushort4, cudaReadModeNormalizedFloat> {
  using Type = float4;
};

template <class T, int components>
struct Components {
  using Component = T;
  static constexpr int count = components;
};
// The number and the type of the components of a texel.
template <class T>
struct Texel : Components<T, 1> {};
#define CUDALAB_TEXELS(name, type)                       \
  template <>                                            \
  struct Texel<name##1> : Components<type, 1> {};        \
  template <>                                            \
  struct Texel<name##2> : Components<type, 2> {};        \
  template <>                                            \
  struct Texel<name##4> : Components<type, 4> {};
CUDALAB_TEXELS(char, signed char)
CUDALAB_TEXELS(uchar, unsigned char)
CUDALAB_TEXELS(short, short)
CUDALAB_TEXELS(ushort, unsigned short)
CUDALAB_TEXELS(int, int)
CUDALAB_TEXELS(uint, unsigned int)
CUDALAB_TEXELS(float, float)
#undef CUDALAB_TEXELS

template <class T>
__host__ __device__ constexpr cudaChannelFormatKind kind_of() {
  using Component = typename Texel<T>::Component;
  return static_cast<Component>(0.5) != Component(0) ? cudaChannelFormatKindFloat
         : static_cast<Component>(-1) < Component(0) ? cudaChannelFormatKindSigned
                                                     : cudaChannelFormatKindUnsigned;
}
template <class T>
__host__ __device__ constexpr int bits_of(int component) {
  return component < Texel<T>::count ? static_cast<int>(8 * sizeof(typename Texel<T>::Component)) : 0;
}
template <class T>
__host__ __device__ constexpr cudaChannelFormatDesc channels_of() {
  return {bits_of<T>(0), bits_of<T>(1), bits_of<T>(2), bits_of<T>(3), kind_of<T>()};
}

}  // namespace texture_references

struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  cudaTextureObject_t object;  // 0: not bound

  __host__ __device__ constexpr textureReference(int is_normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                                                 cudaTextureAddressMode address = cudaAddressModeClamp,
                                                 cudaChannelFormatDesc channels = {})
      : normalized(is_normalized),
        filterMode(filter),
        addressMode{address, address, address},
        channelDesc(channels),
        sRGB(0),
        maxAnisotropy(0),
        mipmapFilterMode(cudaFilterModePoint),
        mipmapLevelBias(0),
        minMipmapLevelClamp(0),
        maxMipmapLevelClamp(0),
        object(0) {}
};

template <class T, int dimensions = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {
  __host__ __device__ constexpr texture(int is_normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                                        cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference(is_normalized, filter, address, texture_references::channels_of<T>()) {}
};

// ---- fetches -------------------------------------------------------------------------------------------------------------------

#define CUDALAB_FETCHED typename texture_references::Fetched<T, mode>::Type
template <class T, cudaTextureReadMode mode>
__device__ __forceinline__ CUDALAB_FETCHED tex1Dfetch(const texture<T, 1, mode>& reference, int x) {
  return ::tex1Dfetch<CUDALAB_FETCHED>(reference.object, x);
}
template <class T, cudaTextureReadMode mode>
__device__ __forceinline__ CUDALAB_FETCHED tex1D(const texture<T, 1, mode>& reference, float x) {
  return ::tex1D<CUDALAB_FETCHED>(reference.object, x);
}
template <class T, cudaTextureReadMode mode>
__device__ __forceinline__ CUDALAB_FETCHED tex2D(const texture<T, 2, mode>& reference, float x, float y) {
  return ::tex2D<CUDALAB_FETCHED>(reference.object, x, y);
}
template <class T, cudaTextureReadMode mode>
__device__ __forceinline__ CUDALAB_FETCHED tex3D(const texture<T, 3, mode>& reference, float x, float y, float z) {
  return ::tex3D<CUDALAB_FETCHED>(reference.object, x, y, z);
}
#undef CUDALAB_FETCHED

// ---- binding -------------------------------------------------------------------------------------------------------------------

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaUnbindTexture(texture<T, dimensions, mode>& reference) {
  if (reference.object == 0) return cudaSuccess;
  const cudaError_t error = cudaDestroyTextureObject(reference.object);
  reference.object = 0;
  return error;
}

namespace texture_references {

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t bind(texture<T, dimensions, mode>& reference, const cudaResourceDesc& resource) {
  cudaUnbindTexture(reference);
  cudaTextureDesc description = {};
  for (int i = 0; i < 3; ++i) description.addressMode[i] = reference.addressMode[i];
  description.filterMode = reference.filterMode;
  description.readMode = mode;
  description.normalizedCoords = reference.normalized;
  description.sRGB = reference.sRGB;
  const cudaError_t error = cudaCreateTextureObject(&reference.object, &resource, &description, nullptr);
  return error != cudaSuccess ? error
                              : cudaMemcpyToSymbol(reference, &reference.object, sizeof reference.object,
                                                   reinterpret_cast<const char*>(&reference.object) - reinterpret_cast<const char*>(&reference));
}

// Elements that a reference over linear memory may have.
constexpr std::size_t kMostElements = std::size_t(1) << 27;

}  // namespace texture_references

template <class T, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture(std::size_t* offset, texture<T, 1, mode>& reference, const void* memory, const cudaChannelFormatDesc& format,
                                   std::size_t bytes = texture_references::kMostElements * sizeof(T)) {
  if (offset) *offset = 0;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(memory);
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = bytes;
  return texture_references::bind(reference, resource);
}
template <class T, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture(std::size_t* offset, texture<T, 1, mode>& reference, const void* memory,
                                   std::size_t bytes = texture_references::kMostElements * sizeof(T)) {
  return cudaBindTexture(offset, reference, memory, cudaCreateChannelDesc<T>(), bytes);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture2D(std::size_t* offset, texture<T, dimensions, mode>& reference, const void* memory,
                                     const cudaChannelFormatDesc& format, std::size_t width, std::size_t height, std::size_t pitch) {
  if (offset) *offset = 0;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = const_cast<void*>(memory);
  resource.res.pitch2D.desc = format;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return texture_references::bind(reference, resource);
}
template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture2D(std::size_t* offset, texture<T, dimensions, mode>& reference, const void* memory, std::size_t width,
                                     std::size_t height, std::size_t pitch) {
  return cudaBindTexture2D(offset, reference, memory, cudaCreateChannelDesc<T>(), width, height, pitch);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTextureToArray(texture<T, dimensions, mode>& reference, cudaArray_const_t array, const cudaChannelFormatDesc&) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return texture_references::bind(reference, resource);
}
template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTextureToArray(texture<T, dimensions, mode>& reference, cudaArray_const_t array) {
  return cudaBindTextureToArray(reference, array, cudaChannelFormatDesc{});
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaGetTextureAlignmentOffset(std::size_t* offset, const texture<T, dimensions, mode>&) {
  *offset = 0;
  return cudaSuccess;
}

// ---- copies that went with them ------------------------------------------------------------------------------------------------

#if CUDART_VERSION >= 13000
namespace texture_references {

// Bytes of one row of an array; `count` bytes fill whole rows from its beginning.
inline std::size_t row_bytes(cudaArray_const_t array) {
  cudaChannelFormatDesc format = {};
  cudaExtent extent = {};
  unsigned int flags = 0;
  if (cudaArrayGetInfo(&format, &extent, &flags, const_cast<cudaArray_t>(array)) != cudaSuccess) return 0;
  return extent.width * static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

}  // namespace texture_references

inline cudaError_t cudaMemcpyToArray(cudaArray_t array, std::size_t column, std::size_t row, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  const std::size_t width = texture_references::row_bytes(array);
  if (width == 0 || bytes <= width - column) return cudaMemcpy2DToArray(array, column, row, from, bytes, bytes, 1, kind);
  return cudaMemcpy2DToArray(array, column, row, from, width, width, bytes / width, kind);
}
inline cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t array, std::size_t column, std::size_t row, std::size_t bytes,
                                       cudaMemcpyKind kind) {
  const std::size_t width = texture_references::row_bytes(array);
  if (width == 0 || bytes <= width - column) return cudaMemcpy2DFromArray(to, bytes, array, column, row, bytes, 1, kind);
  return cudaMemcpy2DFromArray(to, width, array, column, row, width, bytes / width, kind);
}
#endif

inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

// Behind everything above, which needs the plain name.
#define texture __device__ texture
