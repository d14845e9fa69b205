#include "course/reasons/texture_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "messages/course.h"

namespace cudalab::course {
namespace {

constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};

// What is odd about one coordinate; nullopt if it is not used or fits.
std::optional<Message> oddity(const TextureUse& use, std::size_t axis) {
  if (axis >= static_cast<std::size_t>(use.dimensions)) return std::nullopt;
  const Code name{kAxes[axis]};
  const double least = use.least[axis], most = use.most[axis];
  const std::uint64_t texels = use.extent[axis];
  if (!std::isfinite(least) || !std::isfinite(most) || texels < 2) return std::nullopt;
  const auto extent = static_cast<double>(texels);
  if (use.is_normalized) {
    // A fetch outside is usual by less than a texture's width, and only with coordinates of the other kind by
    // more.
    constexpr double kNear = 1;
    if (least < -kNear || most > 1 + kNear)
      return msg::evidence_texture_normalized(name, least, most, texels);
    return std::nullopt;
  }
  const bool has_fraction = std::floor(least) != least || std::floor(most) != most;
  if (has_fraction && least >= 0 && most <= 1 && use.fetches > 2)
    return msg::evidence_texture_not_normalized(name, least, most, texels);
  if (use.is_interpolated ? least < 0 || most > extent : least < 0 || most >= extent)
    return msg::evidence_texture_outside(name, least, most, texels, texels - 1);
  if (use.is_interpolated && least == 0) return msg::evidence_texture_corner(name);
  return std::nullopt;
}

}  // namespace

std::vector<Reason> facts_of_textures(std::span<const TextureUse> found) {
  std::vector<Reason> facts;
  for (const TextureUse& use : found)
    for (std::size_t axis = 0; axis < kAxes.size(); ++axis)
      if (auto what = oddity(use, axis)) {
        facts.push_back({*std::move(what), use.where.line > 0 ? std::optional(use.where) : std::nullopt});
        break;  // the other coordinates are usually wrong in the same way
      }
  return facts;
}

std::vector<Reason> reasons_of_textures(std::span<const TextureUse> found,
                                        std::span<const TextureUse> wanted) {
  std::vector<Reason> reasons = facts_of_textures(found);
  const std::vector<Reason> usual = facts_of_textures(wanted);
  std::erase_if(reasons, [&usual](const Reason& reason) {
    return std::ranges::any_of(usual, [&](const Reason& one) { return one.what.id() == reason.what.id(); });
  });
  return reasons;
}

}  // namespace cudalab::course
