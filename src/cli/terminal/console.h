// Where the program writes: two streams, and what is known about the terminal behind them.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "core/languages/wording.h"

namespace cudalab::cli {

enum class ColourChoice { kAuto, kAlways, kNever };

struct Console {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool obeys_escapes = false;   // TERM names a terminal, and not "dumb"
  bool colour_refused = false;  // NO_COLOR is set, or no escapes are obeyed
  int width = 100;              // columns for tables and paragraphs, 40 at least
  Wording wording{};            // the language in which its user is spoken to

  bool colour(ColourChoice choice) const;
  void print(
      std::string_view text) const;  // to `out`, as it is: documents, sources, what is laid out already
  // To `out`, with lines that are too long for the terminal folded between words; elsewhere as it is.
  void say(std::string_view text) const;
  void say_line(std::string_view text) const;  // with a line end
  void complain(
      std::string_view message) const;       // to `err`: "cudalab: MESSAGE", in one line whatever it holds
  void remark(std::string_view text) const;  // to `err`: what is good to know, and no fault
  void remark_between(std::string_view text) const;  // the same, while progress is shown
  bool shows_progress() const { return err_is_terminal && obeys_escapes; }
  void show_progress(
      std::string_view text) const;  // one line on `err` that the next one overwrites; terminals only
  void clear_progress() const;
  // Flushes. Throws Error(kUnavailable) when a part of the output, however early, could not be written; a
  // reader that went away (`| head`) is no error.
  void finish() const;

 private:
  void to_err(const std::string& line) const;

  std::shared_ptr<int> first_error_ = std::make_shared<int>(0);  // an errno; of all copies of this console
};

Console console_of_this_process();

}  // namespace cudalab::cli
