// Creates and copies arrays, textures and surfaces through the CUDA driver.
#include "device/cuda/cuda_textures.h"

#include "messages/device.h"

namespace cudalab::device {
namespace {

TextureLimits limits_of(const Driver& cuda, CUdevice gpu) {
  struct Row {
    std::size_t TextureLimits::*limit;
    CUdevice_attribute attribute;
  };
  static constexpr Row kRows[] = {
      {&TextureLimits::width_1d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH},
      {&TextureLimits::width_linear, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH},
      {&TextureLimits::width_2d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH},
      {&TextureLimits::height_2d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT},
      {&TextureLimits::width_gather, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH},
      {&TextureLimits::height_gather, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT},
      {&TextureLimits::width_pitch, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH},
      {&TextureLimits::height_pitch, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT},
      {&TextureLimits::pitch_bytes, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH},
      {&TextureLimits::width_3d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH},
      {&TextureLimits::height_3d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT},
      {&TextureLimits::depth_3d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH},
      {&TextureLimits::width_1d_layered, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH},
      {&TextureLimits::width_2d_layered, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH},
      {&TextureLimits::height_2d_layered, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT},
      {&TextureLimits::layers, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS},
      {&TextureLimits::width_1d_surface, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH},
      {&TextureLimits::width_2d_surface, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH},
      {&TextureLimits::height_2d_surface, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT},
      {&TextureLimits::width_3d_surface, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH},
      {&TextureLimits::height_3d_surface, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT},
      {&TextureLimits::depth_3d_surface, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH},
      {&TextureLimits::pitch_alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT},
      {&TextureLimits::base_alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT},
  };
  TextureLimits limits;
  for (const Row& row : kRows) {
    int value = 0;
    cuda.device_attribute(&value, row.attribute, gpu);
    if (value > 0) limits.*row.limit = static_cast<std::size_t>(value);
  }
  return limits;
}

CUarray_format format_of(const TexelFormat& format) {
  switch (format.kind) {
    case ChannelKind::kFloat: return format.bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    case ChannelKind::kSigned:
      return format.bits == 8    ? CU_AD_FORMAT_SIGNED_INT8
             : format.bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
                                 : CU_AD_FORMAT_SIGNED_INT32;
    case ChannelKind::kUnsigned: break;
  }
  return format.bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
         : format.bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                             : CU_AD_FORMAT_UNSIGNED_INT32;
}

CUarray as_array(std::uint64_t array) { return reinterpret_cast<CUarray>(array); }

// The parameters for a copy of the whole array. The caller adds the host's pointer.
CUDA_MEMCPY3D whole(const ArrayShape& shape) {
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = shape.width * shape.format.bytes();
  copy.Height = shape.rows();
  copy.Depth = shape.slices();
  return copy;
}

CUDA_TEXTURE_DESC description(const Sampling& sampling) {
  CUDA_TEXTURE_DESC texture{};
  for (std::size_t d = 0; d < 3; ++d)
    texture.addressMode[d] = static_cast<CUaddress_mode>(sampling.address[d]);
  texture.filterMode =
      sampling.filter == FilterMode::kLinear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (sampling.read == ReadMode::kElement) texture.flags |= CU_TRSF_READ_AS_INTEGER;
  if (sampling.normalized_coordinates) texture.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  for (std::size_t c = 0; c < 4; ++c) texture.borderColor[c] = sampling.border[c];
  return texture;
}

CUDA_RESOURCE_DESC resource_of(std::uint64_t array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = as_array(array);
  return resource;
}

}  // namespace

static_assert(static_cast<int>(AddressMode::kWrap) == CU_TR_ADDRESS_MODE_WRAP &&
              static_cast<int>(AddressMode::kClamp) == CU_TR_ADDRESS_MODE_CLAMP &&
              static_cast<int>(AddressMode::kMirror) == CU_TR_ADDRESS_MODE_MIRROR &&
              static_cast<int>(AddressMode::kBorder) == CU_TR_ADDRESS_MODE_BORDER);

CudaTextures::CudaTextures(ContextPointer context, CUdevice gpu, std::function<void()> enter)
    : Textures(limits_of(context->driver(), gpu)), context_(std::move(context)), enter_(std::move(enter)) {}

std::uint64_t CudaTextures::make_array(const std::string& name, const ArrayShape& shape) {
  enter_();
  CUDA_ARRAY3D_DESCRIPTOR wanted{};
  wanted.Width = shape.width;
  wanted.Height = shape.height;
  wanted.Depth = shape.layers ? shape.layers : shape.depth;
  wanted.Format = format_of(shape.format);
  wanted.NumChannels = static_cast<unsigned>(shape.format.channels);
  if (shape.layers) wanted.Flags |= CUDA_ARRAY3D_LAYERED;
  if (shape.has_surface) wanted.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
  if (shape.can_gather) wanted.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
  CUarray array = nullptr;
  const CUresult result = context_->driver().array_create.attempt(&array, &wanted);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    throw unavailable_error(msg::gpu_memory_too_small_for_array(Code{name}, shape.bytes()));
  if (result != CUDA_SUCCESS) throw_cuda_failure("cuArray3DCreate", result);
  return reinterpret_cast<std::uint64_t>(array);
}

void CudaTextures::copy_to(std::uint64_t array, const ArrayShape& shape, std::span<const std::byte> from) {
  enter_();
  CUDA_MEMCPY3D copy = whole(shape);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from.data();
  copy.srcPitch = copy.WidthInBytes;
  copy.srcHeight = shape.rows();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = as_array(array);
  context_->driver().copy_array(&copy);
}

void CudaTextures::copy_from(std::uint64_t array, const ArrayShape& shape, std::span<std::byte> to) {
  enter_();
  CUDA_MEMCPY3D copy = whole(shape);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = as_array(array);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to.data();
  copy.dstPitch = copy.WidthInBytes;
  copy.dstHeight = shape.rows();
  context_->driver().copy_array(&copy);
}

std::uint64_t CudaTextures::make_texture(const CUDA_RESOURCE_DESC& resource, const Sampling& sampling) {
  enter_();
  const CUDA_TEXTURE_DESC texture = description(sampling);
  CUtexObject object = 0;
  context_->driver().texture_create(&object, &resource, &texture, nullptr);
  return object;
}

std::uint64_t CudaTextures::make_texture(std::uint64_t array, const Sampling& sampling) {
  return make_texture(resource_of(array), sampling);
}

std::uint64_t CudaTextures::make_texture(const LinearTexels& texels, const Sampling& sampling) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = texels.address;
  resource.res.linear.format = format_of(texels.format);
  resource.res.linear.numChannels = static_cast<unsigned>(texels.format.channels);
  resource.res.linear.sizeInBytes = texels.count * texels.format.bytes();
  return make_texture(resource, sampling);
}

std::uint64_t CudaTextures::make_texture(const PitchTexels& texels, const Sampling& sampling) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D.devPtr = texels.address;
  resource.res.pitch2D.format = format_of(texels.format);
  resource.res.pitch2D.numChannels = static_cast<unsigned>(texels.format.channels);
  resource.res.pitch2D.width = texels.width;
  resource.res.pitch2D.height = texels.height;
  resource.res.pitch2D.pitchInBytes = texels.pitch_bytes;
  return make_texture(resource, sampling);
}

std::uint64_t CudaTextures::make_surface(std::uint64_t array) {
  enter_();
  const CUDA_RESOURCE_DESC resource = resource_of(array);
  CUsurfObject object = 0;
  context_->driver().surface_create(&object, &resource);
  return object;
}

void CudaTextures::destroy(TextureThing thing, std::uint64_t value) {
  if (!context_->is_usable()) return;
  const Driver& cuda = context_->driver();
  switch (thing) {
    case TextureThing::kArray: cuda.array_destroy.attempt(as_array(value)); break;
    case TextureThing::kTexture: cuda.texture_destroy.attempt(value); break;
    case TextureThing::kSurface: cuda.surface_destroy.attempt(value); break;
  }
}

}  // namespace cudalab::device
