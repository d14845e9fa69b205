// The runtime API's arrays and textures: pitched memory, mipmaps, copies, texture and surface objects.
#include "runtime/arrays.h"

#include <map>

#include "core/alignment.h"
#include "messages/runtime.h"
#include "runtime/call.h"
#include "vgpu/memory/texture_table.h"

// Mipmapped arrays: the levels of one image, each an array.

using namespace cudalab;
using namespace cudalab::runtime;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return answer(__func__, [&] {
    require(array && format, cudaErrorInvalidValue, msg::pointer_null());
    *array = reinterpret_cast<cudaMipmappedArray_t>(create_mipmapped_array(*format, extent, levels, flags));
  });
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t handle,
                                       unsigned level) {
  return answer(__func__, [&] {
    const MipmappedArray& levels = mipmapped_array_of(handle);
    require(array && level < levels.size(), cudaErrorInvalidValue, msg::pointer_to_array_null_or_no_level());
    *array = reinterpret_cast<cudaArray_t>(const_cast<Array*>(levels[level]));
  });
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return answer(__func__, [&] {
    if (!array) return;
    the_runtime().queue.wait_for_all();
    destroy_mipmapped_array(array);
  });
}

}  // extern "C"
#pragma GCC visibility pop

// Texture and surface objects.

namespace {

struct TextureDescription {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
};
std::map<std::uint64_t, TextureDescription>& textures() {
  static std::map<std::uint64_t, TextureDescription> known;
  return known;
}
std::map<std::uint64_t, cudaResourceDesc>& surfaces() {
  static std::map<std::uint64_t, cudaResourceDesc> known;
  return known;
}

AddressMode address_mode_of(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap: return AddressMode::kWrap;
    case cudaAddressModeMirror: return AddressMode::kMirror;
    case cudaAddressModeBorder: return AddressMode::kBorder;
    default: return AddressMode::kClamp;
  }
}

// The array of a resource; the first level for a mipmapped array.
const Array& array_in(const cudaResourceDesc& resource) {
  return resource.resType == cudaResourceTypeMipmappedArray
             ? *mipmapped_array_of(resource.res.mipmap.mipmap).front()
             : array_of(resource.res.array.array);
}

// Whether the texture is a cube map whose filter crosses the edges of faces.
bool is_seamless_cube(const cudaTextureDesc& description, const cudaResourceDesc& resource) {
  const bool is_array =
      resource.resType == cudaResourceTypeArray || resource.resType == cudaResourceTypeMipmappedArray;
  return is_array && description.seamlessCubemap != 0 && (array_in(resource).flags & cudaArrayCubemap) != 0;
}

Sampling sampling_of(const cudaTextureDesc& description, const cudaResourceDesc& resource) {
  Sampling sampling;
  for (std::size_t i = 0; i < 3; ++i) sampling.address[i] = address_mode_of(description.addressMode[i]);
  for (std::size_t i = 0; i < 4; ++i) sampling.border[i] = description.borderColor[i];
  sampling.filter = description.filterMode == cudaFilterModeLinear ? FilterMode::kLinear : FilterMode::kPoint;
  sampling.read =
      description.readMode == cudaReadModeNormalizedFloat ? ReadMode::kNormalizedFloat : ReadMode::kElement;
  sampling.normalized_coordinates = description.normalizedCoords != 0;
  sampling.is_seamless_cube = is_seamless_cube(description, resource);
  return sampling;
}

void require_device_memory(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const MemoryBlock* block = the_runtime().memory.find(address);
  require(block && address + bytes <= block->end(), cudaErrorInvalidValue, msg::texels_not_on_device());
}

vgpu::LevelSampling level_sampling_of(const cudaTextureDesc& description) {
  return {description.mipmapFilterMode == cudaFilterModeLinear ? FilterMode::kLinear : FilterMode::kPoint,
          description.mipmapLevelBias, description.minMipmapLevelClamp, description.maxMipmapLevelClamp};
}

vgpu::TexelSource source_of(const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      const TexelFormat format = format_of(linear.desc);
      require_device_memory(linear.devPtr, linear.sizeInBytes);
      return LinearTexels{reinterpret_cast<std::uint64_t>(linear.devPtr), format,
                          linear.sizeInBytes / format.bytes()};
    }
    case cudaResourceTypePitch2D: {
      const auto& rows = resource.res.pitch2D;
      const TexelFormat format = format_of(rows.desc);
      require(rows.pitchInBytes % the_runtime().card().textures.pitch_alignment == 0, cudaErrorInvalidValue,
              msg::texture_pitch_unaligned());
      require(rows.height > 0, cudaErrorInvalidValue, msg::texture_without_rows());
      require_device_memory(rows.devPtr, rows.pitchInBytes * (rows.height - 1) + rows.width * format.bytes());
      return PitchTexels{reinterpret_cast<std::uint64_t>(rows.devPtr), format, rows.width, rows.height,
                         rows.pitchInBytes};
    }
    default: return array_in(resource).address;
  }
}

