// The texts of --help, of the program and of one command, for a width in columns.
#pragma once

#include <cstddef>
#include <string>

#include "cli/verb.h"

namespace cudalab::cli {

struct ExitCodeMeaning {
  int code;
  const char* text;
};
inline constexpr ExitCodeMeaning kExitCodeMeanings[]{
    {0, "every verdict passed"},
    {1, "a verdict failed"},
    {2, "wrong usage or bad input"},
    {3, "the machine lacks what was asked for (no GPU, no compiler, not enough memory)"},
    {4, "the run was stopped (time or step limit, Ctrl-C)"},
    {70, "an internal error: a fault of cudalab itself"},
};

std::string program_help(std::size_t width);

std::string command_help(const Verb& verb, const Options& options, std::size_t width);

}  // namespace cudalab::cli
