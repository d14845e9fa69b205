// An instruction on a texture or a surface, decoded: what does not fit into Inst.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

enum class BoundaryMode : std::uint8_t { kTrap, kClamp, kZero };

// Of a texture with several levels: the first, or the one that is asked for.
enum class LevelFrom : std::uint8_t { kFirst, kOperand, kGradients };

struct TextureOp {
  int dimensions = 1;
  bool is_layered = false;
  bool has_float_coordinates = false;
  std::array<Slot, 3> coordinates{};  // 32 bits a lane
  Slot layer{};
  LevelFrom level_from = LevelFrom::kFirst;
  Slot level{};
  std::array<std::array<Slot, 3>, 2> gradients{};  // along x and y of the picture
  std::array<Slot, 4> values{};                    // results of a fetch or read, sources of a write
  int value_count = 0;
  // tld4: the channel that is gathered.
  std::size_t channel = 0;
  // Surfaces: of each value, and what happens beyond the edges.
  std::size_t value_bytes = 4;
  BoundaryMode boundary = BoundaryMode::kTrap;
  std::size_t access_bytes() const { return value_bytes * static_cast<std::size_t>(value_count); }
};

// What txq and suq can ask.
enum class TextureQuery : std::uint8_t { kWidth, kHeight, kDepth, kLayers };

}  // namespace cudalab::vgpu
