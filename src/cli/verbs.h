// The table of verbs: the parts of a verb, looking up a command by name, and all commands with their options.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "core/error.h"

namespace cudalab::cli {

// A subcommand of the program: its name, its help and its action. To add a verb, write one file in cli/verbs/
// that returns a Verb, and add one row to cli/verbs.cpp.

// Called after the options have received their values.
using Action = std::function<ExitCode(const Console&)>;

struct Declaration {
  Options options;
  Action action;
};

struct Verb {
  std::string name;
  std::string alias;                  // may be empty
  std::string summary;                // one line, for the list of commands and the top of the help
  std::vector<std::string> examples;  // whole command lines
  std::function<Declaration()> declare;
  std::string more_help = {};    // paragraphs after the options and before the examples
  bool is_for_staff = false;     // only in English; other verbs use the learner's language
  bool takes_all_words = false;  // as if the command line began with `--`: they are another program's options
};

inline Verb for_staff(Verb verb) {
  verb.is_for_staff = true;
  return verb;
}

// For a verb without options.
inline std::function<Declaration()> no_options(ExitCode (*run)(const Console&)) {
  return [run] { return Declaration{{}, run}; };
}

// For a verb that keeps its options in a Texts struct.
template <class Texts>
std::function<Declaration()> with_options(Options (*options)(Texts&),
                                          ExitCode (*run)(const Texts&, const Console&)) {
  return [options, run] {
    auto texts = std::make_shared<Texts>();
    return Declaration{options(*texts), [texts, run](const Console& to) { return run(*texts, to); }};
  };
}

// All commands with their options, for completions and the manual page.

struct Command {
  Verb verb;
  bool is_lab = false;
  Declaration declaration;  // owns the values that the options point to
  // The visible options: those in a group.
  Options options() const;
};

std::vector<Command> all_commands();  // verbs, then labs

// The allowed values of an option or argument; empty if it takes any text or a file.
std::vector<std::string> words_for(const Command& command, const Option& option);

}  // namespace cudalab::cli

namespace cudalab::lab {

// The table of verbs, and looking up a command, a verb or a lab, by its name.

struct Lab;
}  // namespace cudalab::lab

namespace cudalab::cli {

Verb list_verb();
Verb info_verb();
Verb cards_verb();
Verb doctor_verb();
Verb run_verb();
Verb exec_verb();
Verb cc_verb();
Verb start_verb();
Verb check_verb();
Verb watch_verb();
Verb serve_verb();
Verb step_verb();
Verb debug_adapter_verb();
Verb hint_verb();
Verb progress_verb();
Verb reset_verb();
Verb solution_verb();
Verb learn_verb();
Verb quiz_verb();
Verb answers_verb();
Verb grade_verb();
Verb verify_verb();
Verb verify_one_verb();
Verb compare_verb();
Verb report_verb();
Verb author_verb();
Verb course_verb();
Verb completions_verb();
Verb man_verb();
Verb lab_verb(const lab::Lab& lab);

// Hidden verbs that `grade` and `verify` run for each file.
inline constexpr const char* kGradeOne = "grade-one";
inline constexpr const char* kVerifyOne = "verify-one";
Verb grade_one_verb();

// The hidden verb that the jobs of `grade --slurm` run.
inline constexpr const char* kGradeTask = "grade-task";
Verb grade_task_verb();

// The hidden verb that runs when a package is built.
inline constexpr const char* kPrecompile = "precompile";
Verb precompile_verb();

// Runs for `cudalab` without a command on a terminal.
ExitCode show_where_you_are(const Console& console);

// All verbs except labs, in the order of the help.
const std::vector<Verb>& verbs();

std::optional<Verb> find_command(std::string_view name);
std::vector<std::string> command_names();  // verbs, labs and their aliases

}  // namespace cudalab::cli
