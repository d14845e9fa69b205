// The table of verbs, and the lookup of a command by its name: a verb, or a lab.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"

namespace cudalab::lab {
struct Lab;
}

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
