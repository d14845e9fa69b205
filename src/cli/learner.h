// Functions that the course's verbs share: finding the workspace and the exercise that a word names, and
// writing files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "core/error.h"
#include "course/learner/standing.h"
#include "course/learner/workspace.h"
#include "course/questions.h"
#include "course/screen.h"

namespace cudalab::cli {

using Course = std::vector<course::Exercise>;

// All exercises with texts in the learner's language, in the order of the course. If the current folder is in
// a workspace with a path, the exercises of the path come first, in its order.
Course load_whole_course(const Wording& wording);

// The plan of the course. It is read once.
const course::CoursePlan& course_plan();

// The learner's next step by the course's plan, and its reason.
course::NextStep next_step_in(const Course& course, const course::Workspace& workspace);

// The workspace folder that contains the current folder, if any. Prints a remark that names it if it is a
// parent folder.
std::optional<std::filesystem::path> workspace_around(const Console& console);
// The workspace that contains the current folder. If there is none, throws Error(kUsage) with the way to
// create one.
course::Workspace require_workspace(const Console& console);

// Reads the progress file again, applies `change`, and replaces the file: another command may have written it
// since it was last read.
course::Workspace change_progress(const std::filesystem::path& folder,
                                  const std::function<void(course::Workspace&)>& change);

// Replaces a file atomically; creates its folder if it is missing.
void write_whole(const std::filesystem::path& file, std::string_view text);

// The exercises that a word names: an exercise, a lab (all its exercises), or a file. Throws Error(kUsage)
// with a suggestion if it names none.
std::vector<const course::Exercise*> exercises_called(const Course& course, const std::string& word);

// The same for one exercise; an empty word names the one that is next for the learner. Throws Error(kUsage)
// if all exercises are done.
const course::Exercise& exercise_called(const Course& course, const course::Workspace& workspace,
                                        const std::string& word);

// True if the word is a path rather than the name of a lab or an exercise.
bool names_a_file(const std::string& word);

// Throws Error(kUsage) if the learner has no file for the exercise.
void require_file(const course::Exercise& exercise, const std::filesystem::path& file);

// The argument that names an exercise, for a verb's options.
Option exercise_option(std::string& word);

// The error for an exercise that is not in the workspace.
Error not_started(const std::string& word);

// Restores the starter and keeps the learner's version as NAME.cu.old (then .old.2, and so on: no backup is
// ever overwritten). Returns a sentence that says so.
std::string reset_exercise(const course::Workspace& workspace, const course::Exercise& exercise,
                           const Wording& wording);

// The path relative to the current folder, unless `path` itself is shorter.
std::string shown_path(const std::filesystem::path& path);

// Records the score of a completed quiz.
void note_quiz(const std::filesystem::path& folder, const std::string& lab, const course::Score& score);
// The same, if the current folder is in a workspace.
void note_quiz(const std::string& lab, const course::Score& score);

// Records one more hint of an exercise, up to the last one, and returns the new progress.
course::Workspace show_hint(const std::filesystem::path& folder, const course::Exercise& exercise);
// Records that the solution was shown before the exercise passed.
void note_giving_up(const std::filesystem::path& folder, const course::Exercise& exercise);

// Copies an exercise's starter, its lab's handout and the lab's kernels into the workspace and records the
// start. Existing files stay. Returns whether the starter was copied. The caller writes the progress file.
bool start_exercise(course::Workspace& workspace, const Course& course, const course::Exercise& exercise,
                    const Wording& wording);

std::string today();  // "2026-01-31 17:05"

// A new seed for every check: a kernel with hard-coded results fails.
std::uint64_t fresh_seed();

course::ScreenStyle style_of(const Console& console);

}  // namespace cudalab::cli
