// Entry points through which instructions report their accesses to the enabled checks.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

struct BoundTexels;

// Reports an access to the enabled checks, before the data moves. `base` is the generic address of the first
// active lane.
void observe_access(const Inst* inst, Warp& warp, const SiteState& site, const Pattern& pattern,
                    std::uint64_t base, AccessMode mode);
// The same for texels that are fetched; `info` replaces the site's.
void observe_texels(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern,
                    std::uint64_t base);
// Reports the coordinates with which a lane fetches from a texture.
void observe_fetch(const Inst* inst, const Warp& warp, const BoundTexels& texels, std::array<double, 3> at);
// The same as observe_access for one lane; call after locate_lane().
void observe_lane(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                  AccessMode mode);
inline void observe_lane(const Inst* inst, Warp& warp, const SiteState& site, int lane, std::uint64_t address,
                         AccessMode mode) {
  observe_lane(inst, warp, *site.info, lane, address, mode);
}

}  // namespace cudalab::vgpu
