// The course's screens as text: a check's outcome, a task, hints, and progress.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/languages/wording.h"
#include "course/check.h"
#include "course/exercise.h"
#include "course/learner/standing.h"
#include "course/learner/workspace.h"

namespace cudalab::course {

struct ScreenStyle {
  bool colour = false;
  int width = 100;
  bool is_terminal = false;  // fold long lines, which a terminal would break anywhere
  Wording wording{};
};

// "★★☆ 25 min": the difficulty as 1 to 3 stars, and the time that the exercise takes.
std::string effort_needed(const Exercise& exercise, const Wording& wording);

// "padded-tile  Transpose through a padded tile  ★★★ 45 min", then the task's paragraphs.
std::string task_text(const Exercise& exercise, const ScreenStyle& style);

// The parts, missed ones first with their reason and the line of `source`; then the verdict, the next step
// and the pictures. `file` is the name that the learner uses.
std::string check_text(const Exercise& exercise, const ExerciseCheck& check, std::string_view source,
                       const std::string& file, const ScreenStyle& style);

// The same as HTML, for a page.
std::string check_html(const Exercise& exercise, const ExerciseCheck& check, const Wording& wording);

// The command that runs the kernel in the lab's table with the options of a case.
std::string command_for(const Exercise& exercise, const std::string& file, const Case& options);

// The command that steps through the kernel in the case that showed the problem. Empty for a whole program,
// and if the file's name does not tell the exercise.
std::string step_command(const Exercise& exercise, const std::string& file, const CheckPart& missed,
                         std::uint64_t seed);

// "WHAT  COMMAND", or the command on further lines if the terminal is too narrow. Ends with a newline.
std::string named_command(const std::string& what, const std::string& command, const ScreenStyle& style);

// The first `shown` hints.
std::string hints_text(const Exercise& exercise, std::size_t shown, const ScreenStyle& style);

// One line per exercise, grouped by lab, with a mark: [x] passed, [s] solution shown, [.] begun, [ ] not yet
// begun. `current` may be null.
std::string course_text(std::span<const Exercise> course, const Workspace& workspace, const Exercise* current,
                        const ScreenStyle& style);

// A table of the concepts that the learner has begun, and the names of the others in a paragraph.
std::string standings_text(std::span<const Standing> standings, const ScreenStyle& style);

// The reason for the next step, as a sentence. Empty if the step needs none: the exercise is the next one of
// a lab that was begun, or it was checked only a few times.
std::string reason_text(const NextStep& step, const Workspace& workspace, const ScreenStyle& style);

// "Path first-course, week 2 of 8: Memory access"; empty if the learner follows no path or has finished it.
std::string path_line(std::span<const Exercise> course, const Workspace& workspace, const Wording& wording);

// "3 of 17 passed, 1 given up". Counts the exercises of the path if the learner follows one.
std::string progress_line(std::span<const Exercise> course, const Workspace& workspace,
                          const Wording& wording);

}  // namespace cudalab::course
