// The texts of --help, of the program and of one command, in the learner's language, for a width in columns.
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

// The help of --language, which every verb for learners has.
inline constexpr const char* kLanguageHelp = "English, Chinese or Russian; default: by the locale";

// The texts that help is made of, for translators. Texts of labs are not among them: labs translate their
// own.
std::vector<std::string> help_texts();

}  // namespace cudalab::cli
