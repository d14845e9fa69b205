// The texts of --help, of the program and of one command, for a width in columns.
#pragma once

#include <cstddef>
#include <string>

#include "cli/verb.h"

namespace cudalab::cli {

std::string program_help(std::size_t width);

std::string command_help(const Verb& verb, const Options& options, std::size_t width);

}  // namespace cudalab::cli
