// The verb `cudalab watch`: checks the current exercise whenever its file is saved, and reads single keys for
// other actions.
#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "cli/exercise_check.h"
#include "cli/learner.h"
#include "cli/terminal/file_watcher.h"
#include "cli/terminal/full_screen.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "compile/nvrtc/compiler_process.h"
#include "core/text.h"
#include "messages/cli.h"
#include "report/text/layout.h"

namespace cudalab::cli {

// Reads single keys: the terminal has no line editing and no echo, and is restored however the program ends.

namespace {

// While an object lives, standard input delivers each key at once. Ctrl-C, Ctrl-Z and other signals still
// work and restore the terminal.
class Keyboard {
 public:
  Keyboard();
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
};

constexpr const char* kClear = "\x1b[H\x1b[2J";
constexpr char kEscape = '\x1b', kHangUp = 'q';

// Keys that send escape sequences, by the characters after the escape.
struct NamedKey {
  std::string_view sent;
  int key;
};
constexpr NamedKey kNamedKeys[] = {
    {"[A", kKeyUp},        {"OA", kKeyUp},   {"[B", kKeyDown}, {"OB", kKeyDown}, {"[5~", kKeyPageUp},
    {"[6~", kKeyPageDown}, {"[H", kKeyHome}, {"OH", kKeyHome}, {"[F", kKeyEnd},  {"OF", kKeyEnd}};

// Used by the signal handlers; set before these are installed.
termios before{}, raw{};

void use(const termios& settings) { tcsetattr(STDIN_FILENO, TCSANOW, &settings); }

void handle(int signal_number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal_number, &action, nullptr);
}

void suspend(int signal_number) {
  use(before);
  handle(signal_number, SIG_DFL, 0);
  raise(signal_number);
}

// Runs when the process is resumed after Ctrl-Z.
void go_on(int) {
  use(raw);
  handle(SIGTSTP, suspend, 0);
}

// Handles crashes and Ctrl-\: restores the terminal, then the signal takes its default action.
void die(int signal_number) {
  use(before);
  raise(signal_number);
}

bool key_waits() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) > 0;
}

void wake(int) {}  // interrupts poll(): the window was resized

