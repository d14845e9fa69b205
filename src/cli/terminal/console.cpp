// The program's terminal: the two output streams, and the source of answers to questions.
#include "cli/terminal/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "cli/terminal/interrupt.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "messages/cli.h"
#include "report/text/layout.h"

namespace cudalab::cli {
namespace {

constexpr std::size_t kLongestShown = 40;  // longest excerpt of an answer in a message, in characters
constexpr std::size_t kLongestLine = 10'000;

}  // namespace

Answers::Answers(const Console& console, const std::string& file)
    : console_(console),
      file_(file.empty() ? "" : read_text(file)),
      from_(file.empty() ? static_cast<std::istream&>(std::cin) : file_),
      name_(file.empty() ? "standard input" : file),
      is_terminal_(file.empty() && isatty(STDIN_FILENO) != 0 && console.out_is_terminal) {}

// The limit on the length ends an endless line, such as that of /dev/zero.
bool Answers::read_line(std::string& line) {
  line.clear();
  for (int next = from_.get(); next != std::istream::traits_type::eof(); next = from_.get()) {
    if (next == '\n') return true;
    if (line.size() == kLongestLine) throw usage_error(msg::answer_too_long(name_, line_ + 1, kLongestLine));
    line += static_cast<char>(next);
  }
  return !line.empty();
}

std::optional<std::string> Answers::next(std::string_view prompt) {
  console_.say(prompt);
  std::fflush(console_.out);
  std::string line;
  while (read_line(line)) {
    ++line_;
    last_ = trimmed(line);
    const bool is_answer = !last_.empty() && !last_.starts_with('#');
    if (!is_answer && is_terminal_) console_.say(prompt);
    if (!is_answer) continue;
    if (!is_terminal_) console_.say_line(last_);
    return last_;
  }
  console_.say("\n");
  return std::nullopt;
}

void Answers::object(std::string_view why) const {
  if (is_terminal_) return console_.say_line(fmt::format("`{}`: {}.", last_.substr(0, kLongestShown), why));
  throw usage_error(msg::answer_not_taken(name_, line_, last_.substr(0, kLongestShown), why));
}

course::Dialogue Answers::dialogue() {
  return {.say = [this](std::string_view text) { console_.say(text); },
          .ask = [this](std::string_view prompt) { return next(prompt); },
          .object = [this](std::string_view why) { object(why); },
          .width = static_cast<std::size_t>(console_.width),
          .wording = console_.wording};
}

namespace {

constexpr int kWidthOfAFile = 100, kNarrowest = 40, kWidest = 110;
constexpr std::size_t kMostOfAWord = 240, kMostOfAMessage = 2000;  // bytes

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// True if the terminal interprets escape sequences; a dumb terminal would print them as letters.
bool terminal_obeys_escapes() { return is_set("TERM") && std::string_view(std::getenv("TERM")) != "dumb"; }

// The terminal's columns and rows; 0 if there is no terminal or it does not report them.
winsize size_of(std::FILE* stream, bool is_terminal) {
  winsize size{};
  if (!is_terminal || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0) return {};
  return size;
}

// Empty if no pager is installed or PAGER=cat disables it.
std::string pager() {
  if (const char* own = std::getenv("PAGER")) return own == std::string_view("cat") ? "" : own;
  if (compile::find_program("less")) return "less -FRX";
  return compile::find_program("more") ? "more" : "";
}

// While the pager runs, Ctrl-C is the pager's to handle and does not end this process.
bool show_in(const std::string& pager, std::string_view text) {
  std::FILE* pipe = popen(pager.c_str(), "w");
  if (pipe == nullptr) return false;
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &before);
  std::fwrite(text.data(), 1, text.size(), pipe);  // fails if the user quits the pager early
  const int status = pclose(pipe);
  sigaction(SIGINT, &before, nullptr);
  constexpr int kNotFound = 127;  // the shell's exit code
  return WIFEXITED(status) && WEXITSTATUS(status) != kNotFound;
}

std::string in_one_line(std::string_view text, std::size_t most = std::string_view::npos) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return harmless_line(text.substr(0, last + 1), most);
}

