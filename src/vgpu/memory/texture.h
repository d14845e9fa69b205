// How a texture is read: from coordinates to texels and their weights, and from these to four channels. Pure
// functions. The CUDA C++ Programming Guide, "Texture Fetching", gives the formulas; what it leaves open (how
// a coordinate is rounded, how a mixture is) is as measured on an H200: expected/h200/textures.txt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/texture.h"

namespace cudalab::vgpu {

// Where the texels of a texture lie. A layer of an array is a slice.
struct TexelGrid {
  TexelFormat format;
  int dimensions = 1;
  std::array<std::size_t, 3> extent{1, 1, 1};  // width, height, depth; 1 beyond its dimensions
  std::size_t layers = 0;                      // 0: not layered
  std::size_t row_bytes = 0, slice_bytes = 0;
  std::size_t bytes() const;  // from the first texel to the end of the last
  std::size_t offset(std::size_t x, std::size_t y, std::size_t z) const {
    return z * slice_bytes + y * row_bytes + x * format.bytes();
  }
};

// What a kernel gets: 32 bits a channel, of an integer or a float.
using Channels = std::array<std::uint32_t, 4>;

// One texel that a fetch reads.
struct Tap {
  bool is_outside = false;  // of the texture: it has the colour of the border, if there is one
  std::size_t offset = 0;   // of its first byte
  std::uint32_t weight = 0;
};
struct Taps {
  std::array<Tap, 16> tap;  // of each of two levels 2 x 2 x 2
  int count = 0;
  std::uint32_t whole = 1;  // what the weights add up to: 1, or 256 where texels are mixed
  std::span<const Tap> all() const { return {tap.data(), static_cast<std::size_t>(count)}; }
};

// By floating-point coordinates, as Sampling says; `layer` counts where the grid is layered.
Taps find_taps(const TexelGrid& grid, const Sampling& sampling, std::array<float, 3> at, std::uint32_t layer);

// The levels of a mipmapped array. `offset`: of a level's first byte from the first level's.
struct TexelLevel {
  TexelGrid grid;
  std::size_t offset = 0;
};
// How a level is chosen: as `filter` says the nearest one, or the two around it are mixed. The guide's level
// of detail counts levels from the first.
struct LevelSampling {
  FilterMode filter = FilterMode::kPoint;
  float bias = 0, lowest = 0, highest = 0;
};
// A level, and in 256ths how much of the next one is mixed in.
struct LevelChoice {
  std::size_t level = 0;
  std::uint32_t part = 0;
};
LevelChoice choose_level(const LevelSampling& sampling, float level, float bias, std::size_t levels);
// What one step in either direction of the picture is in texels of the first level: which level has texels of
// about this size.
float level_of_gradients(const TexelGrid& grid, std::span<const float> dx, std::span<const float> dy);
Taps find_taps_in_levels(std::span<const TexelLevel> levels, const Sampling& sampling,
                         const LevelChoice& choice, std::array<float, 3> at, std::uint32_t layer);

// By whole numbers: one texel. Beyond the edges everything is zero, whatever the border.
Taps find_texel(const TexelGrid& grid, std::array<std::int32_t, 3> at, std::uint32_t layer);
// The same for texels of linear memory, of a whole warp: a row of lanes for each channel.
void fetch_texels(const TexelGrid& grid, ReadMode read, const std::byte* first, const std::int32_t* index,
                  std::uint32_t lanes, const std::array<std::uint32_t*, 4>& channels);
// The four texels that linear filtering would mix, counter-clockwise from the lower left; each with weight 1.
Taps find_gathered(const TexelGrid& grid, const Sampling& sampling, std::array<float, 3> at,
                   std::uint32_t layer);

// A texel's channels from its bytes; those that the format lacks are 0.
Channels unpack_texel(const TexelFormat& format, ReadMode read, const std::byte* bytes);
Channels border_colour(const TexelFormat& format, const Sampling& sampling);

// The texels of `taps`, mixed; `first` is the grid's first byte.
Channels mix(const TexelGrid& grid, const Sampling& sampling, const Taps& taps, const std::byte* first);

}  // namespace cudalab::vgpu
