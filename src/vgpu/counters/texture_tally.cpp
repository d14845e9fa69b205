#include "vgpu/counters/texture_tally.h"

#include <algorithm>

#include "vgpu/program.h"

namespace cudalab::vgpu {
namespace {

TextureUse first_use(const BoundTexels& texels) {
  TextureUse use;
  use.dimensions = texels.grid.dimensions;
  std::ranges::copy(texels.grid.extent, use.extent.begin());
  use.is_normalized = texels.sampling.normalized_coordinates;
  use.is_interpolated = texels.sampling.filter == FilterMode::kLinear;
  return use;
}

void widen(TextureUse& use, const std::array<double, 3>& least, const std::array<double, 3>& most) {
  for (std::size_t d = 0; d < least.size(); ++d) {
    use.least[d] = use.fetches == 0 ? least[d] : std::min(use.least[d], least[d]);
    use.most[d] = use.fetches == 0 ? most[d] : std::max(use.most[d], most[d]);
  }
}

}  // namespace

void TextureTally::add(std::uint32_t line, const BoundTexels& texels, std::array<double, 3> at) {
  const auto [entry, is_new] = uses_.try_emplace({line, texels.address});
  TextureUse& use = entry->second;
  if (is_new) use = first_use(texels);
  widen(use, at, at);
  ++use.fetches;
}

std::vector<TextureUse> join_textures(const Launch& launch, std::span<const TextureTally* const> tallies,
                                      NameAt name_at) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, TextureUse> all;
  for (const TextureTally* tally : tallies)
    for (const auto& [key, use] : tally->uses_) {
      const auto [entry, is_new] = all.try_emplace(key, use);
      if (is_new) continue;
      widen(entry->second, use.least, use.most);
      entry->second.fetches += use.fetches;
    }
  std::vector<TextureUse> joined;
  for (auto& [key, use] : all) {
    use.texture = name_at(launch, key.second);
    use.where = launch.program->lines[key.first];
    joined.push_back(std::move(use));
  }
  std::ranges::stable_sort(joined, {},
                           [](const TextureUse& use) { return std::pair(use.where.file, use.where.line); });
  return joined;
}

}  // namespace cudalab::vgpu
