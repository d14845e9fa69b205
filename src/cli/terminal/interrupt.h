// Ctrl-C and termination: the program ends at once with exit code 4 and one line, and leaves no half-written
// file.
#pragma once

#include <termios.h>

#include <string>

namespace cudalab::cli {

// `clear_line`: standard error is a terminal that may show a progress line.
void stop_cleanly_on_signals(bool clear_line);

// For a command that goes on until it is stopped: from now on a signal puts the terminal back to these
// settings and ends the program without a complaint.
void restore_terminal_on_signals(const termios& settings);
// From now on an interruption no longer says that nothing was written.
void note_output();
// What to say instead of "nothing was written", where something was. Cut to fit.
void say_when_interrupted(const std::string& line);

// While an object lives, an interruption removes this file, or this folder if it is empty. A few may live at
// once; what is one too many stays.
class RemoveOnInterrupt {
 public:
  explicit RemoveOnInterrupt(const std::string& path);
  ~RemoveOnInterrupt();
  RemoveOnInterrupt(const RemoveOnInterrupt&) = delete;
  RemoveOnInterrupt& operator=(const RemoveOnInterrupt&) = delete;

 private:
  std::size_t place_;  // among those that live
};

}  // namespace cudalab::cli
