// Handles Ctrl-C and termination: the program ends at once with exit code 4 and one line of output, and
// removes everything that is registered in core/processes/interruption.h.
#pragma once

#include <termios.h>

#include <string>

namespace cudalab::cli {

// `clear_line`: standard error is a terminal that may show a progress line.
void stop_cleanly_on_signals(bool clear_line);
// For a child process whose parent sets its limits and reports the outcome.
void let_the_limit_on_time_kill();

// For a command that runs until a signal ends it: from now on, a signal exits successfully.
void succeed_on_signals();
// The same for a command that uses the terminal: a signal also restores these settings.
void restore_terminal_on_signals(const termios& settings);
// For a full screen: a signal also writes `escapes`, truncated to fit, which restore the terminal's contents.
// The last call counts.
void restore_screen_on_signals(const termios& settings, const std::string& escapes);
// Restores the terminal now. May be called in a signal handler.
void restore_terminal_now();
// From now on, the message of an interruption no longer says that nothing was written.
void note_output();
// Sets the message of an interruption, truncated to fit.
void say_when_interrupted(const std::string& line);

}  // namespace cudalab::cli
