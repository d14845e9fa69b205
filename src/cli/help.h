// The texts of --help: of the program, and of one command.
#pragma once

#include <string>

#include "cli/verb.h"

namespace cudalab::cli {

std::string program_help();

std::string command_help(const Verb& verb, const Options& options);

}  // namespace cudalab::cli
