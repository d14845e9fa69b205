// The --help texts of the program and of each command, in the user's language, wrapped to a width in columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "core/languages/wording.h"

namespace cudalab::cli {

struct ExitCodeMeaning {
  int code;
  const char* text;
};
inline constexpr ExitCodeMeaning kExitCodeMeanings[]{
    {0, "every verdict passed"},
    {1, "a verdict failed"},
    {2, "wrong usage or bad input"},
    {3, "the machine lacks something (a GPU, a compiler, memory)"},
    {4, "the run was stopped (time or step limit, Ctrl-C)"},
    {70, "an internal error: a bug in cudalab"},
};

std::string program_help(std::size_t width, const Wording& wording);

std::string command_help(const Verb& verb, const Options& options, std::size_t width, const Wording& wording);

// The help of --language, an option of all verbs for learners.
inline constexpr const char* kLanguageHelp = "English, Chinese or Russian; default: by the locale";

// The texts that help consists of, for translators. Labs translate their own texts, which are not included.
std::vector<std::string> help_texts();

}  // namespace cudalab::cli
