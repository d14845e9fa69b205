// Explains a wrong result by the coordinates with which a kernel fetches from its textures.
#pragma once

#include <span>
#include <vector>

#include "core/measurement.h"
#include "course/reasons/evidence.h"

namespace cudalab::course {

// Coordinates that hardly fit the texture: outside its texels, of the wrong kind (normalized or not), or at
// the edges of texels where centres are needed. In a right program they may be intended, such as coordinates
// outside a texture that clamps them.
std::vector<Reason> facts_of_textures(std::span<const TextureUse> found);

// The same, without facts that are also true of the solution.
std::vector<Reason> reasons_of_textures(std::span<const TextureUse> found,
                                        std::span<const TextureUse> wanted);

}  // namespace cudalab::course
