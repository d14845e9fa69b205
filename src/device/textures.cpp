// Checks the limits of arrays and textures, which are common to all devices.
#include "device/textures.h"

#include <stdexcept>

#include "core/error.h"
#include "messages/device.h"

namespace cudalab::device {
namespace {

// A size and its limit.
struct Bound {
  Message size;
  std::size_t value, most;
};

void require(const Message& shape, const Message& advice, std::initializer_list<Bound> bounds) {
  for (const Bound& bound : bounds)
    if (bound.value > bound.most)
      throw usage_error(msg::texture_size_too_large(shape, bound.size, bound.most, bound.value, advice));
}

void check_layers(const ArrayShape& shape, const TextureLimits& limits) {
  if (shape.depth) throw usage_error(msg::texture_layers_of_3d());
  if (shape.height)
    require(msg::texture_shape_2d_layered(), msg::advice_choose_smaller_size(),
            {{msg::texture_width(), shape.width, limits.width_2d_layered},
             {msg::texture_height(), shape.height, limits.height_2d_layered},
             {msg::texture_layer_count(), shape.layers, limits.layers}});
  else
    require(msg::texture_shape_1d_layered(), msg::advice_choose_smaller_size(),
            {{msg::texture_width(), shape.width, limits.width_1d_layered},
             {msg::texture_layer_count(), shape.layers, limits.layers}});
}

void check_texture_sizes(const ArrayShape& shape, const TextureLimits& limits) {
  if (shape.layers) return check_layers(shape, limits);
  if (shape.depth)
    return require(msg::texture_shape_3d(), msg::advice_choose_smaller_size(),
                   {{msg::texture_width(), shape.width, limits.width_3d},
                    {msg::texture_height(), shape.height, limits.height_3d},
                    {msg::texture_depth(), shape.depth, limits.depth_3d}});
  if (shape.height)
    return require(msg::texture_shape_2d(), msg::advice_choose_smaller_size(),
                   {{msg::texture_width(), shape.width, limits.width_2d},
                    {msg::texture_height(), shape.height, limits.height_2d}});
  require(msg::texture_shape_1d(), msg::advice_fold_texels(),
          {{msg::texture_width(), shape.width, limits.width_1d}});
}

void check_surface_sizes(const ArrayShape& shape, const TextureLimits& limits) {
  if (!shape.has_surface || shape.layers) return;
  if (shape.depth)
    return require(msg::texture_shape_3d_surface(), msg::advice_choose_smaller_size(),
                   {{msg::texture_width(), shape.width, limits.width_3d_surface},
                    {msg::texture_height(), shape.height, limits.height_3d_surface},
                    {msg::texture_depth(), shape.depth, limits.depth_3d_surface}});
  if (shape.height)
    return require(msg::texture_shape_2d_surface(), msg::advice_choose_smaller_size(),
                   {{msg::texture_width(), shape.width, limits.width_2d_surface},
                    {msg::texture_height(), shape.height, limits.height_2d_surface}});
  require(msg::texture_shape_1d_surface(), msg::advice_choose_smaller_size(),
          {{msg::texture_width(), shape.width, limits.width_1d_surface}});
}

void check_shape(const ArrayShape& shape, const TextureLimits& limits) {
  if (shape.width == 0 || (shape.depth && !shape.height)) throw usage_error(msg::texture_sides_missing());
  check_texture_sizes(shape, limits);
  check_surface_sizes(shape, limits);
  if (!shape.can_gather) return;
  if (shape.dimensions() != 2) throw usage_error(msg::texture_gather_not_2d());
  require(msg::texture_shape_gather(), msg::advice_choose_smaller_size(),
          {{msg::texture_width(), shape.width, limits.width_gather},
           {msg::texture_height(), shape.height, limits.height_gather}});
}

void check_sampling(const TexelFormat& format, const Sampling& sampling) {
  if (sampling.filter == FilterMode::kLinear && !reads_floats(format, sampling.read))
    throw usage_error(msg::texture_linear_filter_of_integers());
  if (sampling.read == ReadMode::kNormalizedFloat && format.kind != ChannelKind::kFloat && format.bits == 32)
    throw usage_error(msg::texture_normalized_too_wide());
}

void check_first_byte(std::uint64_t address, std::size_t alignment) {
  if (address % alignment != 0) throw usage_error(msg::texture_first_byte_unaligned(alignment, address));
}

}  // namespace

TexelFormat texel_format(ScalarType type, int channels) {
  if (channels != 1 && channels != 2 && channels != 4)
    throw usage_error(msg::texel_channel_count_wrong(channels));
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
  throw usage_error(msg::texel_type_too_wide(info(type).name));
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
  require(msg::texture_shape_linear(), msg::advice_choose_smaller_size(),
          {{msg::texture_width(), texels.count, limits_.width_linear}});
  if (texels.count == 0) throw usage_error(msg::texture_without_texels());
  check_first_byte(texels.address, limits_.base_alignment);
  Sampling sampling;
  sampling.read = read;
  check_sampling(texels.format, sampling);
  return {*this, make_texture(texels, sampling)};
}

Texture Textures::create_texture(const PitchTexels& texels, const Sampling& sampling) {
  require(msg::texture_shape_rows(), msg::advice_choose_smaller_size(),
          {{msg::texture_width(), texels.width, limits_.width_pitch},
           {msg::texture_height(), texels.height, limits_.height_pitch},
           {msg::texture_pitch(), texels.pitch_bytes, limits_.pitch_bytes}});
  if (texels.width == 0 || texels.height == 0) throw usage_error(msg::texture_without_texels());
  check_first_byte(texels.address, limits_.base_alignment);
  if (texels.pitch_bytes % limits_.pitch_alignment != 0)
    throw usage_error(msg::texture_row_pitch_unaligned(limits_.pitch_alignment, texels.pitch_bytes));
  if (texels.width * texels.format.bytes() > texels.pitch_bytes)
    throw usage_error(msg::texture_row_beyond_pitch(texels.width, texels.width * texels.format.bytes(),
                                                    texels.pitch_bytes));
  check_sampling(texels.format, sampling);
  return {*this, make_texture(texels, sampling)};
}

Surface Textures::create_surface(const TextureArray& array) {
  if (!array.shape().has_surface) throw usage_error(msg::surface_array_unsuited());
  return {*this, make_surface(array.value())};
}

}  // namespace cudalab::device
