// The checks that watch memory accesses.
#include "vgpu/access.h"

namespace cudalab::vgpu {

void observe_access(const Inst*, Warp&, const SiteState&, const Pattern&, std::uint64_t, AccessMode) {}

}  // namespace cudalab::vgpu
