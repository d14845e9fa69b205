// The manual page, from the same tables as the help.
#pragma once

#include <span>
#include <string>

#include "cli/commands.h"

namespace cudalab::cli {

// In the language of man(7). `version`: of the program.
std::string man_page(std::span<const Command> commands, const std::string& version);

}  // namespace cudalab::cli
