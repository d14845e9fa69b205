// Creates and destroys CUDA arrays. The texels are in the virtual GPU, row by row, in the layout that
// vgpu/memory/texture_table.h describes.
#include "runtime/arrays.h"

#include <algorithm>
#include <bit>
#include <map>

#include "messages/runtime.h"
#include "vgpu/memory/texture_table.h"

namespace cudalab::runtime {
namespace {

std::map<const void*, std::unique_ptr<Array>>& arrays() {
  static std::map<const void*, std::unique_ptr<Array>> known;
  return known;
}

std::map<const void*, std::unique_ptr<MipmappedArray>>& mipmapped_arrays() {
  static std::map<const void*, std::unique_ptr<MipmappedArray>> known;
  return known;
}

Array* add_array(std::uint64_t address, const Array& like, const ArrayShape& shape,
                 const cudaExtent& extent) {
  auto array = std::make_unique<Array>(like);
  array->address = address;
  array->shape = shape;
  array->extent = extent;
  Array* handle = array.get();
  arrays()[handle] = std::move(array);
  return handle;
}

// The faces of a cube map are layers.
bool has_layers(unsigned flags) { return (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0; }

ArrayShape shape_of(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned flags) {
  const bool is_cubes = (flags & cudaArrayCubemap) != 0, is_layered = has_layers(flags);
  require(extent.width > 0, cudaErrorInvalidValue, msg::array_without_width());
  const bool has_whole_cubes = (flags & cudaArrayLayered) != 0
                                   ? extent.depth > 0 && extent.depth % vgpu::kCubeFaces == 0
                                   : extent.depth == vgpu::kCubeFaces;
  require(!is_cubes || (extent.width == extent.height && has_whole_cubes), cudaErrorInvalidValue,
          msg::cubemap_shape(extent.width, extent.height, extent.depth));
  return {format_of(format),
          extent.width,
          extent.height,
          is_layered ? 0 : extent.depth,
          is_layered ? extent.depth : 0,
          (flags & cudaArraySurfaceLoadStore) != 0,
          (flags & cudaArrayTextureGather) != 0};
}

bool fits(const ArrayShape& shape, const TextureLimits& limits) {
  if (shape.layers > 0 && shape.height > 0)
    return shape.width <= limits.width_2d_layered && shape.height <= limits.height_2d_layered &&
           shape.layers <= limits.layers;
  if (shape.layers > 0) return shape.width <= limits.width_1d_layered && shape.layers <= limits.layers;
  if (shape.depth > 0)
    return shape.width <= limits.width_3d && shape.height <= limits.height_3d &&
           shape.depth <= limits.depth_3d;
  if (shape.height > 0) return shape.width <= limits.width_2d && shape.height <= limits.height_2d;
  return shape.width <= limits.width_1d;
}

// The number of levels down to one that is a single texel wide, high and deep.
unsigned most_levels(const ArrayShape& shape) {
  return static_cast<unsigned>(std::bit_width(std::max({shape.width, shape.height, shape.depth})));
}

cudaExtent extent_of_level(cudaExtent extent, unsigned level, bool is_layered) {
  const auto halved = [&](std::size_t size) {
    return size > 0 ? std::max<std::size_t>(size >> level, 1) : 0;
  };
  return {halved(extent.width), halved(extent.height), is_layered ? extent.depth : halved(extent.depth)};
}

}  // namespace

TexelFormat format_of(const cudaChannelFormatDesc& format) {
  TexelFormat texel;
  texel.kind = format.f == cudaChannelFormatKindFloat    ? ChannelKind::kFloat
               : format.f == cudaChannelFormatKindSigned ? ChannelKind::kSigned
                                                         : ChannelKind::kUnsigned;
  texel.bits = format.x;
  texel.channels = 1 + (format.y > 0) + (format.z > 0) + (format.w > 0);
  const bool is_known = (format.x == 8 || format.x == 16 || format.x == 32) && texel.channels != 3 &&
                        (format.y == 0 || format.y == format.x) &&
                        !(texel.kind == ChannelKind::kFloat && format.x == 8);
  require(is_known && format.f <= cudaChannelFormatKindFloat, cudaErrorInvalidChannelDescriptor,
          msg::texel_channels_impossible());
  return texel;
}

Array* create_array(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned flags) {
  const ArrayShape shape = shape_of(format, extent, flags);
  require(fits(shape, the_runtime().card().textures), cudaErrorInvalidValue, msg::array_too_large());
  const std::uint64_t address = the_runtime().gpu.textures().create_array("cudaArray", shape);
  return add_array(address, {.format = format, .flags = flags}, shape, extent);
}

MipmappedArray* create_mipmapped_array(const cudaChannelFormatDesc& format, const cudaExtent& extent,
                                       unsigned levels, unsigned flags) {
  const ArrayShape shape = shape_of(format, extent, flags);
  require(fits(shape, the_runtime().card().textures), cudaErrorInvalidValue, msg::array_too_large());
  const unsigned count = std::clamp(levels, 1u, most_levels(shape));
  auto made = std::make_unique<MipmappedArray>();
  for (const std::uint64_t address :
       the_runtime().gpu.textures().create_levels("cudaMipmappedArray", shape, count)) {
    const cudaExtent smaller =
        extent_of_level(extent, static_cast<unsigned>(made->size()), has_layers(flags));
    made->push_back(
        add_array(address, {.format = format, .flags = flags}, shape_of(format, smaller, flags), smaller));
  }
  MipmappedArray* handle = made.get();
  mipmapped_arrays()[handle] = std::move(made);
  return handle;
}

// The first level owns the memory of all levels.
void destroy_mipmapped_array(cudaMipmappedArray_const_t handle) {
  for (const Array* level : mipmapped_array_of(handle)) {
    the_runtime().gpu.textures().destroy(level->address);
    arrays().erase(level);
  }
  mipmapped_arrays().erase(handle);
}

const MipmappedArray& mipmapped_array_of(cudaMipmappedArray_const_t handle) {
  const auto found = mipmapped_arrays().find(handle);
  require(found != mipmapped_arrays().end(), cudaErrorInvalidResourceHandle, msg::mipmapped_array_freed());
  return *found->second;
}

void destroy_array(cudaArray_const_t handle) {
  the_runtime().gpu.textures().destroy(array_of(handle).address);
  arrays().erase(handle);
}

const Array& array_of(cudaArray_const_t handle) {
  const auto found = arrays().find(handle);
  require(found != arrays().end(), cudaErrorInvalidResourceHandle, msg::array_freed());
  return *found->second;
}

bool is_array(std::uint64_t address) { return arrays().contains(reinterpret_cast<const void*>(address)); }

Side side_in(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z) {
  const vgpu::TexelGrid grid = the_runtime().gpu.textures().grid_of_array(array.address);
  return {array.address + x_bytes + y * grid.row_bytes + z * grid.slice_bytes, grid.row_bytes,
          grid.slice_bytes, true};
}

namespace {

// Positions count elements if an array takes part in the copy, and bytes otherwise.
Side side_of_box(cudaArray_t handle, const cudaPitchedPtr& rows, const cudaPos& at) {
  if (handle) {
    const Array& array = array_of(handle);
    return side_in(array, at.x * array.shape.format.bytes(), at.y, at.z);
  }
  const std::size_t slice = rows.pitch * rows.ysize;
  return {reinterpret_cast<std::uint64_t>(rows.ptr) + at.x + at.y * rows.pitch + at.z * slice, rows.pitch,
          slice, false};
}

}  // namespace

Box box_of(const cudaMemcpy3DParms& params) {
  const cudaArray_t any = params.dstArray ? params.dstArray : params.srcArray;
  const std::size_t element = any ? array_of(any).shape.format.bytes() : 1;
  return {side_of_box(params.dstArray, params.dstPtr, params.dstPos),
          side_of_box(params.srcArray, params.srcPtr, params.srcPos), params.extent.width * element,
          params.extent.height, params.extent.depth};
}

}  // namespace cudalab::runtime