// Replaces the middle of a longer text. Never cuts a UTF-8 character in two.
std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto is_inside = [&](std::size_t at) { return (text[at] & 0xc0) == 0x80; };
  std::size_t begin = most / 2, end = text.size() - most / 2;
  while (begin > 0 && is_inside(begin)) --begin;
  while (end < text.size() && is_inside(end)) ++end;
  return fmt::format("{}…{}", text.substr(0, begin), text.substr(end));
}

// Makes one line of limited length: overlong words are shortened, and so is the middle of an overlong
// message, which keeps the cause before it and the advice after it.
std::string as_message(std::string_view text) {
  const std::string line = in_one_line(text);
  std::string message;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    message += shortened(std::string_view(line).substr(begin, end - begin), kMostOfAWord);
    if (end < line.size()) message += ' ';
    begin = end + 1;
  }
  return shortened(message, kMostOfAMessage);
}

// Ignores failures: an error that cannot be printed still ends with its exit code.
void write_to_err(std::FILE* err, std::string_view text) { std::fwrite(text.data(), 1, text.size(), err); }

// A file opened later must not get the number of a closed standard stream. The replacements are read-only, so
// writing to them fails.
void keep_standard_streams() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number)
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != number) return;
}

}  // namespace

bool Console::colour(ColourChoice choice) const {
  if (choice == ColourChoice::kAuto) return out_is_terminal && !colour_refused;
  return choice == ColourChoice::kAlways;
}

// Keeps the errno of the first failure: stdio drops unwritten bytes, and later writes may succeed.
void Console::print(std::string_view text) const {
  errno = 0;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (!is_written && *first_error_ == 0) *first_error_ = errno;
  if (!text.empty()) note_output();
}

void Console::say(std::string_view text) const {
  print(out_is_terminal ? report::fold(text, static_cast<std::size_t>(width)) : std::string(text));
}

void Console::page(std::string_view text) const {
  const bool can_page = obeys_escapes && height > 0;
  const std::string folded = can_page ? report::fold(text, static_cast<std::size_t>(width)) : "";
  std::fflush(out);
  if (!can_page || std::ranges::count(folded, '\n') < height) return say(text);
  if (const std::string program = pager(); program.empty() || !show_in(program, folded)) say(text);
}

void Console::say_line(std::string_view text) const { say(fmt::format("{}\n", text)); }

// Folds the line to the terminal's width; elsewhere prints it as one line.
void Console::to_err(const std::string& line) const {
  write_to_err(err, err_is_terminal ? report::fold(line, static_cast<std::size_t>(width)) : line);
  write_to_err(err, "\n");
}

void Console::complain(std::string_view message) const {
  to_err(fmt::format("cudalab: {}", as_message(message)));
}

void Console::remark(std::string_view text) const { to_err(fmt::format("({})", as_message(text))); }

void Console::remark_between(std::string_view text) const {
  clear_progress();
  remark(text);
}

void Console::show_progress(std::string_view text) const {
  if (!shows_progress()) return;
  write_to_err(err, "\r\x1b[K" + in_one_line(text, static_cast<std::size_t>(width - 2)));
  std::fflush(err);
}

void Console::clear_progress() const {
  if (!shows_progress()) return;
  std::fputs("\r\x1b[K", err);
  std::fflush(err);
}

void Console::finish() const {
  errno = 0;
  if (std::fflush(out) != 0 && *first_error_ == 0) *first_error_ = errno;
  const int error = *first_error_;
  if (error != 0 && error != EPIPE) throw unavailable_error(msg::output_not_writable(std::strerror(error)));
}

Console console_of_this_process() {
  keep_standard_streams();
  Console console;
  console.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  console.err_is_terminal = isatty(STDERR_FILENO) != 0;
  console.obeys_escapes = terminal_obeys_escapes();
  console.colour_refused = is_set("NO_COLOR") || !console.obeys_escapes;
  const winsize size = size_of(stdout, console.out_is_terminal);
  console.width = size.ws_col == 0 ? kWidthOfAFile : std::clamp<int>(size.ws_col, kNarrowest, kWidest);
  console.height = size.ws_row;
  return console;
}

}  // namespace cudalab::cli
