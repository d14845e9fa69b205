// Finds the learner's workspace and exercises, and records progress.
#include "cli/learner.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <iterator>
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

// The path of the workspace that contains the current folder. Empty if its progress file is damaged: the
// verbs that need that file report it.
std::optional<course::CoursePath> path_around() {
  try {
    const auto folder = course::find_workspace(".");
    return folder ? course::load_workspace(*folder).path : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Course load_whole_course(const Wording& wording) {
  Course course = course::load_course(lab::labs_directory(), lab::labs());
  if (const auto path = path_around()) course::arrange(course, course::exercises_of(*path));
  for (course::Exercise& exercise : course) course::rewrite(exercise, course::translation_by(wording));
  return course;
}

const course::CoursePlan& course_plan() {
  static const course::CoursePlan plan = course::load_plan(lab::labs_directory());
  return plan;
}

course::NextStep next_step_in(const Course& course, const course::Workspace& workspace) {
  return course::next_step(course, workspace, course_plan());
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
  const course::NextStep next = next_step_in(course, workspace);
  if (!next.exercise) throw usage_error(msg::exercises_all_done());
  return *next.exercise;
}

Option exercise_option(std::string& word) {
  return {"EXERCISE", "", &word, "the exercise; default: the one that is next"};
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

void note_quiz(const fs::path& folder, const std::string& lab, const course::Score& score) {
  if (!score.is_complete()) return;
  change_progress(folder, [&](course::Workspace& now) {
    course::note_quiz(now, lab, {score.right, score.of, today()});
  });
}

void note_quiz(const std::string& lab, const course::Score& score) {
  if (const auto folder = course::find_workspace(".")) note_quiz(*folder, lab, score);
}

course::Workspace show_hint(const fs::path& folder, const course::Exercise& exercise) {
  return change_progress(folder, [&](course::Workspace& workspace) {
    course::Progress& progress = workspace.exercises[exercise.name];
    progress.lab = exercise.lab;
    progress.hints = std::min(progress.hints + 1, course::kHints);
  });
}

void note_giving_up(const fs::path& folder, const course::Exercise& exercise) {
  change_progress(folder, [&](course::Workspace& now) {
    course::Progress& progress = now.exercises[exercise.name];
    progress.lab = exercise.lab;
    if (progress.gave_up.empty()) progress.gave_up = today();
  });
}

namespace {

std::string handout_of(const Course& course, const std::string& lab, const Wording& wording) {
  std::vector<course::Exercise> of_lab;
  std::copy_if(course.begin(), course.end(), std::back_inserter(of_lab),
               [&lab](const course::Exercise& exercise) { return exercise.lab == lab; });
  return course::handout_text(of_lab, read_text(lab::labs_directory() / lab / "README.md"), wording);
}

// Never overwrites a file that the learner may have edited.
bool put_new(const fs::path& file, const std::function<std::string()>& text) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return false;
  write_whole(file, text());
  return true;
}

// The kernels of the lab's stages, which the handout compares and changes, under the names that it uses.
void put_stages(const course::Workspace& workspace, const std::string& lab) {
  for (const fs::path& source : entries_of(lab::labs_directory() / lab))
    if (source.extension() == ".cu")
      put_new(workspace.folder / lab / source.filename(), [&] { return read_text(source); });
}

}  // namespace

bool start_exercise(course::Workspace& workspace, const Course& course, const course::Exercise& exercise,
                    const Wording& wording) {
  const bool is_put = put_new(workspace.kernel_file(exercise), [&] { return read_text(exercise.starter()); });
  put_new(workspace.handout(exercise.lab), [&] { return handout_of(course, exercise.lab, wording); });
  put_stages(workspace, exercise.lab);
  course::Progress& progress = workspace.exercises[exercise.name];
  progress.lab = exercise.lab;
  if (progress.started.empty()) progress.started = today();
  return is_put;
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
