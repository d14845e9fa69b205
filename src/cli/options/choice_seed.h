// The order of a quiz's choices, as the command line asks for it.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/option.h"
#include "cli/terminal/answers.h"

namespace cudalab::cli {

Option choice_seed_option(std::string& text);

// What was given; else another each time for somebody at a terminal, and 0, the order of the file, for
// answers that were written before. Throws Error(kUsage) for what is no whole number.
std::uint64_t choice_seed(const std::string& text, const Answers& answers);

}  // namespace cudalab::cli
