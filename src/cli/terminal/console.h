// The program's terminal: the two output streams, and the source of answers to questions.
#pragma once

#include <cstdio>
#include <istream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "core/languages/wording.h"
#include "course/questions.h"

namespace cudalab::cli {

// The output streams, and the properties of the terminal behind them.

enum class ColourChoice { kAuto, kAlways, kNever };

struct Console {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool obeys_escapes = false;   // TERM is set, and is not "dumb"
  bool colour_refused = false;  // NO_COLOR is set, or no escapes are obeyed
  int width = 100;              // columns for tables and paragraphs, at least 40
  int height = 0;               // rows of the terminal; 0: no terminal, or size unknown
  Wording wording{};            // the user's language

  bool colour(ColourChoice choice) const;
  void print(
      std::string_view text) const;  // to `out`, unchanged: documents, sources, text that is already laid out
  // To `out`; on a terminal, lines that are too long are folded between words.
  void say(std::string_view text) const;
  void say_line(std::string_view text) const;  // with a newline
  // Like say(). Text with more rows than the terminal is shown in $PAGER, or else in less or more.
  void page(std::string_view text) const;
  void complain(
      std::string_view message) const;  // to `err`: "cudalab: MESSAGE", on one line whatever MESSAGE contains
  void remark(std::string_view text) const;          // to `err`: information, not an error
  void remark_between(std::string_view text) const;  // the same, while progress is shown
  bool shows_progress() const { return err_is_terminal && obeys_escapes; }
  void show_progress(
      std::string_view text) const;  // one line on `err`, overwritten by the next one; only on a terminal
  void clear_progress() const;
  // Flushes. Throws Error(kUnavailable) if any output could not be written, however early; a reader that has
  // closed the pipe (`| head`) is no error.
  void finish() const;

 private:
  void to_err(const std::string& line) const;

  std::shared_ptr<int> first_error_ = std::make_shared<int>(0);  // an errno; shared by all copies
};

Console console_of_this_process();

// The source of answers to questions: a terminal, standard input, or a file.

// Reads one answer per line; skips empty lines and those that begin with #. On a terminal, an invalid answer
// is asked for again. Elsewhere, it throws Error(kUsage) with file and line.
class Answers {
 public:
  // `file`: empty for standard input. Throws Error(kUsage) if the file cannot be read.
  Answers(const Console& console, const std::string& file);
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  course::Dialogue dialogue();
  bool come_from_a_terminal() const { return is_terminal_; }

 private:
  bool read_line(std::string& line);  // false at the end of the answers
  std::optional<std::string> next(std::string_view prompt);
  void object(std::string_view why) const;

  const Console& console_;
  std::istringstream file_;
  std::istream& from_;
  std::string name_, last_;
  int line_ = 0;
  bool is_terminal_;
};

}  // namespace cudalab::cli
