// Scripts with which shells complete commands, options and their values.
#pragma once

#include <span>
#include <string>

#include "cli/commands.h"

namespace cudalab::cli {

std::string bash_completions(std::span<const Command> commands);
std::string zsh_completions(std::span<const Command> commands);
std::string fish_completions(std::span<const Command> commands);

}  // namespace cudalab::cli
