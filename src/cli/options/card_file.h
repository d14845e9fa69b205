// A card of the user's own: a file as cards/NAME.json is.
#pragma once

#include <string>

#include "vgpu/card.h"

namespace cudalab::cli {

// Throws Error(kUsage) that says where the text is no card.
vgpu::CardDescription description_in(const std::string& text, const std::string& file);

// The built-in card of that name, or that of the file: a path has a slash, or ends in .json. Throws
// Error(kUsage).
vgpu::CardDescription described_card(const std::string& name_or_file);

}  // namespace cudalab::cli
