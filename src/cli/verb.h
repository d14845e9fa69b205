// What a subcommand of the program is: its name, its help and what it does. A new verb is one file in
// cli/verbs/ that returns a Verb, and one row in cli/verbs.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "core/error.h"

namespace cudalab::cli {

// Runs with what the options hold by then.
using Action = std::function<ExitCode(const Console&)>;

struct Declaration {
  Options options;
  Action action;
};

struct Verb {
  std::string name;
  std::string alias;                  // may be empty
  std::string summary;                // one line, for the list of commands and the top of its help
  std::vector<std::string> examples;  // whole command lines
  std::function<Declaration()> declare;
  std::string more_help = {};  // paragraphs between the options and the examples
  bool is_for_staff = false;   // speaks English alone; all others speak the learner's language
};

inline Verb for_staff(Verb verb) {
  verb.is_for_staff = true;
  return verb;
}

// For a verb that takes nothing.
inline std::function<Declaration()> no_options(ExitCode (*run)(const Console&)) {
  return [run] { return Declaration{{}, run}; };
}

// For a verb whose options go into a Texts of its own.
template <class Texts>
std::function<Declaration()> with_options(Options (*options)(Texts&),
                                          ExitCode (*run)(const Texts&, const Console&)) {
  return [options, run] {
    auto texts = std::make_shared<Texts>();
    return Declaration{options(*texts), [texts, run](const Console& to) { return run(*texts, to); }};
  };
}

}  // namespace cudalab::cli
