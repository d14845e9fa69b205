// What a learner sees: a check's outcome, a task, hints, and how far the course is, as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/languages/wording.h"
#include "course/check.h"
#include "course/exercise.h"
#include "course/workspace.h"

namespace cudalab::course {

struct ScreenStyle {
  bool colour = false;
  int width = 100;
  bool is_terminal = false;  // a line that is too long is folded by nobody else
  Wording wording{};
};

// "padded-tile  Transpose through a padded tile", then the task's paragraphs.
std::string task_text(const Exercise& exercise, const ScreenStyle& style);

// The parts, those first that are missed: why, with the line of the kernel's `source`; then the verdict, the
// next step and the pictures. `file` is how the learner calls it.
std::string check_text(const Exercise& exercise, const ExerciseCheck& check, std::string_view source,
                       const std::string& file, const ScreenStyle& style);

// The same for a page, as HTML.
std::string check_html(const Exercise& exercise, const ExerciseCheck& check, const Wording& wording);

// The command that runs the kernel in the lab's table, with the options of a case, in one line.
std::string command_for(const Exercise& exercise, const std::string& file, const Case& options);

// The command that steps through the kernel in the case that showed what is wrong; empty where it is not for
// that: a whole program, or a file that does not tell its exercise.
std::string step_command(const Exercise& exercise, const std::string& file, const CheckPart& missed,
                         std::uint64_t seed);

// "WHAT  COMMAND", or the command below in as many lines as the terminal needs; ends with a line end.
std::string named_command(const std::string& what, const std::string& command, const ScreenStyle& style);

// The first `shown` hints.
std::string hints_text(const Exercise& exercise, std::size_t shown, const ScreenStyle& style);

// An exercise a line, under its lab, with a mark: [x] passed, [s] solution shown, [.] begun, [ ] not yet
// begun. `current` may be null.
std::string course_text(std::span<const Exercise> course, const Workspace& workspace, const Exercise* current,
                        const ScreenStyle& style);

// "3 of 17 passed, 1 given up"
std::string progress_line(std::span<const Exercise> course, const Workspace& workspace,
                          const Wording& wording);

}  // namespace cudalab::course
