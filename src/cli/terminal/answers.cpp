// Reads answers line by line, and shows those that nobody typed here.
#include "cli/terminal/answers.h"

#include <unistd.h>

#include <iostream>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace cudalab::cli {
namespace {

constexpr std::size_t kLongestShown = 40;  // characters of an answer in a message
constexpr std::size_t kLongestLine = 10'000;

}  // namespace

Answers::Answers(const Console& console, const std::string& file)
    : console_(console),
      file_(file.empty() ? "" : read_text(file)),
      from_(file.empty() ? static_cast<std::istream&>(std::cin) : file_),
      name_(file.empty() ? "standard input" : file),
      is_terminal_(file.empty() && isatty(STDIN_FILENO) != 0 && console.out_is_terminal) {}

// What never ends its line, as /dev/zero, is not waited for.
bool Answers::read_line(std::string& line) {
  line.clear();
  for (int next = from_.get(); next != std::istream::traits_type::eof(); next = from_.get()) {
    if (next == '\n') return true;
    if (line.size() == kLongestLine)
      throw usage_error("{}, line {}: it has more than {} characters and is no answer", name_, line_ + 1,
                        kLongestLine);
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
  throw usage_error("{}, line {}: `{}` is no answer here; {}", name_, line_, last_.substr(0, kLongestShown),
                    why);
}

course::Dialogue Answers::dialogue() {
  return {.say = [this](std::string_view text) { console_.say(text); },
          .ask = [this](std::string_view prompt) { return next(prompt); },
          .object = [this](std::string_view why) { object(why); },
          .width = static_cast<std::size_t>(console_.width),
          .wording = console_.wording};
}

}  // namespace cudalab::cli
