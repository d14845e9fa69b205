// Reads user-defined GPU descriptions (`--card FILE`), JSON files in the format of cards/NAME.json.
#pragma once

#include <string>

#include "vgpu/card.h"

namespace cudalab::cli {

// Throws Error(kUsage) that names the offending part if the text does not describe a GPU.
vgpu::CardDescription description_in(const std::string& text, const std::string& file);

// The built-in GPU of that name, or the one that a file describes: a path contains a slash or ends in .json.
// Throws Error(kUsage).
vgpu::CardDescription described_card(const std::string& name_or_file);

}  // namespace cudalab::cli
