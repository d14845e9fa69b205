// A learner's folder: its exercises and handouts, the learner's progress, and settings for editors.
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

// Part of the first line of each file that cudalab may overwrite. A file without it belongs to the user.
inline constexpr std::string_view kWrittenByCudalab =
    "written by `cudalab start --editor`; a change is lost with the next one";

using Defines = std::vector<std::pair<std::string, std::string>>;

// The macros with which the lab compiles a learner's file, in the exercise's first case. Empty for a whole
// program.
Defines defines_of(const Exercise& exercise, const lab::Lab& lab);

struct EditedFile {
  std::string path;  // relative to the folder: "transpose/padded-tile.cu"
  Defines defines;
};

// The text of `.clangd`: CUDA C++, with each file's macros. `toolkit` is the folder of the CUDA Toolkit.
std::string clangd_text(std::span<const EditedFile> files,
                        const std::optional<std::filesystem::path>& toolkit);

// The text of `.vscode/tasks.json`: tasks that check the open file, listing the findings as problems, and
// step through it.
std::string vscode_tasks_text();
// The text of `.vscode/extensions.json`, which recommends the extension of cudalab.
std::string vscode_extensions_text();

// A learner's folder holds exercises as LAB/NAME.cu, handouts as LAB/README.md, and the progress in
// cudalab.json.

inline constexpr const char* kProgressFile = "cudalab.json";

// Progress with one exercise. Dates have the form "2026-01-31 17:05"; empty: not yet.
struct Progress {
  std::string lab;
  std::string started, passed;
  int checks = 0;
  std::size_t hints = 0;  // number of hints shown
  std::string gave_up;    // date of asking for the solution before the exercise passed
  // Digest of the file for which the last hint showed the mistaken line; the next hint shows the edit.
  std::string line_shown_of{};
  std::string checked{};                  // date of the last check
  std::map<std::string, int> mistakes{};  // number of rejections by reason ("hazard: shared_race")
  friend bool operator==(const Progress&, const Progress&) = default;
};

// A learner's best result in a lab's quiz, and its date.
struct QuizResult {
  int right = 0, of = 0;
  std::string date;
  friend bool operator==(const QuizResult&, const QuizResult&) = default;
};

// A week of a path: its heading, and its exercises in order.
struct PathWeek {
  std::string title;
  std::vector<std::string> exercises;
  friend bool operator==(const PathWeek&, const PathWeek&) = default;
};

// The path that a learner follows through the course.
struct CoursePath {
  std::string name;  // "first-course"
  std::vector<PathWeek> weeks;
  friend bool operator==(const CoursePath&, const CoursePath&) = default;
};

std::vector<std::string> exercises_of(const CoursePath& path);

// A learner's folder as its progress file holds it.
struct Workspace {
  std::filesystem::path folder;
  std::map<std::string, Progress> exercises = {};  // by name
  std::map<std::string, QuizResult> quizzes = {};  // by lab
  std::optional<CoursePath> path = {};

  bool has(const std::string& exercise) const { return exercises.contains(exercise); }
  // Passed or given up.
  bool is_done(const std::string& exercise) const;
  std::filesystem::path progress_file() const { return folder / kProgressFile; }
  std::filesystem::path kernel_file(const Exercise& exercise) const;
  std::filesystem::path handout(const std::string& lab) const;
};

// Returns the nearest folder with a progress file, from `from` upwards. The search ends at the user's home
// directory (included), before a folder with another owner, and before the root of the file system.
std::optional<std::filesystem::path> find_workspace(const std::filesystem::path& from);
// The same with `home` instead of $HOME.
std::optional<std::filesystem::path> find_workspace(const std::filesystem::path& from,
                                                    const std::filesystem::path& home);

// Throws Error(kUsage) if the progress file is damaged.
Workspace load_workspace(const std::filesystem::path& folder);
std::string progress_text(const Workspace& workspace);

// Stores the result unless there is a better one.
void note_quiz(Workspace& workspace, const std::string& lab, const QuizResult& result);
// "Quizzes: transpose 7 of 9, dot 8 of 8."; empty if no quiz was taken.
std::string quizzes_line(const Workspace& workspace, const Wording& wording);

// True if the exercise was started and is not done.
bool is_open(const Workspace& workspace, const Exercise& exercise);
// The next exercise after `after` that is not done, continuing at the beginning of the course; never `after`
// itself.
const Exercise* next_exercise(std::span<const Exercise> course, const Workspace& workspace,
                              const Exercise& after);
// The exercise before `exercise` that was started, done or not, continuing at the end of the course; never
// `exercise` itself. Null if there is none.
const Exercise* previous_exercise(std::span<const Exercise> course, const Workspace& workspace,
                                  const Exercise& exercise);

// LAB/README.md: the lab's handout, with the tasks of its exercises below the table of its exercises (or at
// the end).
std::string handout_text(std::span<const Exercise> of_the_lab, std::string_view handout_of_the_lab,
                         const Wording& wording);

// The exercise that a file's path names, in a workspace or elsewhere; null if it names none.
const Exercise* exercise_of_file(std::span<const Exercise> course, const std::filesystem::path& path);

}  // namespace cudalab::course
