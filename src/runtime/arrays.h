// Arrays: what a cudaArray_t stands for, and the boxes that 3D copies speak of.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "core/texture.h"
#include "runtime/copies.h"

namespace cudalab::runtime {

struct Array {
  std::uint64_t address = 0;  // in the virtual GPU
  ArrayShape shape;
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 0;
};

Array* create_array(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned flags);
void destroy_array(cudaArray_const_t handle);
// Throws Failure(cudaErrorInvalidResourceHandle) for what is none.
const Array& array_of(cudaArray_const_t handle);
bool is_array(std::uint64_t address);  // a handle, which a program may take for a pointer

// What a cudaMipmappedArray_t stands for: arrays, each half as wide and high as the one before.
using MipmappedArray = std::vector<const Array*>;
MipmappedArray* create_mipmapped_array(const cudaChannelFormatDesc& format, const cudaExtent& extent,
                                       unsigned levels, unsigned flags);
void destroy_mipmapped_array(cudaMipmappedArray_const_t handle);
const MipmappedArray& mipmapped_array_of(cudaMipmappedArray_const_t handle);

TexelFormat format_of(const cudaChannelFormatDesc& format);
// Of an array, from a place in it: x in bytes.
Side side_in(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z);

Box box_of(const cudaMemcpy3DParms& params);

}  // namespace cudalab::runtime
