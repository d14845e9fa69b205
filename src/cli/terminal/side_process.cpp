// Runs a job in a forked child, which sends messages through a pipe: KIND LENGTH '\n' BYTES.
#include "cli/terminal/side_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/error.h"
#include "core/processes/child_process.h"
#include "core/programs/program_record.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

constexpr char kProgress = 'p', kResult = 'r', kMemory = 'm', kFault = 'f';
constexpr char kFirstError = '0';  // plus the exit code of an Error

void send(int pipe, char kind, const std::string& text) {
  const std::string message = fmt::format("{}{}\n{}", kind, text.size(), text);
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t more = ::write(pipe, message.data() + sent, message.size() - sent);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) ::_exit(0);  // the parent has closed the pipe
    sent += static_cast<std::size_t>(more);
  }
}

// A process group of its own receives no Ctrl-C from the terminal: the parent decides when it ends.
void prepare_child(const std::string& folder) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS,
                           SIGFPE, SIGILL, SIGXCPU})
    ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setenv("TMPDIR", folder.c_str(), 1);
}

void work(int pipe, const SideProcess::Job& job) {
  try {
    send(pipe, kResult, job([pipe](const std::string& text) { send(pipe, kProgress, text); }));
  } catch (const Error& error) {
    send(pipe, static_cast<char>(kFirstError + static_cast<int>(error.code())), bytes_of(error.message()));
  } catch (const std::bad_alloc&) {
    send(pipe, kMemory, "");
  } catch (const std::exception& error) {
    send(pipe, kFault, error.what());
  }
}

}  // namespace

SideProcess::SideProcess(const Job& job) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw no_process_error(errno);
  const NoInterrupt until_it_is_noted;
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ == 0) {
    prepare_child(folder_.path().string());
    if (::getppid() == parent) work(ends[1], job);
    ::_exit(0);
  }
  const int reason = errno;
  ::close(ends[1]);
  pipe_ = ends[0];
  if (child_ < 0) {
    ::close(pipe_);
    throw no_process_error(reason);
  }
  ::setpgid(child_, child_);  // parent and child both call it, so neither depends on the other
  on_interrupt_.emplace(child_);
  ::fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

SideProcess::~SideProcess() {
  end();
  ::close(pipe_);
}

void SideProcess::end() {
  if (child_ < 0) return;
  ::kill(-child_, SIGKILL);
  wait();
}

void SideProcess::wait() {
  while (::waitpid(child_, &status_, 0) < 0 && errno == EINTR) continue;
  on_interrupt_.reset();
  child_ = -1;
}

bool SideProcess::is_done() {
  if (child_ >= 0) read_what_came();
  return child_ < 0;
}

// End of file means that the child has ended, or is about to.
void SideProcess::read_what_came() {
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t bytes = ::read(pipe_, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) break;
    if (bytes == 0) {
      wait();
      break;
    }
    unread_.append(piece.data(), static_cast<std::size_t>(bytes));
  }
  take_messages();
}

void SideProcess::take_messages() {
  while (true) {
    const std::size_t line_end = unread_.find('\n');
    if (line_end == std::string::npos) return;
    std::size_t length = 0;
    std::from_chars(unread_.data() + 1, unread_.data() + line_end, length);
    if (unread_.size() < line_end + 1 + length) return;
    take(unread_[0], unread_.substr(line_end + 1, length));
    unread_.erase(0, line_end + 1 + length);
  }
}

void SideProcess::take(char kind, std::string text) {
  if (kind == kProgress)
    progress_ = std::move(text);
  else
    outcome_.emplace(kind, std::move(text));
}

std::string SideProcess::result() {
  if (!outcome_) {
    const Argument what = progress_.empty() ? Argument(msg::side_process_what()) : Argument(progress_);
    if (WIFSIGNALED(status_) && WTERMSIG(status_) == SIGXCPU)
      throw unavailable_error(msg::side_process_cpu_limit(what));
    const Argument how = WIFSIGNALED(status_) ? Argument(::strsignal(WTERMSIG(status_)))
                                              : Argument(msg::side_process_ended_silently());
    throw unavailable_error(msg::side_process_crashed(what, how));
  }
  const auto& [kind, text] = *outcome_;
  if (kind == kResult) return text;
  if (kind == kMemory) throw std::bad_alloc();
  if (kind == kFault) throw std::runtime_error(text);
  throw Error(static_cast<ExitCode>(kind - kFirstError), message_in(text));
}

}  // namespace cudalab::cli
