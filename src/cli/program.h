// From the words of a command line to a verb, its output and the exit code; every error becomes one line
// here.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"

namespace cudalab::cli {

// `arguments` without the program's own name. Never throws.
int run_program(std::vector<std::string> arguments, Console& console);

}  // namespace cudalab::cli
