// The table of verbs: what a verb is, how a command is found by its name, and every command with its options.
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

// What a subcommand of the program is: its name, its help and what it does. A new verb is one file in
// cli/verbs/ that returns a Verb, and one row in cli/verbs.cpp.

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

// Every command with its options, for those who describe all of them: completions, the manual page.

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

namespace cudalab::lab {

// The table of verbs, and the lookup of a command by its name: a verb, or a lab.

struct Lab;
}  // namespace cudalab::lab

namespace cudalab::cli {

Verb list_verb();
Verb info_verb();
Verb cards_verb();
Verb doctor_verb();
Verb run_verb();
Verb exec_verb();
Verb start_verb();
Verb check_verb();
Verb watch_verb();
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

// What `grade` runs for each file. In no list: people have no use for it.
inline constexpr const char* kGradeOne = "grade-one";
inline constexpr const char* kVerifyOne = "verify-one";
Verb grade_one_verb();

// What the jobs of `grade --slurm` run.
inline constexpr const char* kGradeTask = "grade-task";
Verb grade_task_verb();

// What making a package runs.
inline constexpr const char* kPrecompile = "precompile";
Verb precompile_verb();

// The program without a command, in a terminal.
ExitCode show_where_you_are(const Console& console);

// The verbs that are no labs, in the order of the help.
const std::vector<Verb>& verbs();

std::optional<Verb> find_command(std::string_view name);
std::vector<std::string> command_names();  // verbs, labs and their aliases

}  // namespace cudalab::cli
