// Every command with its options, for those who describe all of them: completions, the manual page.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"

namespace cudalab::cli {

struct Command {
  Verb verb;
  bool is_lab = false;
  Declaration declaration;  // holds what the options point to
  // Those that people use: without those in no group.
  Options options() const;
};

std::vector<Command> all_commands();  // verbs, then labs

// What an argument of that name, or an option, may be; empty where it is anything, or a file.
std::vector<std::string> words_for(const Command& command, const Option& option);

}  // namespace cudalab::cli
