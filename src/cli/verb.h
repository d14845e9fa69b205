// What a subcommand of the program is: its name, its help and what it does. A new verb is one file in
// cli/verbs/ that returns a Verb, and one row in cli/verbs.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "core/error.h"

namespace CLI {
class App;
}

namespace cudalab::cli {

// Runs with the options that its declaration read.
using Action = std::function<ExitCode(const Console&)>;

struct Verb {
  std::string name;
  std::string alias;                  // may be empty
  std::string summary;                // one line, for the list of commands and the top of its help
  std::vector<std::string> examples;  // whole command lines
  std::function<Action(CLI::App&)> declare;
  std::string more_help = {};  // paragraphs between the options and the examples
};

}  // namespace cudalab::cli
