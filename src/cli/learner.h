// What the verbs of the course share: the learner's folder, which exercise a word means, and writing files.
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
#include "course/questions.h"
#include "course/screen.h"
#include "course/workspace.h"

namespace cudalab::cli {

using Course = std::vector<course::Exercise>;

// All exercises, in their order, with their texts in the learner's language.
Course load_whole_course(const Wording& wording);

// The folder of the workspace that the program was started in, or below: then it is said which one that is.
std::optional<std::filesystem::path> workspace_around(const Console& console);
// That workspace. Throws Error(kUsage) that says how to make one.
course::Workspace require_workspace(const Console& console);

// Reads the progress as it is now, lets `change` change it, and writes it whole: another command may have
// written it since it was last read.
course::Workspace change_progress(const std::filesystem::path& folder,
                                  const std::function<void(course::Workspace&)>& change);

// Writes a file whole or not at all, in a folder that is made where it is missing.
void write_whole(const std::filesystem::path& file, std::string_view text);

// What a learner may type: the name of an exercise, a lab (all its exercises), or a file. Throws
// Error(kUsage) with what was probably meant.
std::vector<const course::Exercise*> exercises_called(const Course& course, const std::string& word);

// The same for a word that may be empty: then the current exercise of the workspace. Throws Error(kUsage)
// where all are done.
const course::Exercise& exercise_called(const Course& course, const course::Workspace& workspace,
                                        const std::string& word);

// Whether a word means a file rather than a lab or an exercise.
bool names_a_file(const std::string& word);

// Throws Error(kUsage) where the learner's file of an exercise is not there.
void require_file(const course::Exercise& exercise, const std::filesystem::path& file);

// That word, as an option of a verb.
Option exercise_option(std::string& word);

// What to say of one that is not in the workspace.
Error not_started(const std::string& word);

// Puts the starter back, keeps what the learner wrote as NAME.cu.old (then .old.2, …: no backup is ever
// overwritten), and says so.
std::string reset_exercise(const course::Workspace& workspace, const course::Exercise& exercise,
                           const Wording& wording);

// As short as it can be written from here.
std::string shown_path(const std::filesystem::path& path);

// Keeps how a quiz went, where it was answered to its end and the program was started in a workspace.
void note_quiz(const std::string& lab, const course::Score& score);

std::string today();  // "2026-01-31 17:05"

// Other random numbers with every check, so that no constant passes twice.
std::uint64_t fresh_seed();

course::ScreenStyle style_of(const Console& console);

}  // namespace cudalab::cli