TexelFormat format_in(const vgpu::TexelSource& source, const cudaResourceDesc& resource) {
  if (const auto* linear = std::get_if<LinearTexels>(&source)) return linear->format;
  if (const auto* rows = std::get_if<PitchTexels>(&source)) return rows->format;
  return array_in(resource).shape.format;
}

std::uint64_t create_texture(const cudaResourceDesc& resource, const vgpu::TexelSource& source,
                             const Sampling& sampling, const cudaTextureDesc& description) {
  vgpu::TextureTable& table = the_runtime().gpu.textures();
  if (resource.resType != cudaResourceTypeMipmappedArray) return table.create_texture(source, sampling);
  std::vector<std::uint64_t> levels;
  for (const Array* level : mipmapped_array_of(resource.res.mipmap.mipmap)) levels.push_back(level->address);
  return table.create_mipmapped_texture(levels, sampling, level_sampling_of(description));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return answer(__func__, [&] {
    require(object && resource, cudaErrorInvalidValue, msg::pointer_null());
    require(texture, cudaErrorInvalidResourceHandle, msg::pointer_to_description_null());
    require(!view, cudaErrorNotSupported, msg::resource_views_missing());
    const vgpu::TexelSource source = source_of(*resource);
    const Sampling sampling = sampling_of(*texture, *resource);
    require(
        sampling.filter == FilterMode::kPoint || reads_floats(format_in(source, *resource), sampling.read),
        cudaErrorInvalidValue, msg::texels_not_mixable());
    *object = create_texture(*resource, source, sampling, *texture);
    textures()[*object] = {*resource, *texture};
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return answer(__func__, [&] {
    if (object == 0) return;
    require(textures().erase(object) > 0, cudaErrorInvalidValue, msg::texture_object_unknown());
    the_runtime().queue.wait_for_all();
    the_runtime().gpu.textures().destroy(object);
  });
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return answer(__func__, [&] {
    require(resource && textures().contains(object), cudaErrorInvalidValue, msg::texture_object_unknown());
    *resource = textures()[object].resource;
  });
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return answer(__func__, [&] {
    require(texture && textures().contains(object), cudaErrorInvalidValue, msg::texture_object_unknown());
    *texture = textures()[object].texture;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return answer(__func__, [&] {
    require(object && resource, cudaErrorInvalidValue, msg::pointer_null());
    require(resource->resType == cudaResourceTypeArray, cudaErrorInvalidChannelDescriptor,
            msg::surface_needs_array());
    const Array& array = array_of(resource->res.array.array);
    *object = the_runtime().gpu.textures().create_surface(array.address);
    surfaces()[*object] = *resource;
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return answer(__func__, [&] {
    if (object == 0) return;
    require(surfaces().erase(object) > 0, cudaErrorInvalidValue, msg::surface_object_unknown());
    the_runtime().queue.wait_for_all();
    the_runtime().gpu.textures().destroy(object);
  });
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return answer(__func__, [&] {
    require(resource && surfaces().contains(object), cudaErrorInvalidValue, msg::surface_object_unknown());
    *resource = surfaces()[object];
  });
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

constexpr std::size_t kPitchAlignment = 512;

Side rows_at(const void* address, std::size_t pitch, std::size_t height) {
  return {reinterpret_cast<std::uint64_t>(address), pitch, pitch * height, false};
}

void require_inside(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t width,
                    std::size_t height) {
  const std::size_t row = array.shape.width * array.shape.format.bytes();
  require(
      x_bytes <= row && width <= row - x_bytes && y <= array.shape.rows() && height <= array.shape.rows() - y,
      cudaErrorInvalidValue, msg::copy_beyond_array_edge());
}

// Reports a copy whose rows have as many bytes as the array has elements in a row.
void look_for_width_in_elements(const char* call, const Array& array, std::size_t width) {
  const std::size_t element = array.shape.format.bytes(), row = array.shape.width * element;
  if (element > 1 && width == array.shape.width)
    report_mistake(MistakeKind::kOtherPitch, msg::copy_of_width_in_elements(call, width, row),
                   msg::advice_width_in_bytes());
}

cudaError_t to_array(const char* call, cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                     std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                     cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    const Array& array = array_of(to);
    require(kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection,
            msg::copy_to_array_not_to_device());
    require_inside(array, x, y, width, height);
    require(width <= pitch || height == 1, cudaErrorInvalidPitchValue, msg::row_wider_than_pitch());
    look_for_width_in_elements(call, array, width);
    copy(call, {side_in(array, x, y, 0), rows_at(from, pitch, height), width, height, 1}, kind,
         stream_of(stream), waits);
  });
}

cudaError_t from_array(const char* call, void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                       std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                       cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    const Array& array = array_of(from);
    require(kind != cudaMemcpyHostToDevice && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection,
            msg::copy_from_array_not_from_device());
    require_inside(array, x, y, width, height);
    require(width <= pitch || height == 1, cudaErrorInvalidPitchValue, msg::row_wider_than_pitch());
    copy(call, {rows_at(to, pitch, height), side_in(array, x, y, 0), width, height, 1}, kind,
         stream_of(stream), waits);
  });
}

// A rectangle of an array, and the offset in bytes of its data in linear memory.
struct Rows {
  std::size_t x = 0, y = 0, width = 0, height = 1, offset = 0;
};

// Splits a copy of consecutive bytes that fill an array from (x, y) on, row by row, into up to three
// rectangles: the rest of the first row, whole rows, and the beginning of the last row.
template <class CopyRows>
cudaError_t in_rows(const char* call, cudaArray_const_t handle, std::size_t x, std::size_t y,
                    std::size_t bytes, const CopyRows& copy_rows) {
  std::size_t row = 0;
  const cudaError_t error = answer(call, [&] {
    const Array& array = array_of(handle);
    row = array.shape.width * array.shape.format.bytes();
    require(x < row || bytes == 0, cudaErrorInvalidValue, msg::copy_beyond_array_edge());
  });
  if (error != cudaSuccess) return error;
  Rows rows{x, y};
  while (rows.offset < bytes) {
    const std::size_t left = bytes - rows.offset;
    rows.width = std::min(row - rows.x, left);
    rows.height = rows.x == 0 && left >= row ? left / row : 1;
    if (const cudaError_t code = copy_rows(rows); code != cudaSuccess) return code;
    rows = {0, rows.y + rows.height, 0, 1, rows.offset + rows.width * rows.height};
  }
  return cudaSuccess;
}

cudaError_t copy_box(const char* call, const cudaMemcpy3DParms* params, cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    require(params, cudaErrorInvalidValue, msg::pointer_to_copy_null());
    copy(call, box_of(*params), params->kind, stream_of(stream), waits);
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return answer(__func__, [&] {
    require(pointer && pitch, cudaErrorInvalidValue, msg::pointer_null());
    *pointer = nullptr;
    *pitch = 0;
    if (width * height == 0) return;
    *pitch = round_up(width, kPitchAlignment);
    *pointer = reinterpret_cast<void*>(
        the_runtime().memory.allocate_rows("cudaMallocPitch", width, *pitch, height, this_thread().device));
  });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* to, cudaExtent extent) {
  return answer(__func__, [&] {
    require(to, cudaErrorInvalidValue, msg::pointer_to_pointer_null());
    *to = {nullptr, round_up(extent.width, kPitchAlignment), extent.width, extent.height};
    const std::size_t rows = extent.height * extent.depth;
    if (to->pitch * rows > 0)
      to->ptr = reinterpret_cast<void*>(the_runtime().memory.allocate_rows(
          "cudaMalloc3D", extent.width, to->pitch, rows, this_thread().device));
  });
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  return answer(__func__, [&] {
    require(array && format, cudaErrorInvalidValue, msg::pointer_null());
    *array = reinterpret_cast<cudaArray_t>(create_array(*format, {width, height, 0}, flags));
  });
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return answer(__func__, [&] {
    require(array && format, cudaErrorInvalidValue, msg::pointer_null());
    *array = reinterpret_cast<cudaArray_t>(create_array(*format, extent, flags));
  });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  return answer(__func__, [&] {
    if (!array) return;
    the_runtime().queue.wait_for_all();
    destroy_array(array);
  });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
  return answer(__func__, [&] {
    const Array& array = array_of(handle);
    if (format) *format = array.format;
    if (extent) *extent = array.extent;
    if (flags) *flags = array.flags;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return answer(__func__, [&] {
    require(format, cudaErrorInvalidValue, msg::pointer_to_channels_null());
    *format = array_of(array).format;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  return in_rows(__func__, to, x, y, bytes, [&](const Rows& rows) {
    return to_array("cudaMemcpyToArray", to, rows.x, rows.y,
                    static_cast<const std::byte*>(from) + rows.offset, rows.width, rows.width, rows.height,
                    kind, nullptr, true);
  });
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  return in_rows(__func__, from, x, y, bytes, [&](const Rows& rows) {
    return from_array("cudaMemcpyFromArray", static_cast<std::byte*>(to) + rows.offset, rows.width, from,
                      rows.x, rows.y, rows.width, rows.height, kind, nullptr, true);
  });
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return to_array(__func__, to, x, y, from, pitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return to_array(__func__, to, x, y, from, pitch, width, height, kind, stream, false);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                  std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return from_array(__func__, to, pitch, from, x, y, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return from_array(__func__, to, pitch, from, x, y, width, height, kind, stream, false);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* params) {
  return copy_box(__func__, params, nullptr, true);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* params, cudaStream_t stream) {
  return copy_box(__func__, params, stream, false);
}

}  // extern "C"
#pragma GCC visibility pop
