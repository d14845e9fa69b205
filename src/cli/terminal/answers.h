// Where answers to questions come from: a terminal, standard input, or a file.
#pragma once

#include <istream>
#include <optional>
#include <sstream>
#include <string>

#include "cli/terminal/console.h"
#include "course/dialogue.h"

namespace cudalab::cli {

// One answer a line; empty lines and those that begin with # are skipped. On a terminal an answer that cannot
// be is asked for again. Elsewhere it is an Error(kUsage) with file and line.
class Answers {
 public:
  // `file`: empty for standard input. Throws Error(kUsage) where it cannot be read.
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
