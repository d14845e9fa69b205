// CUDA arrays (`cudaArray_t`, `cudaMipmappedArray_t`), and 3D copies expressed as boxes of bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "core/texture.h"
#include "runtime/copies.h"

namespace cudalab::runtime {

struct Array {
  std::uint64_t address = 0;  // of the first texel, in the virtual GPU
  ArrayShape shape;
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 0;
};

Array* create_array(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned flags);
void destroy_array(cudaArray_const_t handle);
// Throws Failure(cudaErrorInvalidResourceHandle) if `handle` is not an array.
const Array& array_of(cudaArray_const_t handle);
// Whether `address` is an array handle that a program passed as a pointer.
bool is_array(std::uint64_t address);

// The levels of a `cudaMipmappedArray_t`, largest first. Each is half as wide and half as high as the one
// before.
using MipmappedArray = std::vector<const Array*>;
MipmappedArray* create_mipmapped_array(const cudaChannelFormatDesc& format, const cudaExtent& extent,
                                       unsigned levels, unsigned flags);
void destroy_mipmapped_array(cudaMipmappedArray_const_t handle);
const MipmappedArray& mipmapped_array_of(cudaMipmappedArray_const_t handle);

TexelFormat format_of(const cudaChannelFormatDesc& format);
// The side of a copy that begins at (x, y, z) of the array. `x_bytes` counts bytes; y and z count rows and
// slices.
Side side_in(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z);

Box box_of(const cudaMemcpy3DParms& params);

}  // namespace cudalab::runtime
