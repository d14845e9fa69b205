// The texels lie in the virtual GPU, row by row, where vgpu/memory/texture_table.h says.
#include "runtime/arrays.h"

#include <map>

#include "vgpu/memory/texture_table.h"

namespace cudalab::runtime {
namespace {

std::map<const void*, std::unique_ptr<Array>>& arrays() {
  static std::map<const void*, std::unique_ptr<Array>> known;
  return known;
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
          "there are no texels of such channels");
  return texel;
}

Array* create_array(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned flags) {
  auto array = std::make_unique<Array>();
  array->format = format;
  array->extent = extent;
  array->flags = flags;
  const bool is_layered = (flags & cudaArrayLayered) != 0;
  require(extent.width > 0, cudaErrorInvalidValue, "the array has no width");
  require(!(flags & cudaArrayCubemap), cudaErrorNotSupported, "the virtual GPU has no cubemaps");
  array->shape = {format_of(format),
                  extent.width,
                  extent.height,
                  is_layered ? 0 : extent.depth,
                  is_layered ? extent.depth : 0,
                  (flags & cudaArraySurfaceLoadStore) != 0,
                  (flags & cudaArrayTextureGather) != 0};
  array->address = the_runtime().gpu.textures().create_array("cudaArray", array->shape);
  Array* handle = array.get();
  arrays()[handle] = std::move(array);
  return handle;
}

void destroy_array(cudaArray_const_t handle) {
  the_runtime().gpu.textures().destroy(array_of(handle).address);
  arrays().erase(handle);
}

const Array& array_of(cudaArray_const_t handle) {
  const auto found = arrays().find(handle);
  require(found != arrays().end(), cudaErrorInvalidResourceHandle, "this is no array, or one that was freed");
  return *found->second;
}

Side side_in(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z) {
  const vgpu::TexelGrid grid = the_runtime().gpu.textures().grid_of_array(array.address);
  return {array.address + x_bytes + y * grid.row_bytes + z * grid.slice_bytes, grid.row_bytes,
          grid.slice_bytes, true};
}

namespace {

// Positions count elements of the arrays that take part, else bytes.
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