Keyboard::Keyboard() {
  tcgetattr(STDIN_FILENO, &before);
  raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  restore_terminal_on_signals(before);
  handle(SIGTSTP, suspend, 0);
  handle(SIGCONT, go_on, SA_RESTART);
  handle(SIGWINCH, wake, 0);
  for (const int signal_number : {SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
    handle(signal_number, die, SA_RESETHAND | SA_NODEFER);
  use(raw);
}

Keyboard::~Keyboard() {
  for (const int signal_number :
       {SIGTSTP, SIGCONT, SIGWINCH, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
    handle(signal_number, SIG_DFL, 0);
  use(before);
}

// Returns a key that has arrived, a character or a SpecialKey; kKeyNone if there is none, and 'q' at the end
// of the input. An escape sequence is one key; an unknown sequence counts as the escape key.
int read_key() {
  if (!key_waits()) return kKeyNone;
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) != 1) return kHangUp;
  if (key != kEscape) return static_cast<unsigned char>(key);
  std::string sent;
  for (char next = 0; key_waits(); sent += next)
    if (read(STDIN_FILENO, &next, 1) != 1) return kHangUp;
  for (const NamedKey& named : kNamedKeys)
    if (sent == named.sent) return named.key;
  return kKeyEscape;
}

// Shows a text above lines that are always visible. If the terminal has too few rows, the user scrolls the
// text; a terminal without escape sequences prints all of it.
class Pane {
 public:
  using Render = std::function<std::string(const Console&)>;

  explicit Pane(const Console& console) : console_(console) {}

  void show(Render text, Render below) {
    text_ = std::move(text);
    below_ = std::move(below);
    top_ = 0;
    draw();
  }

  void clear() {
    measure();
    console_.print(console_.obeys_escapes ? kClear : "\n");
    console_.finish();
  }

  // Draws changed texts; the scroll position stays.
  void redraw() { draw(); }
  // Draws again if the window's size has changed.
  void redraw_if_resized() {
    const Console now = console_of_this_process();
    if (text_ && (now.width != console_.width || now.height != console_.height)) draw();
  }

  // Returns false for keys that do not scroll.
  bool move(int key) {
    const int page = std::max(room_ - 1, 1);
    switch (key) {
      case kKeyUp: return move_to(top_ - 1);
      case kKeyDown: return move_to(top_ + 1);
      case kKeyPageUp: return move_to(top_ - page);
      case kKeyPageDown:
      case ' ': return move_to(top_ + page);
      case kKeyHome: return move_to(0);
      case kKeyEnd: return move_to(std::numeric_limits<int>::max());
      default: return false;
    }
  }

  const Console& console() const { return console_; }

 private:
  void measure() {
    const Console now = console_of_this_process();
    console_.width = now.width;
    console_.height = now.height;
  }

  bool move_to(int line) {
    const int last = std::max(lines_ - room_, 0);
    line = std::clamp(line, 0, last);
    if (line != top_) {
      top_ = line;
      draw();
    }
    return true;
  }

  std::vector<std::string> lines_of(const Render& render) const {
    std::string text = render(console_);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    text = report::fold(text, static_cast<std::size_t>(console_.width));
    const auto lines = split(text, '\n');
    return {lines.begin(), lines.end()};
  }

  void draw() {
    clear();
    const std::vector<std::string> text = lines_of(text_), below = lines_of(below_);
    lines_ = static_cast<int>(text.size());
    const int free = console_.height - static_cast<int>(below.size()) - 1;  // the last row stays empty
    const bool fits = !console_.obeys_escapes || console_.height == 0 || lines_ <= free;
    room_ = fits ? lines_ : std::max(free - 1, 1);
    top_ = std::clamp(top_, 0, lines_ - room_);
    std::string shown;
    for (int line = top_; line < top_ + room_; ++line) shown += text[static_cast<std::size_t>(line)] + "\n";
    if (!fits) shown += console_.wording.say(msg::watch_lines_shown(top_ + 1, top_ + room_, lines_)) + "\n";
    for (const std::string& line : below) shown += line + "\n";
    console_.print(shown);
    console_.finish();
  }

  Console console_;
  Render text_, below_;
  int top_ = 0, room_ = 0, lines_ = 0;
};

using course::Exercise;

constexpr int kLookEveryMs = 500;
std::vector<std::string> keys(const Wording& wording) {
  return {wording.say(msg::watch_key_next()), wording.say(msg::watch_key_previous()),
          wording.say(msg::watch_key_hint()), wording.say(msg::watch_key_list()),
          wording.say(msg::watch_key_run()),  wording.say(msg::watch_key_reset()),
          wording.say(msg::watch_key_quit())};
}

// On one line if it fits, otherwise on several.
std::string keys_text(const Console& console) {
  constexpr std::string_view kGap = "   ";
  std::string text;
  std::size_t columns = 0;
  for (const std::string& key : keys(console.wording)) {
    const std::size_t width = report::columns_of(key);
    const bool fits = columns + kGap.size() + width <= static_cast<std::size_t>(console.width);
    if (!text.empty()) text += fits ? kGap : "\n";
    columns = width + (fits && !text.empty() && columns > 0 ? columns + kGap.size() : 0);
    text += key;
  }
  return text + "\n";
}

class Watch {
  using Finish = std::function<std::string(const std::string& result)>;

 public:
  Watch(Course course, std::filesystem::path folder, const Exercise& first, bool polls, const CheckPlan& plan,
        const Console& console)
      : course_(std::move(course)), folder_(std::move(folder)), polls_(polls), plan_(plan), pane_(console) {
    go_to(*course::find_exercise(course_, first.name));
  }

  void until_quit() {
    check();
    while (!quits_) {
      wait_on(search_ ? search_->descriptor() : -1, kLookEveryMs);
      pane_.redraw_if_resized();
      if (search_ && search_->is_done()) end_search();
      if (watcher_->changed())
        check();
      else if (const int key = read_key(); key != kKeyNone)
        act_on(key);
    }
  }

 private:
  course::Workspace workspace() const { return course::load_workspace(folder_); }
  const Console& console() const { return pane_.console(); }
  const Wording& wording() const { return console().wording; }
  std::filesystem::path file() const { return workspace().kernel_file(*exercise_); }

  void go_to(const Exercise& exercise) {
    exercise_ = &exercise;
    watcher_ = std::make_unique<FileWatcher>(file(), polls_);
  }

  // Waits for a key, an event in the file's folder, or data on `descriptor` (-1: none).
  void wait_on(int descriptor, int at_most_ms) const {
    pollfd wakers[]{{STDIN_FILENO, POLLIN, 0}, {watcher_->descriptor(), POLLIN, 0}, {descriptor, POLLIN, 0}};
    poll(wakers, std::size(wakers), at_most_ms);
  }

  void act_on(int key) {
    if (std::exchange(asked_to_reset_, false)) return key == 'y' ? reset() : keep();
    if (pane_.move(key)) return;
    constexpr std::string_view kActing = "qnphlrx";
    if (std::ranges::find(kActing, key) == kActing.end()) return;
    search_.reset();
    if (key == 'q') quits_ = true;
    if (key == 'n') return next();
    if (key == 'p') return previous();
    if (key == 'h') return hint();
    if (key == 'l') return list();
    if (key == 'r') return check();
    if (key == 'x') return ask_to_reset();
  }

  // Shows a text that depends on the window's width, above the keys.
  void show(Pane::Render text) {
    pane_.show(std::move(text), [this](const Console& here) { return search_text() + keys_text(here); });
  }
  void say(const std::string& line) {
    show([line](const Console&) { return line + "\n\n"; });
  }

  void check() {
    asked_to_reset_ = false;
    search_.reset();
    found_.clear();
    CheckPlan plan = plan_;
    if (!plan.seed) plan.seed = fresh_seed();
    while (true) {
      pane_.clear();
      std::string text;
      try {
        compile::lend_compiler();
        ExerciseRun run(*exercise_, file(), plan, console());
        const Ended ended = ended_by(run);
        if (ended == kAnotherSave) continue;
        if (ended == kQuit) return console().clear_progress();
        const ExerciseRun::Checked checked = run.result();
        text = checked.text;
        next_step_ = wording().say(checked.passed ? msg::watch_well_done() : msg::watch_save_to_check());
        if (checked.is_unexplained && plan.searches)
          begin_search([&] { return line_search(*exercise_, file(), plan, console()); },
                       [](const std::string& result) { return result; });
      } catch (const Error& error) {  // such as a deleted file
        console().clear_progress();
        text = wording().say(error.message()) + "\n";
        next_step_.clear();
      }
      return pane_.show([this, text](const Console&) { return text + found_; },
                        [this](const Console& here) { return where_text() + keys_text(here); });
    }
  }

  // Starts a search in the background. `finish` turns its result into a text, which is added to the text that
  // will be shown next.
  void begin_search(const std::function<SideProcess::Job()>& job, Finish finish) {
    found_.clear();
    finish_ = std::move(finish);
    try {
      search_ = std::make_unique<SideProcess>(job());
    } catch (const Error& error) {  // the file was deleted, or no process can be started
      found_ = "\n" + wording().say(error.message()) + "\n";
    }
  }

  // Adds the result of the search. The text that it belongs to is still visible, because every other screen
  // cancels the search.
  void end_search() {
    try {
      found_ = finish_(search_->result());
    } catch (const Error& error) {
      found_ = "\n" + wording().say(error.message()) + "\n";
    }
    search_.reset();
    pane_.redraw();
  }

  std::string search_text() const { return search_ ? wording().say(msg::watch_searching()) + "\n" : ""; }

  enum Ended { kByItself, kAnotherSave, kQuit };

  // Waits until the check ends, the file is saved again, or the user quits. Keys refer to the visible screen,
  // so only q counts during a check.
  Ended ended_by(ExerciseRun& run) {
    while (!run.is_done()) {
      wait_on(run.descriptor(), kProgressEveryMs);
      if (quit_was_typed()) return kQuit;
      if (watcher_->changed()) return kAnotherSave;
    }
    return quit_was_typed() ? kQuit : kByItself;
  }

  // Reads and discards all keys typed so far; true if one of them was q.
  bool quit_was_typed() {
    for (int key = read_key(); key != kKeyNone && !quits_; key = read_key()) quits_ = key == 'q';
    return quits_;
  }

  std::string where_text() const {
    const std::string where =
        wording().say(msg::watch_title(file().lexically_relative(folder_).string(), folder_.string(),
                                       course::progress_line(course_, workspace(), wording())));
    return "\n" + search_text() + (next_step_.empty() ? "" : next_step_ + "\n") + where + "\n";
  }

  void show_task() {
    show([this](const Console& here) {
      return course::task_text(*exercise_, style_of(here)) +
             fmt::format("\n{}\n{}\n\n", wording().say(msg::watch_your_file(shown_path(file()))),
                         wording().say(msg::watch_save_or_run()));
    });
  }

  void next() {
    const Exercise* next = course::next_exercise(course_, workspace(), *exercise_);
    if (!next)
      return say(wording().say(msg::watch_no_other(course::progress_line(course_, workspace(), wording()))));
    go_to(*next);
    show_task();
  }

  void previous() {
    const Exercise* before = course::previous_exercise(course_, workspace(), *exercise_);
    if (!before) return say(wording().say(msg::watch_only_exercise(exercise_->name)));
    go_to(*before);
    show_task();
  }

  void hint() {
    const std::size_t before = workspace().exercises[exercise_->name].hints;
    const course::Workspace now = show_hint(folder_, *exercise_);
    const std::size_t shown = now.exercises.at(exercise_->name).hints;
    found_.clear();
    if (shown == course::kHints && !exercise_->is_program) {
      if (before < shown)
        found_ = "\n" + wording().say(msg::watch_hint_line()) + "\n";
      else
        begin_search([&] { return line_hint(*exercise_, now, console()); },
                     [this](const std::string& result) { return line_hint_text(result); });
    }
    show([this, shown](const Console& here) {
      return course::hints_text(*exercise_, shown, style_of(here)) + found_ + "\n";
    });
  }

  std::string line_hint_text(const std::string& result) {
    const LineHint hint = noted_line_hint(result, *exercise_, workspace());
    return hint.text + (hint.is_line ? "\n" + wording().say(msg::watch_hint_edit()) + "\n" : "");
  }

  void list() {
    show([this](const Console& here) {
      return course::progress_line(course_, workspace(), wording()) + "\n\n" +
             course::course_text(course_, workspace(), exercise_, style_of(here)) + "\n";
    });
  }

  void ask_to_reset() {
    asked_to_reset_ = true;
    say(wording().say(msg::watch_reset_question(exercise_->name)));
  }

  void keep() { say(wording().say(msg::watch_file_kept(shown_path(file())))); }

  void reset() {
    const std::string done = reset_exercise(workspace(), *exercise_, wording());
    watcher_->changed();
    say(done);
  }

  Course course_;
  std::filesystem::path folder_;
  bool polls_;
  CheckPlan plan_;
  Pane pane_;
  std::string next_step_;                // shown below the outcome of a check
  std::unique_ptr<SideProcess> search_;  // for the line of a mistake; null: none is running
  Finish finish_;
  std::string found_;  // text that the search added to the visible text
  const Exercise* exercise_ = nullptr;
  std::unique_ptr<FileWatcher> watcher_;
  bool asked_to_reset_ = false, quits_ = false;
};

struct WatchTexts {
  std::string word;
  bool polls = false;
  CheckTexts check;
};

Options watch_options(WatchTexts& texts) {
  return Options{{"EXERCISE", "", &texts.word, "the exercise to begin with; default: the one that is next"},
                 {"--poll", "", &texts.polls, "poll the file twice per second instead of using inotify"},
                 no_search_option(texts.check)} +
         options_of_checks(texts.check);
}

ExitCode watch(const WatchTexts& texts, const Console& console) {
  Course course = load_whole_course(console.wording);
  const course::Workspace workspace = require_workspace(console);
  const Exercise first = exercise_called(course, workspace, texts.word);
  if (!workspace.has(first.name)) throw not_started(first.name);
  if (!console.out_is_terminal || isatty(STDIN_FILENO) == 0)
    throw usage_error(msg::watch_needs_terminal(first.name));
  const CheckPlan plan = plan_from(texts.check);
  const Keyboard keyboard;
  Watch(std::move(course), workspace.folder, first, texts.polls, plan, console).until_quit();
  return ExitCode::kPassed;
}

}  // namespace

Verb watch_verb() {
  return {.name = "watch",
          .alias = "",
          .summary =
              "check your kernel whenever you save it, with keys for hints, the list and the next exercise",
          .examples = {"cudalab watch", "cudalab watch padded-tile"},
          .declare = with_options(watch_options, watch),
          .more_help = fmt::format("Keys: {}\n", joined(keys({})))};
}

}  // namespace cudalab::cli
