// The arrays, textures and surfaces of a virtual GPU. Kernels get handles; one that stands for nothing is
// found out.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/texture.h"
#include "vgpu/memory/memory.h"
#include "vgpu/memory/texture.h"

namespace cudalab::vgpu {

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
