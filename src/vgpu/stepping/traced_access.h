// What the lanes of an instruction ask of a memory, before it is executed.
#pragma once

#include <optional>

#include "vgpu/stepping/traced_code.h"

namespace cudalab::vgpu {

// Nothing where the address cannot be told, or no lane takes part.
std::optional<TracedAccess> trace_access(const TracedCode& code, const TracedCode::Entry& entry,
                                         const AddressUse& use, const Warp& warp, std::uint32_t executing);

}  // namespace cudalab::vgpu
