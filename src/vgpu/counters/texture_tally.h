// Keeps the range of the coordinates with which the threads of a launch fetch from textures. Enabled by
// LaunchOptions::record_uses; the result is Recording::textures.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "vgpu/block.h"
#include "vgpu/counters/use_tally.h"
#include "vgpu/memory/texture_table.h"

namespace cudalab::vgpu {

// One per host thread, so no locks are needed.
class TextureTally {
 public:
  // Counts the fetch of one thread at a line, an index into Program::lines.
  void add(std::uint32_t line, const BoundTexels& texels, std::array<double, 3> at);

 private:
  friend std::vector<TextureUse> join_textures(const Launch& launch,
                                               std::span<const TextureTally* const> tallies, NameAt name_at);
  std::map<std::pair<std::uint32_t, std::uint64_t>, TextureUse> uses_;  // by line and address of the texels
};

// The sum over the host threads, in source order.
std::vector<TextureUse> join_textures(const Launch& launch, std::span<const TextureTally* const> tallies,
                                      NameAt name_at);

}  // namespace cudalab::vgpu
