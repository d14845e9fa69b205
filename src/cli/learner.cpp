// Finds the learner's workspace and exercises, and records progress.
#include "cli/learner.h"

#include <fmt/chrono.h>

#include <ctime>
#include <random>

#include "cli/options/lab_options.h"
#include "cli/terminal/output_file.h"
#include "core/files.h"
#include "course/texts/rewrite.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kSeeds = 1'000'000;  // few digits, which are easy to retype

Error unknown_word(const Course& course, const std::string& word) {
  std::vector<std::string> names;
  for (const course::Exercise& exercise : course) {
    names.push_back(exercise.name);
    names.push_back(exercise.lab);
  }
  return usage_error(msg::learner_exercise_unknown(word, did_you_mean(word, names)));
}

// The first unused name among NAME.cu.old, NAME.cu.old.2, and so on. A dangling symbolic link counts as used.
fs::path free_backup(const fs::path& file) {
  const std::string first = file.string() + ".old";
  for (int number = 1;; ++number) {
    const fs::path backup = number == 1 ? first : fmt::format("{}.{}", first, number);
    if (nothing_is_at(backup)) return backup;
  }
}

// Copies the file byte for byte and returns the backup's path. Empty if there is no file, or if it equals the
// starter that will replace it.
std::optional<fs::path> back_up(const fs::path& file, std::string_view starter) {
  if (nothing_is_at(file)) return std::nullopt;
  const std::string written = read_bytes(file);
  if (written == starter) return std::nullopt;
  const fs::path backup = free_backup(file);
  write_whole(backup, written);
  return backup;
}

}  // namespace

Course load_whole_course(const Wording& wording) {
  Course course = course::load_course(lab::labs_directory(), lab::labs());
  for (course::Exercise& exercise : course) course::rewrite(exercise, course::translation_by(wording));
  return course;
}

std::optional<fs::path> workspace_around(const Console& console) {
  const auto folder = course::find_workspace(".");
  std::error_code unknown;
  if (folder && !fs::equivalent(*folder, ".", unknown))
    console.remark(console.wording.say(msg::workspace_found(folder->string())));
  return folder;
}

course::Workspace require_workspace(const Console& console) {
  const auto folder = workspace_around(console);
  if (!folder) throw usage_error(msg::workspace_missing());
  return course::load_workspace(*folder);
}

course::Workspace change_progress(const fs::path& folder,
                                  const std::function<void(course::Workspace&)>& change) {
  course::Workspace workspace = course::load_workspace(folder);
  change(workspace);
  write_whole(workspace.progress_file(), course::progress_text(workspace));
  return workspace;
}

bool names_a_file(const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".cu") || word.find('/') != std::string::npos || fs::is_regular_file(word, ignored);
}

void require_file(const course::Exercise& exercise, const fs::path& file) {
  if (nothing_is_at(file)) throw usage_error(msg::exercise_file_missing(shown_path(file), exercise.name));
}

void write_whole(const fs::path& file, std::string_view text) {
  if (file.has_parent_path()) make_folder(file.parent_path());
  OutputFile(file.string()).write(text);
}

std::vector<const course::Exercise*> exercises_called(const Course& course, const std::string& word) {
  if (const course::Exercise* named = course::find_exercise(course, word)) return {named};
  const lab::Lab* lab = lab::find_lab(word);
  if (!lab && names_a_file(word)) {
    if (const course::Exercise* of_file = course::exercise_of_file(course, word)) return {of_file};
    throw usage_error(msg::file_names_no_exercise(word));
  }
  std::vector<const course::Exercise*> of_lab;
  for (const course::Exercise& exercise : course)
    if (lab && exercise.lab == lab->name) of_lab.push_back(&exercise);
  if (of_lab.empty()) throw unknown_word(course, word);
  return of_lab;
}

const course::Exercise& exercise_called(const Course& course, const course::Workspace& workspace,
                                        const std::string& word) {
  if (!word.empty()) {
    const auto meant = exercises_called(course, word);
    for (const course::Exercise* exercise : meant)
      if (workspace.has(exercise->name) && !workspace.is_done(exercise->name)) return *exercise;
    return *meant.front();
  }
  const course::Exercise* current = course::current_exercise(course, workspace);
  if (!current) throw usage_error(msg::exercises_all_done());
  return *current;
}

Option exercise_option(std::string& word) {
  return {"EXERCISE", "", &word, "the exercise; default: the first one that is not done"};
}

Error not_started(const std::string& word) { return usage_error(msg::exercise_not_started(word)); }

std::string reset_exercise(const course::Workspace& workspace, const course::Exercise& exercise,
                           const Wording& wording) {
  const fs::path file = workspace.kernel_file(exercise);
  const std::string starter = read_bytes(exercise.starter());
  const std::optional<fs::path> backup = back_up(file, starter);
  write_whole(file, starter);
  change_progress(workspace.folder, [&](course::Workspace& now) {
    course::Progress& progress = now.exercises[exercise.name];
    progress.lab = exercise.lab;
    progress.hints = 0;
    progress.line_shown_of.clear();
  });
  if (!backup) return wording.say(msg::exercise_reset(shown_path(file)));
  return wording.say(msg::exercise_reset_backup(shown_path(file), shown_path(*backup)));
}

std::string shown_path(const fs::path& path) {
  std::error_code failed;
  const fs::path near = fs::proximate(path, absolute_path("."), failed);
  return failed || near.string().size() > path.string().size() ? path.string() : near.string();
}

void note_quiz(const std::string& lab, const course::Score& score) {
  const auto folder = course::find_workspace(".");
  if (!folder || !score.is_complete()) return;
  change_progress(*folder, [&](course::Workspace& now) {
    course::note_quiz(now, lab, {score.right, score.of, today()});
  });
}

std::string today() { return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::time(nullptr))); }

std::uint64_t fresh_seed() { return std::random_device()() % kSeeds + 1; }

course::ScreenStyle style_of(const Console& console) {
  return {.colour = console.colour(ColourChoice::kAuto),
          .width = console.width,
          .is_terminal = console.out_is_terminal,
          .wording = console.wording};
}

}  // namespace cudalab::cli
