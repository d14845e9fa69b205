// A card as text, for another process.
#pragma once

#include <string>
#include <string_view>

#include "vgpu/card.h"

namespace cudalab::vgpu {

std::string text_of(const CardDescription& description);
// Throws Error(kUsage) for what is no such text.
CardDescription description_from(std::string_view text);

}  // namespace cudalab::vgpu
