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

// Texture sampling: from coordinates to texels and their weights, and from these to four channels. All
// functions are pure. The formulas are from the CUDA C++ Programming Guide, "Texture Fetching"; details that
// it leaves open, such as rounding, are as measured on an H200: expected/h200/textures.txt.

// The layout of a texture's texels. Layers of an array are slices.
struct TexelGrid {
  TexelFormat format;
  int dimensions = 1;
  std::array<std::size_t, 3> extent{1, 1, 1};  // width, height, depth; 1 for unused dimensions
  std::size_t layers = 0;                      // 0: not layered
  std::size_t row_bytes = 0, slice_bytes = 0;
  std::size_t bytes() const;  // from the first texel to the end of the last one
  std::size_t offset(std::size_t x, std::size_t y, std::size_t z) const {
    return z * slice_bytes + y * row_bytes + x * format.bytes();
  }
};

// The result for a kernel: 32 bits per channel, an integer or a float.
using Channels = std::array<std::uint32_t, 4>;

// One texel that a fetch reads.
struct Tap {
  bool is_outside = false;  // outside the texture: has the border colour, if there is one
  std::size_t offset = 0;   // of its first byte
  std::uint32_t weight = 0;
};
struct Taps {
  std::array<Tap, 16> tap;  // 2 x 2 x 2 for each of two levels
  int count = 0;
  std::uint32_t whole = 1;  // sum of the weights: 1, or 256 if texels are interpolated
  std::span<const Tap> all() const { return {tap.data(), static_cast<std::size_t>(count)}; }
};

// By floating-point coordinates, according to `sampling`. `layer` is used only if the grid is layered.
Taps find_taps(const TexelGrid& grid, const Sampling& sampling, std::array<float, 3> at, std::uint32_t layer);

// A cube map is a layered grid whose layers are the faces +x, -x, +y, -y, +z and -z of one cube after the
// other.
inline constexpr std::uint32_t kCubeFaces = 6;
// Where a direction from the centre of a cube meets its surface: the face, and the normalized coordinates on
// it. CUDA C++ Programming Guide, "Cubemap Textures". Of two faces with the same distance, an H200 takes that
// of the later axis (tests/programs/cubemap.cu).
struct CubePlace {
  std::uint32_t face = 0;
  std::array<float, 3> at{};
};
CubePlace place_on_cube(const std::array<float, 3>& direction);

// One level of a mipmapped array. `offset`: from the first byte of the first level.
struct TexelLevel {
  TexelGrid grid;
  std::size_t offset = 0;
};
// Selection of a level: the nearest level, or interpolation of two levels (`filter`). Levels of detail count
// from the first level.
struct LevelSampling {
  FilterMode filter = FilterMode::kPoint;
  float bias = 0, lowest = 0, highest = 0;
};
// A level, and the weight of the next level in 256ths.
struct LevelChoice {
  std::size_t level = 0;
  std::uint32_t part = 0;
};
LevelChoice choose_level(const LevelSampling& sampling, float level, float bias, std::size_t levels);
// Level of detail from the gradients of the normalized coordinates per screen pixel, `dx` and `dy`: the level
// whose texels have about the size of a pixel.
float level_of_gradients(const TexelGrid& grid, std::span<const float> dx, std::span<const float> dy);
Taps find_taps_in_levels(std::span<const TexelLevel> levels, const Sampling& sampling,
                         const LevelChoice& choice, std::array<float, 3> at, std::uint32_t layer);

// Whether a fetch by floating-point coordinates reads one texel, the nearest, instead of interpolating
// several.
bool takes_one_texel(const TexelGrid& grid, const Sampling& sampling);
inline constexpr std::size_t kOutsideTexture = SIZE_MAX;
// The same as find_taps for all lanes of a warp, where each fetch reads one texel of a row or plane without
// layers: the offsets of the texels. `coordinates`: an array of lanes per dimension; null: 0 in all lanes.
void find_nearest(const TexelGrid& grid, const Sampling& sampling,
                  const std::array<const float*, 2>& coordinates, std::uint32_t lanes, std::size_t* offsets);

// By integer coordinates: one texel. Texels outside are zero, whatever the border.
Taps find_texel(const TexelGrid& grid, std::array<std::int32_t, 3> at, std::uint32_t layer);
// The same for linear memory and all lanes of a warp; `channels`: one array of lanes per channel.
void fetch_texels(const TexelGrid& grid, ReadMode read, const std::byte* first, const std::int32_t* index,
                  std::uint32_t lanes, const std::array<std::uint32_t*, 4>& channels);
// The four texels that linear filtering would interpolate, counter-clockwise from the lower left; each has
// weight 1.
Taps find_gathered(const TexelGrid& grid, const Sampling& sampling, std::array<float, 3> at,
                   std::uint32_t layer);

// A texel's channels from its bytes; channels that the format lacks are 0.
Channels unpack_texel(const TexelFormat& format, ReadMode read, const std::byte* bytes);
Channels border_colour(const TexelFormat& format, const Sampling& sampling);

// The weighted sum of the texels in `taps`; `first` is the grid's first byte.
Channels mix(const TexelGrid& grid, const Sampling& sampling, const Taps& taps, const std::byte* first);

// The arrays, textures and surfaces of a virtual GPU. Kernels get handles; invalid handles are detected.

using TexelSource = std::variant<std::uint64_t /* an array */, LinearTexels, PitchTexels>;

// The object behind a texture or surface handle.
struct BoundTexels {
  TexelGrid grid;
  Sampling sampling;
  std::uint64_t address = 0;       // of the first texel
  std::vector<TexelLevel> levels;  // all levels of a mipmapped array, including the first; else empty
  LevelSampling level_sampling;
  bool is_surface = false, is_linear_memory = false, can_gather = false;
};

// Handles lie outside all memory windows.
inline constexpr std::uint64_t kFirstHandle = 0x0500'0000'0001;

class TextureTable {
 public:
  explicit TextureTable(GlobalMemory& memory) : memory_(&memory) {}

  // An array is identified by its address in global memory, which kernels do not see. Its rows are aligned to
  // 16 bytes; the host's side of a copy has no gaps.
  std::uint64_t create_array(std::string name, const ArrayShape& shape);
  void write_array(std::uint64_t array, std::span<const std::byte> from);
  void read_array(std::uint64_t array, std::span<std::byte> to) const;
  TexelGrid grid_of_array(std::uint64_t array) const;  // layout of its texels, relative to its address

  std::uint64_t create_texture(const TexelSource& texels, const Sampling& sampling);
  // A mipmapped array: each level is an array with half the width and height of the previous one. Returns the
  // addresses of the levels; destroying the first level destroys all.
  std::vector<std::uint64_t> create_levels(std::string name, const ArrayShape& shape, std::size_t levels);
  std::uint64_t create_mipmapped_texture(std::span<const std::uint64_t> levels, const Sampling& sampling,
                                         const LevelSampling& level_sampling);
  std::uint64_t create_surface(std::uint64_t array);
  void destroy(std::uint64_t array_or_handle);  // ignores unknown values

  const BoundTexels* find(std::uint64_t handle) const;  // nullptr: invalid handle

 private:
  std::uint64_t bind(BoundTexels texels);
  const ArrayShape& shape_of(std::uint64_t array) const;

  GlobalMemory* memory_;
  std::map<std::uint64_t, ArrayShape> arrays_;
  std::map<std::uint64_t, BoundTexels> bound_;
  std::uint64_t next_handle_ = kFirstHandle;
};

}  // namespace cudalab::vgpu
