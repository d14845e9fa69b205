// The texts of --help: of the program, and of one command.
#pragma once

#include <string>

#include "cli/verb.h"

namespace cudalab::cli {

std::string program_help();

// The help of a command whose options have been declared on `app`.
std::string command_help(const Verb& verb, const CLI::App& app);

}  // namespace cudalab::cli
