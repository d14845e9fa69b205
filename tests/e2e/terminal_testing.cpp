// Runs a program in a pseudo-terminal.
#include "tests/e2e/terminal_testing.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace cudalab::e2e {
namespace {

constexpr std::chrono::seconds kPatience{60};

[[noreturn]] void become_in_terminal(std::vector<std::string> words, const std::filesystem::path& folder,
                                     const char* name) {
  words.insert(words.begin(), CUDALAB_PROGRAM);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::setenv("LC_ALL", "C", 1);
  ::unsetenv("TERM");
  if (name) ::setenv("TERM", name, 1);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

Terminal::Terminal(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                   unsigned short columns, const char* name, unsigned short rows) {
  winsize size{rows, columns, 0, 0};
  int slave = -1;
  if (::openpty(&master_, &slave, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
  child_ = ::fork();
  if (child_ == 0) {
    ::close(master_);
    if (::login_tty(slave) != 0) ::_exit(126);
    ::setenv("PAGER", "cat", 0);  // a pager would wait for keys
    become_in_terminal(arguments, folder, name);
  }
  ::close(slave);  // so the end of the child's output is noticed at once
}

Terminal::~Terminal() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  ::close(master_);
}

void Terminal::type(const std::string& keys) const {
  if (::write(master_, keys.data(), keys.size()) < 0) throw std::runtime_error("the terminal is gone");
}

void Terminal::signal(int number) const { ::kill(child_, number); }

termios Terminal::settings() const {
  termios now{};
  ::tcgetattr(master_, &now);
  return now;
}

bool Terminal::read_more() {
  pollfd input{master_, POLLIN, 0};
  if (::poll(&input, 1, 100) <= 0) return false;
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(master_, buffer.data(), buffer.size());
  if (count <= 0) return false;
  unread_.append(buffer.data(), static_cast<std::size_t>(count));
  everything_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

void Terminal::resize(unsigned short columns, unsigned short rows) const {
  const winsize size{rows, columns, 0, 0};
  ::ioctl(master_, TIOCSWINSZ, &size);  // the system sends SIGWINCH
}

std::string Terminal::read_until(const std::string& text) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (unread_.find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("no `" + text + "` in:\n" + unread_);
    read_more();
  }
  const std::size_t past = unread_.find(text) + text.size();
  const std::string came = unread_.substr(0, past);
  unread_.erase(0, past);
  return came;
}

int Terminal::wait() {
  int status = 0;
  while (::waitpid(child_, &status, WNOHANG) == 0) read_more();
  child_ = -1;
  while (read_more()) continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace cudalab::e2e
