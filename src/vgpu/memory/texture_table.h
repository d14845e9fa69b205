// Arrays, textures and surfaces of a virtual GPU by handle, and how a texture is sampled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/texture.h"
#include "vgpu/memory/memory.h"

namespace cudalab::vgpu {

// How a texture is read: from coordinates to texels and their weights, and from these to four channels. Pure
// functions. The CUDA C++ Programming Guide, "Texture Fetching", gives the formulas; what it leaves open (how
// a coordinate is rounded, how a mixture is) is as measured on an H200: expected/h200/textures.txt.

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

// The arrays, textures and surfaces of a virtual GPU. Kernels get handles; one that stands for nothing is
// found out.

using TexelSource = std::variant<std::uint64_t /* an array */, LinearTexels, PitchTexels>;

// What a handle of a texture or surface stands for.
struct BoundTexels {
  TexelGrid grid;
  Sampling sampling;
  std::uint64_t address = 0;       // of the first texel
  std::vector<TexelLevel> levels;  // of a mipmapped array, the first among them; else empty
  LevelSampling level_sampling;
  bool is_surface = false, is_linear_memory = false, can_gather = false;
};

// Handles are no addresses of memory.
inline constexpr std::uint64_t kFirstHandle = 0x0500'0000'0001;

class TextureTable {
 public:
  explicit TextureTable(GlobalMemory& memory) : memory_(&memory) {}

  // An array is known by its address in global memory, which kernels are not told. Its texels stand row by
  // row, each row at a multiple of 16 bytes; the host's side of a copy is without gaps.
  std::uint64_t create_array(std::string name, const ArrayShape& shape);
  void write_array(std::uint64_t array, std::span<const std::byte> from);
  void read_array(std::uint64_t array, std::span<std::byte> to) const;
  TexelGrid grid_of_array(std::uint64_t array) const;  // where its texels lie behind its address

  std::uint64_t create_texture(const TexelSource& texels, const Sampling& sampling);
  // A mipmapped array: each level half as wide and high as the one before, as an array of its own. The
  // addresses of the levels; they go with the first one.
  std::vector<std::uint64_t> create_levels(std::string name, const ArrayShape& shape, std::size_t levels);
  std::uint64_t create_mipmapped_texture(std::span<const std::uint64_t> levels, const Sampling& sampling,
                                         const LevelSampling& level_sampling);
  std::uint64_t create_surface(std::uint64_t array);
  void destroy(std::uint64_t array_or_handle);  // what it does not know is ignored

  const BoundTexels* find(std::uint64_t handle) const;  // nullptr: it stands for nothing

 private:
  std::uint64_t bind(BoundTexels texels);
  const ArrayShape& shape_of(std::uint64_t array) const;

  GlobalMemory* memory_;
  std::map<std::uint64_t, ArrayShape> arrays_;
  std::map<std::uint64_t, BoundTexels> bound_;
  std::uint64_t next_handle_ = kFirstHandle;
};

}  // namespace cudalab::vgpu
