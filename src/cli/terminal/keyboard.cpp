// Terminal settings, and the signals that must not leave them behind.
#include "cli/terminal/keyboard.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "cli/terminal/interrupt.h"

namespace cudalab::cli {
namespace {

constexpr char kEscape = '\x1b', kHangUp = 'q';

// What the handlers need; written before they are installed.
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

// Back from a suspension.
void go_on(int) {
  use(raw);
  handle(SIGTSTP, suspend, 0);
}

// A crash, or Ctrl-\: the default action follows.
void die(int signal_number) {
  use(before);
  raise(signal_number);
}

bool key_waits() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) > 0;
}

}  // namespace

Keyboard::Keyboard() {
  tcgetattr(STDIN_FILENO, &before);
  raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  restore_terminal_on_signals(before);
  handle(SIGTSTP, suspend, 0);
  handle(SIGCONT, go_on, SA_RESTART);
  for (const int signal_number : {SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
    handle(signal_number, die, SA_RESETHAND | SA_NODEFER);
  use(raw);
}

Keyboard::~Keyboard() {
  for (const int signal_number : {SIGTSTP, SIGCONT, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
    handle(signal_number, SIG_DFL, 0);
  use(before);
}

char read_key() {
  if (!key_waits()) return 0;
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) != 1) return kHangUp;
  if (key != kEscape) return key;
  for (char rest = 0; key_waits();)
    if (read(STDIN_FILENO, &rest, 1) != 1) return kHangUp;
  return kEscape;
}

}  // namespace cudalab::cli
