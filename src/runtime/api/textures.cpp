// Texture and surface objects.
#include <map>

#include "runtime/arrays.h"
#include "runtime/call.h"
#include "vgpu/memory/texture_table.h"

using namespace cudalab;
using namespace cudalab::runtime;

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

Sampling sampling_of(const cudaTextureDesc& description) {
  Sampling sampling;
  for (std::size_t i = 0; i < 3; ++i) sampling.address[i] = address_mode_of(description.addressMode[i]);
  for (std::size_t i = 0; i < 4; ++i) sampling.border[i] = description.borderColor[i];
  sampling.filter = description.filterMode == cudaFilterModeLinear ? FilterMode::kLinear : FilterMode::kPoint;
  sampling.read =
      description.readMode == cudaReadModeNormalizedFloat ? ReadMode::kNormalizedFloat : ReadMode::kElement;
  sampling.normalized_coordinates = description.normalizedCoords != 0;
  return sampling;
}

void require_device_memory(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const MemoryBlock* block = the_runtime().memory.find(address);
  require(block && address + bytes <= block->end(), cudaErrorInvalidValue,
          "the texels lie in no memory of the device");
}

vgpu::LevelSampling level_sampling_of(const cudaTextureDesc& description) {
  return {description.mipmapFilterMode == cudaFilterModeLinear ? FilterMode::kLinear : FilterMode::kPoint,
          description.mipmapLevelBias, description.minMipmapLevelClamp, description.maxMipmapLevelClamp};
}

// What a resource says for an array or a mipmapped one.
const Array& array_in(const cudaResourceDesc& resource) {
  return resource.resType == cudaResourceTypeMipmappedArray
             ? *mipmapped_array_of(resource.res.mipmap.mipmap).front()
             : array_of(resource.res.array.array);
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
              "the pitch is no multiple of the card's alignment");
      require(rows.height > 0, cudaErrorInvalidValue, "the texture has no rows");
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
    require(object && resource, cudaErrorInvalidValue, "a pointer is null");
    require(texture, cudaErrorInvalidResourceHandle, "the pointer to the description is null");
    require(!view, cudaErrorNotSupported, "the virtual GPU has no views of resources");
    const vgpu::TexelSource source = source_of(*resource);
    const Sampling sampling = sampling_of(*texture);
    require(
        sampling.filter == FilterMode::kPoint || reads_floats(format_in(source, *resource), sampling.read),
        cudaErrorInvalidValue,
        "only floating-point texels can be mixed: read them as cudaReadModeNormalizedFloat");
    *object = create_texture(*resource, source, sampling, *texture);
    textures()[*object] = {*resource, *texture};
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return answer(__func__, [&] {
    if (object == 0) return;
    require(textures().erase(object) > 0, cudaErrorInvalidValue, "this is no texture object");
    the_runtime().queue.wait_for_all();
    the_runtime().gpu.textures().destroy(object);
  });
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return answer(__func__, [&] {
    require(resource && textures().contains(object), cudaErrorInvalidValue, "this is no texture object");
    *resource = textures()[object].resource;
  });
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return answer(__func__, [&] {
    require(texture && textures().contains(object), cudaErrorInvalidValue, "this is no texture object");
    *texture = textures()[object].texture;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return answer(__func__, [&] {
    require(object && resource, cudaErrorInvalidValue, "a pointer is null");
    require(resource->resType == cudaResourceTypeArray, cudaErrorInvalidChannelDescriptor,
            "a surface is of an array");
    const Array& array = array_of(resource->res.array.array);
    *object = the_runtime().gpu.textures().create_surface(array.address);
    surfaces()[*object] = *resource;
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return answer(__func__, [&] {
    if (object == 0) return;
    require(surfaces().erase(object) > 0, cudaErrorInvalidValue, "this is no surface object");
    the_runtime().queue.wait_for_all();
    the_runtime().gpu.textures().destroy(object);
  });
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return answer(__func__, [&] {
    require(resource && surfaces().contains(object), cudaErrorInvalidValue, "this is no surface object");
    *resource = surfaces()[object];
  });
}

}  // extern "C"
#pragma GCC visibility pop
