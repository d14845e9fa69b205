// `cudalab watch`: checks the current exercise whenever its file is saved; keys do the rest.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <memory>

#include "cli/learner.h"
#include "cli/terminal/file_watcher.h"
#include "cli/terminal/keyboard.h"
#include "cli/verbs.h"

namespace cudalab::cli {
namespace {

using course::Exercise;

constexpr int kLookEveryMs = 500;
constexpr const char* kClear = "\x1b[H\x1b[2J";
constexpr const char* kKeys = "n next   h hint   l list   r run again   x reset   q quit";

class Watch {
 public:
  Watch(Course course, std::filesystem::path folder, const Exercise& first, bool polls,
        const Console& console)
      : course_(std::move(course)), folder_(std::move(folder)), polls_(polls), console_(console) {
    go_to(*course::find_exercise(course_, first.name));
  }

  void until_quit() {
    check();
    for (char key = 0; key != 'q'; key = wait()) {
      if (watcher_->changed()) check();
      if (key != 0) act_on(key);
    }
  }

 private:
  course::Workspace workspace() const { return course::load_workspace(folder_); }
  std::filesystem::path file() const { return workspace().kernel_file(*exercise_); }

  void go_to(const Exercise& exercise) {
    exercise_ = &exercise;
    watcher_ = std::make_unique<FileWatcher>(file(), polls_);
  }

  char wait() const {
    pollfd wakers[]{{STDIN_FILENO, POLLIN, 0}, {watcher_->descriptor(), POLLIN, 0}};
    poll(wakers, 2, kLookEveryMs);
    return read_key();
  }

  void act_on(char key) {
    const bool confirms = std::exchange(asked_to_reset_, false);
    if (key == 'n') return next();
    if (key == 'h') return hint();
    if (key == 'l') return list();
    if (key == 'r') return check();
    if (key == 'x') return reset(confirms);
  }

  // The window may have another width than at the last time.
  void clear() {
    console_.width = console_of_this_process().width;
    console_.print(kClear);
    console_.finish();
  }

  void show(const std::string& text) {
    clear();
    console_.print(text + fmt::format("\n{}\n", kKeys));
    console_.finish();
  }

  void check() {
    clear();
    try {
      const bool passed = check_and_note(*exercise_, file(), std::nullopt, console_);
      console_.print(passed ? "\nWell done: n goes to the next exercise.\n"
                            : "\nSave the file, and it is checked again.\n");
    } catch (const Error& error) {  // the file is gone, for one
      console_.clear_progress();
      console_.print_line(error.what());
    }
    console_.print(fmt::format("\n{}: {}\n{}\n", shown_path(file()),
                               course::progress_line(course_, workspace()), kKeys));
    console_.finish();
  }

  void next() {
    const Exercise* next = course::next_exercise(course_, workspace(), *exercise_);
    if (!next)
      return show(fmt::format("{}; there is no other exercise to do.\n",
                              course::progress_line(course_, workspace())));
    go_to(*next);
    show(course::task_text(*exercise_, style_of(console_)) +
         fmt::format("\nYour file: {}\nSave it, and it is checked; r checks it as it is.\n",
                     shown_path(file())));
  }

  void hint() {
    const course::Workspace now = change_progress(folder_, [this](course::Workspace& workspace) {
      std::size_t& hints = workspace.exercises[exercise_->name].hints;
      hints = std::min(hints + 1, course::kHints);
    });
    show(course::hints_text(*exercise_, now.exercises.at(exercise_->name).hints, style_of(console_)));
  }

  void list() {
    show(course::course_text(course_, workspace(), exercise_, style_of(console_)) +
         fmt::format("\n{}\n", course::progress_line(course_, workspace())));
  }

  void reset(bool is_confirmed) {
    asked_to_reset_ = !is_confirmed;
    if (!is_confirmed)
      return show(fmt::format("Begin {} anew? x again does it, any other key does not.\n", exercise_->name));
    const std::string done = reset_exercise(workspace(), *exercise_);
    watcher_->changed();
    show(done + "\n");
  }

  Course course_;
  std::filesystem::path folder_;
  bool polls_;
  Console console_;
  const Exercise* exercise_ = nullptr;
  std::unique_ptr<FileWatcher> watcher_;
  bool asked_to_reset_ = false;
};

struct WatchTexts {
  std::string word;
  bool polls = false;
};

Options watch_options(WatchTexts& texts) {
  return {{"EXERCISE", "", &texts.word, "where to begin; default: the first exercise that is not done"},
          {"--poll", "", &texts.polls, "look at the file twice a second, without inotify"}};
}

ExitCode watch(const WatchTexts& texts, const Console& console) {
  Course course = load_whole_course();
  const course::Workspace workspace = require_workspace();
  const Exercise first = exercise_called(course, workspace, texts.word);
  if (!workspace.has(first.name))
    throw usage_error("{0} was not started; `cudalab start {0}` puts it into your folder", first.name);
  if (!console.out_is_terminal || isatty(STDIN_FILENO) == 0)
    throw usage_error("watch needs a terminal to show and to read keys; `cudalab check {}` checks once",
                      first.name);
  const Keyboard keyboard;
  Watch(std::move(course), workspace.folder, first, texts.polls, console).until_quit();
  return ExitCode::kPassed;
}

}  // namespace

Verb watch_verb() {
  return {.name = "watch",
          .alias = "",
          .summary = "check whenever you save; keys for hints, the list and the next exercise",
          .examples = {"cudalab watch", "cudalab watch padded-tile"},
          .declare = with_options(watch_options, watch),
          .more_help = fmt::format("Keys: {}\n", kKeys)};
}

}  // namespace cudalab::cli
