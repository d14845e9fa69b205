// Handlers of Ctrl-C, termination and the limit on processor time.
#include "cli/terminal/interrupt.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

#include "core/error.h"
#include "core/processes/interruption.h"

namespace cudalab::cli {
namespace {

// Signal handlers may only use lock-free atomics and static memory.
constexpr const char *kStopped = "cudalab: stopped before the end",
                     *kStoppedInKernel = "cudalab: stopped in the kernel ",
                     *kNothingWritten = "; nothing was written", *kEndOfLine = "\n";
constexpr const char* kNoTimeLeft =
    "cudalab: the limit on processor time (`ulimit -t`) is used up; raise it, and start again\n";
std::array<char, PATH_MAX + 200> last_words{};  // empty: use the texts above
std::atomic<bool> something_is_written = false;
std::atomic<bool> clear_the_line = false;
termios terminal_before{};
std::atomic<bool> restore_the_terminal = false, ends_well = false;
std::array<char, 256> screen_escapes{};  // written before the settings are restored; empty: no full screen

void write_to_stderr(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // standard error is closed: ignore
}

void clean_up() {
  leave_nothing_behind();
  if (clear_the_line) write_to_stderr("\r\x1b[K");
}

void say_where_it_stopped() {
  if (last_words[0] != '\0') return write_to_stderr(last_words.data());
  const bool is_in_kernel = whereabouts()[0] != '\0';
  write_to_stderr(is_in_kernel ? kStoppedInKernel : kStopped);
  write_to_stderr(whereabouts());
  if (!something_is_written) write_to_stderr(kNothingWritten);
  write_to_stderr(kEndOfLine);
}

// `watch` is meant to be ended by a signal: it exits successfully. A full screen has a key for that, so a
// signal counts as an interruption.
void stop(int) {
  clean_up();
  if (restore_the_terminal) {
    restore_terminal_now();
    if (screen_escapes[0] == '\0') _exit(static_cast<int>(ExitCode::kPassed));
  }
  if (ends_well) _exit(static_cast<int>(ExitCode::kPassed));
  say_where_it_stopped();
  _exit(static_cast<int>(ExitCode::kStopped));
}

// SIGXCPU arrives one second before the system kills the process.
void stop_late(int) {
  clean_up();
  if (restore_the_terminal) restore_terminal_now();
  write_to_stderr(kNoTimeLeft);
  _exit(static_cast<int>(ExitCode::kUnavailable));
}

// If the soft limit equals the hard limit, the system kills the process without a signal that it can handle;
// lowering the soft limit by a second makes SIGXCPU arrive first.
void be_told_of_the_limit_on_time() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur < limit.rlim_max || limit.rlim_max < 2) return;
  if (limit.rlim_max == RLIM_INFINITY) return;
  limit.rlim_cur = limit.rlim_max - 1;
  ::setrlimit(RLIMIT_CPU, &limit);
}

bool is_ignored(int signal_number) {
  struct sigaction current {};
  return sigaction(signal_number, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

void stop_cleanly_on_signals(bool clear_line) {
  clear_the_line = clear_line;
  for (int signal_number : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(signal_number))
      handle_signal(signal_number, stop);  // `nohup`, and `&` in a script, ignore signals: keep that
  be_told_of_the_limit_on_time();
  handle_signal(SIGXCPU, stop_late);
  handle_signal(SIGXFSZ, SIG_IGN);  // `ulimit -f`: writing fails, and cleanup runs
  handle_signal(
      SIGPIPE,
      SIG_IGN);  // `cudalab list | head`: writing fails instead; the exit code remains that of the verdict
}

void let_the_limit_on_time_kill() { handle_signal(SIGXCPU, SIG_DFL); }

void succeed_on_signals() { ends_well = true; }

void restore_terminal_on_signals(const termios& settings) {
  restore_the_terminal = false;
  terminal_before = settings;
  restore_the_terminal = true;
}

void restore_screen_on_signals(const termios& settings, const std::string& escapes) {
  restore_the_terminal = false;
  const std::size_t length = std::min(escapes.size(), screen_escapes.size() - 1);
  std::memcpy(screen_escapes.data(), escapes.c_str(), length);
  screen_escapes[length] = '\0';
  restore_terminal_on_signals(settings);
}

void restore_terminal_now() {
  const std::size_t length = std::strlen(screen_escapes.data());
  if (length && write(STDOUT_FILENO, screen_escapes.data(), length) < 0) return;  // the terminal is closed
  tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

void note_output() { something_is_written = true; }

void say_when_interrupted(const std::string& line) {
  std::size_t length = std::min(line.size(), last_words.size() - 1);
  std::memcpy(last_words.data(), line.c_str(), length);
  last_words[length] = '\0';
}

}  // namespace cudalab::cli
