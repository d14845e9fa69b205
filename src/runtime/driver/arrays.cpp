// The driver API's arrays, textures and surfaces: converts their descriptions to those of the runtime API.
#include "runtime/arrays.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "runtime/driver/driver.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

struct FormatRow {
  CUarray_format format;
  int bits;
  cudaChannelFormatKind kind;
};
constexpr FormatRow kFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

cudaChannelFormatDesc channels_of(CUarray_format format, unsigned count) {
  const auto* row = std::ranges::find(kFormats, format, &FormatRow::format);
  require(row != std::end(kFormats) && (count == 1 || count == 2 || count == 4), cudaErrorInvalidValue,
          msg::array_format_unknown());
  const auto bits = [&](unsigned channel) { return channel < count ? row->bits : 0; };
  return {bits(0), bits(1), bits(2), bits(3), row->kind};
}

CUarray_format format_of_channels(const cudaChannelFormatDesc& channels) {
  for (const FormatRow& row : kFormats)
    if (row.bits == channels.x && row.kind == channels.f) return row.format;
  throw Failure{cudaErrorInvalidValue, msg::array_format_unknown()};
}

unsigned channel_count(const cudaChannelFormatDesc& channels) {
  const std::array bits{channels.x, channels.y, channels.z, channels.w};
  return static_cast<unsigned>(std::ranges::count_if(bits, [](int one) { return one > 0; }));
}

cudaArray_t runtime_array(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

void make_array(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR& text) {
  *array = reinterpret_cast<CUarray>(create_array(channels_of(text.Format, text.NumChannels),
                                                  {text.Width, text.Height, text.Depth}, text.Flags));
}

CUDA_ARRAY3D_DESCRIPTOR description_of(CUarray handle) {
  const Array& array = array_of(runtime_array(handle));
  return {array.extent.width,          array.extent.height,
          array.extent.depth,          format_of_channels(array.format),
          channel_count(array.format), array.flags};
}

cudaResourceDesc resource_from(const CUDA_RESOURCE_DESC& text) {
  cudaResourceDesc resource{};
  resource.resType = static_cast<cudaResourceType>(text.resType);
  switch (text.resType) {
    case CU_RESOURCE_TYPE_ARRAY: resource.res.array.array = runtime_array(text.res.array.hArray); break;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = text.res.linear;
      resource.res.linear = {reinterpret_cast<void*>(linear.devPtr),
                             channels_of(linear.format, linear.numChannels), linear.sizeInBytes};
      break;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& rows = text.res.pitch2D;
      resource.res.pitch2D = {reinterpret_cast<void*>(rows.devPtr),
                              channels_of(rows.format, rows.numChannels), rows.width, rows.height,
                              rows.pitchInBytes};
      break;
    }
    default: throw Failure{cudaErrorNotSupported, msg::program_calls_missing("cuMipmappedArrayCreate")};
  }
  return resource;
}

// The format of the texels that a texture reads.
cudaChannelFormatDesc texels_of(const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeLinear: return resource.res.linear.desc;
    case cudaResourceTypePitch2D: return resource.res.pitch2D.desc;
    default: return array_of(resource.res.array.array).format;
  }
}

cudaTextureDesc texture_from(const CUDA_TEXTURE_DESC& text, const cudaChannelFormatDesc& texels) {
  constexpr int kLongestNormalized = 16;  // bits
  const bool is_normalized = texels.f != cudaChannelFormatKindFloat && texels.x <= kLongestNormalized &&
                             (text.flags & CU_TRSF_READ_AS_INTEGER) == 0;
  cudaTextureDesc texture{};
  for (std::size_t i = 0; i < std::size(texture.addressMode); ++i)
    texture.addressMode[i] = static_cast<cudaTextureAddressMode>(text.addressMode[i]);
  texture.filterMode = static_cast<cudaTextureFilterMode>(text.filterMode);
  texture.readMode = is_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  texture.sRGB = (text.flags & CU_TRSF_SRGB) != 0;
  std::ranges::copy(text.borderColor, texture.borderColor);
  texture.normalizedCoords = (text.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  texture.seamlessCubemap = (text.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  texture.maxAnisotropy = text.maxAnisotropy;
  texture.mipmapFilterMode = static_cast<cudaTextureFilterMode>(text.mipmapFilterMode);
  texture.mipmapLevelBias = text.mipmapLevelBias;
  texture.minMipmapLevelClamp = text.minMipmapLevelClamp;
  texture.maxMipmapLevelClamp = text.maxMipmapLevelClamp;
  return texture;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* text) {
  return drive("cuArrayCreate", Needs::kContext, [&] {
    require(array && text, cudaErrorInvalidValue, msg::pointer_null());
    make_array(array, {text->Width, text->Height, 0, text->Format, text->NumChannels, 0});
  });
}
CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* text) {
  return drive("cuArray3DCreate", Needs::kContext, [&] {
    require(array && text, cudaErrorInvalidValue, msg::pointer_null());
    make_array(array, *text);
  });
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* text, CUarray array) {
  return drive("cuArrayGetDescriptor", Needs::kContext, [&] {
    require(text, cudaErrorInvalidValue, msg::pointer_null());
    const CUDA_ARRAY3D_DESCRIPTOR all = description_of(array);
    *text = {all.Width, all.Height, all.Format, all.NumChannels};
  });
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* text, CUarray array) {
  return drive("cuArray3DGetDescriptor", Needs::kContext, [&] {
    require(text, cudaErrorInvalidValue, msg::pointer_null());
    *text = description_of(array);
  });
}
TWIN(cuArrayDestroy, cudaFreeArray, (CUarray array), array)

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* text, const CUDA_RESOURCE_VIEW_DESC* view) {
  cudaResourceDesc from;
  cudaTextureDesc how;
  const CUresult result = drive(__func__, Needs::kContext, [&] {
    require(texture && resource && text, cudaErrorInvalidValue, msg::pointer_null());
    from = resource_from(*resource);
    how = texture_from(*text, texels_of(from));
  });
  if (result != CUDA_SUCCESS) return result;
  return call_twin(__func__, Needs::kContext, cudaCreateTextureObject, texture, &from, &how, view);
}
CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource) {
  cudaResourceDesc from;
  const CUresult result = drive(__func__, Needs::kContext, [&] {
    require(surface && resource, cudaErrorInvalidValue, msg::pointer_null());
    from = resource_from(*resource);
  });
  if (result != CUDA_SUCCESS) return result;
  return call_twin(__func__, Needs::kContext, cudaCreateSurfaceObject, surface, &from);
}
TWIN(cuTexObjectDestroy, cudaDestroyTextureObject, (CUtexObject texture), texture)
TWIN(cuSurfObjectDestroy, cudaDestroySurfaceObject, (CUsurfObject surface), surface)

}  // extern "C"
#pragma GCC visibility pop
