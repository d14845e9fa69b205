// Ctrl-C and termination: the program ends at once with exit code 4 and one line, and leaves behind nothing
// of what core/processes/interruption.h has noted down.
#pragma once

#include <termios.h>

#include <string>

namespace cudalab::cli {

// `clear_line`: standard error is a terminal that may show a progress line.
void stop_cleanly_on_signals(bool clear_line);
// For a process that another one limits and waits for, and that says itself what became of it.
void let_the_limit_on_time_kill();

// For a command that goes on until it is stopped: from now on a signal puts the terminal back to these
// settings and ends the program without a complaint.
void restore_terminal_on_signals(const termios& settings);
// The same with what a full screen must write so that the terminal is as before; of the last call. Cut to
// fit.
void restore_screen_on_signals(const termios& settings, const std::string& escapes);
// Does that now, from a handler of a signal.
void restore_terminal_now();
// From now on an interruption no longer says that nothing was written.
void note_output();
// What to say instead of "nothing was written", where something was. Cut to fit.
void say_when_interrupted(const std::string& line);

}  // namespace cudalab::cli
