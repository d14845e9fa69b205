// Lets the hazards of a launch agree on what helps: one mistake is often found in several ways.
#pragma once

#include <vector>

#include "core/measurement.h"

namespace cudalab::vgpu {

// Where two threads write one element, no barrier between the read and the write of it is advised; where one
// of the lines races across warps, none of a warp; and who reads what nobody has written yet is told why.
void agree(std::vector<Hazard>& hazards);

}  // namespace cudalab::vgpu
