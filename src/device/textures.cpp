// What a card refuses of arrays and textures, the same for every device.
#include "device/textures.h"

#include <array>
#include <stdexcept>

#include "core/error.h"

namespace cudalab::device {
namespace {

// One size and its limit.
struct Bound {
  std::string_view size;
  std::size_t value, most;
};

void require(std::string_view what, std::string_view advice, std::initializer_list<Bound> bounds) {
  for (const Bound& bound : bounds)
    if (bound.value > bound.most)
      throw usage_error("{} has a {} of at most {} on this device, not {}; {}", what, bound.size, bound.most,
                        bound.value, advice);
}

constexpr std::string_view kSmaller = "choose a smaller size";
constexpr std::string_view kFold =
    "put the texels into a 2-D array (x = i % width, y = i / width), or use linear memory";

void check_layers(const ArrayShape& shape, const TextureLimits& limits) {
  if (shape.depth) throw usage_error("a 3-D array has no layers");
  if (shape.height)
    require("a 2-D array with layers", kSmaller,
            {{"width", shape.width, limits.width_2d_layered},
             {"height", shape.height, limits.height_2d_layered},
             {"number of layers", shape.layers, limits.layers}});
  else
    require(
        "a 1-D array with layers", kSmaller,
        {{"width", shape.width, limits.width_1d_layered}, {"number of layers", shape.layers, limits.layers}});
}

void check_texture_sizes(const ArrayShape& shape, const TextureLimits& limits) {
  if (shape.layers) return check_layers(shape, limits);
  if (shape.depth)
    return require("a 3-D array", kSmaller,
                   {{"width", shape.width, limits.width_3d},
                    {"height", shape.height, limits.height_3d},
                    {"depth", shape.depth, limits.depth_3d}});
  if (shape.height)
    return require("a 2-D array", kSmaller,
                   {{"width", shape.width, limits.width_2d}, {"height", shape.height, limits.height_2d}});
  require("a 1-D array", kFold, {{"width", shape.width, limits.width_1d}});
}

void check_surface_sizes(const ArrayShape& shape, const TextureLimits& limits) {
  if (!shape.has_surface || shape.layers) return;
  if (shape.depth)
    return require("a 3-D surface", kSmaller,
                   {{"width", shape.width, limits.width_3d_surface},
                    {"height", shape.height, limits.height_3d_surface},
                    {"depth", shape.depth, limits.depth_3d_surface}});
  if (shape.height)
    return require("a 2-D surface", kSmaller,
                   {{"width", shape.width, limits.width_2d_surface},
                    {"height", shape.height, limits.height_2d_surface}});
  require("a 1-D surface", kSmaller, {{"width", shape.width, limits.width_1d_surface}});
}

void check_shape(const ArrayShape& shape, const TextureLimits& limits) {
  if (shape.width == 0 || (shape.depth && !shape.height))
    throw usage_error("an array needs a width, and a height before a depth");
  check_texture_sizes(shape, limits);
  check_surface_sizes(shape, limits);
  if (!shape.can_gather) return;
  if (shape.dimensions() != 2) throw usage_error("only a 2-D array can be gathered from");
  require("a 2-D array to gather from", kSmaller,
          {{"width", shape.width, limits.width_gather}, {"height", shape.height, limits.height_gather}});
}

void check_sampling(const TexelFormat& format, const Sampling& sampling) {
  if (sampling.filter == FilterMode::kLinear && !reads_floats(format, sampling.read))
    throw usage_error(
        "linear filtering mixes floating-point numbers, and this texture reads whole ones; "
        "read them as normalized floats, or filter with the nearest point");
  if (sampling.read == ReadMode::kNormalizedFloat && format.kind != ChannelKind::kFloat && format.bits == 32)
    throw usage_error("integers of 32 bits cannot be read as normalized floats; use 8 or 16 bits");
}

void check_alignment(std::string_view what, std::uint64_t value, std::size_t alignment) {
  if (value % alignment != 0)
    throw usage_error("the {} of a texture must be a multiple of {} bytes, and {} is not", what, alignment,
                      value);
}

}  // namespace

TexelFormat texel_format(ScalarType type, int channels) {
  if (channels != 1 && channels != 2 && channels != 4)
    throw usage_error("a texel has 1, 2 or 4 channels, not {}", channels);
  switch (type) {
    case ScalarType::kU8: return {ChannelKind::kUnsigned, 8, channels};
    case ScalarType::kI8: return {ChannelKind::kSigned, 8, channels};
    case ScalarType::kU16: return {ChannelKind::kUnsigned, 16, channels};
    case ScalarType::kI16: return {ChannelKind::kSigned, 16, channels};
    case ScalarType::kU32: return {ChannelKind::kUnsigned, 32, channels};
    case ScalarType::kI32: return {ChannelKind::kSigned, 32, channels};
    case ScalarType::kF16: return {ChannelKind::kFloat, 16, channels};
    case ScalarType::kF32: return {ChannelKind::kFloat, 32, channels};
    default: break;
  }
  throw usage_error(
      "no card fetches {} from a texture: a channel has at most 32 bits; keep such numbers in global memory, "
      "or fetch "
      "their halves as two channels of u32",
      info(type).name);
}

TextureArray Textures::create_array(const std::string& name, const ArrayShape& shape) {
  check_shape(shape, limits_);
  return {*this, make_array(name, shape), shape};
}

void Textures::upload(const TextureArray& array, std::span<const std::byte> from) {
  if (from.size() != array.shape().bytes()) throw std::logic_error("a copy to an array of another size");
  copy_to(array.value(), array.shape(), from);
}

void Textures::download(const TextureArray& array, std::span<std::byte> to) {
  if (to.size() != array.shape().bytes()) throw std::logic_error("a copy from an array of another size");
  copy_from(array.value(), array.shape(), to);
}

Texture Textures::create_texture(const TextureArray& array, const Sampling& sampling) {
  check_sampling(array.shape().format, sampling);
  return {*this, make_texture(array.value(), sampling)};
}

Texture Textures::create_texture(const LinearTexels& texels, ReadMode read) {
  require("a texture of linear memory", kSmaller, {{"width", texels.count, limits_.width_linear}});
  if (texels.count == 0) throw usage_error("a texture needs at least one texel");
  check_alignment("first byte", texels.address, limits_.base_alignment);
  Sampling sampling;
  sampling.read = read;
  check_sampling(texels.format, sampling);
  return {*this, make_texture(texels, sampling)};
}

Texture Textures::create_texture(const PitchTexels& texels, const Sampling& sampling) {
  require("a texture of rows in linear memory", kSmaller,
          {{"width", texels.width, limits_.width_pitch},
           {"height", texels.height, limits_.height_pitch},
           {"pitch", texels.pitch_bytes, limits_.pitch_bytes}});
  if (texels.width == 0 || texels.height == 0) throw usage_error("a texture needs at least one texel");
  check_alignment("first byte", texels.address, limits_.base_alignment);
  check_alignment("pitch", texels.pitch_bytes, limits_.pitch_alignment);
  if (texels.width * texels.format.bytes() > texels.pitch_bytes)
    throw usage_error("a row of {} texels has {} bytes, more than the pitch of {}", texels.width,
                      texels.width * texels.format.bytes(), texels.pitch_bytes);
  check_sampling(texels.format, sampling);
  return {*this, make_texture(texels, sampling)};
}

Surface Textures::create_surface(const TextureArray& array) {
  if (!array.shape().has_surface)
    throw usage_error("a surface needs an array that was made for surfaces (cudaArraySurfaceLoadStore)");
  return {*this, make_surface(array.value())};
}

}  // namespace cudalab::device
