// A learner's folder: its exercises and handouts, the learner's progress, and the settings for editors.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/languages/wording.h"
#include "course/exercise.h"

namespace cudalab::course {

// What an editor needs to know of a learner's folder: how its kernels are compiled, and how they are checked.

// The first line of a file that cudalab may write anew says so. It is not the user's.
inline constexpr std::string_view kWrittenByCudalab =
    "written by `cudalab start --editor`; a change is lost with the next one";

using Defines = std::vector<std::pair<std::string, std::string>>;

// The macros that the lab compiles a learner's file with, in the exercise's first case; none for a whole
// program.
Defines defines_of(const Exercise& exercise, const lab::Lab& lab);

struct EditedFile {
  std::string path;  // in the workspace: "transpose/padded-tile.cu"
  Defines defines;
};

// `.clangd`: CUDA C++, with each file's macros. `toolkit`: the folder of the CUDA Toolkit.
std::string clangd_text(std::span<const EditedFile> files,
                        const std::optional<std::filesystem::path>& toolkit);

// `.vscode/tasks.json`: check and step through the file that is open, its findings among the problems.
std::string vscode_tasks_text();

// A learner's folder: the exercises as LAB/NAME.cu beside LAB/README.md, and how far the learner is, in
// cudalab.json.

inline constexpr const char* kProgressFile = "cudalab.json";

// How far the learner is with one exercise. Dates are "2026-01-31 17:05"; empty: not yet.
struct Progress {
  std::string lab;
  std::string started, passed;
  int checks = 0;
  std::size_t hints = 0;  // shown so far
  std::string gave_up;    // when the solution was asked for before the exercise passed
  // Digest of the learner's file whose mistaken line the last hint showed; the next hint shows the edit.
  std::string line_shown_of{};
  friend bool operator==(const Progress&, const Progress&) = default;
};

// The best that a learner did in a lab's quiz, and when.
struct QuizResult {
  int right = 0, of = 0;
  std::string date;
  friend bool operator==(const QuizResult&, const QuizResult&) = default;
};

struct Workspace {
  std::filesystem::path folder;
  std::map<std::string, Progress> exercises = {};  // by name
  std::map<std::string, QuizResult> quizzes = {};  // by lab

  bool has(const std::string& exercise) const { return exercises.contains(exercise); }
  // Passed, or given up: nothing is left to do.
  bool is_done(const std::string& exercise) const;
  std::filesystem::path progress_file() const { return folder / kProgressFile; }
  std::filesystem::path kernel_file(const Exercise& exercise) const;
  std::filesystem::path handout(const std::string& lab) const;
};

// The folder, or the nearest one above it, that holds a progress file. The search ends at the user's home
// (which it looks at), before a folder of another owner, and before the root of the file system.
std::optional<std::filesystem::path> find_workspace(const std::filesystem::path& from);
// The same with `home` for $HOME.
std::optional<std::filesystem::path> find_workspace(const std::filesystem::path& from,
                                                    const std::filesystem::path& home);

// Throws Error(kUsage) where the progress file is damaged.
Workspace load_workspace(const std::filesystem::path& folder);
std::string progress_text(const Workspace& workspace);

// Keeps a result unless a better one is there.
void note_quiz(Workspace& workspace, const std::string& lab, const QuizResult& result);
// "Quizzes: transpose 7 of 9, dot 8 of 8."; empty where none was taken.
std::string quizzes_line(const Workspace& workspace, const Wording& wording);

// The first exercise of the course that was started and is not done. Null where there is none.
const Exercise* current_exercise(std::span<const Exercise> course, const Workspace& workspace);
// The one to go to after `after`: the next that is not done, from the start again at the end; never `after`
// itself.
const Exercise* next_exercise(std::span<const Exercise> course, const Workspace& workspace,
                              const Exercise& after);
// The one before `exercise` in the course that was started, done or not; from the end again at the start,
// never `exercise` itself. Null where there is none.
const Exercise* previous_exercise(std::span<const Exercise> course, const Workspace& workspace,
                                  const Exercise& exercise);

// LAB/README.md: what to do in each of the lab's exercises, then the lab's own handout.
std::string handout_text(std::span<const Exercise> of_the_lab, std::string_view handout_of_the_lab,
                         const Wording& wording);

// Where `path` is a file: the exercise that its name tells, be it in a workspace or anywhere else.
const Exercise* exercise_of_file(std::span<const Exercise> course, const std::filesystem::path& path);

}  // namespace cudalab::course
