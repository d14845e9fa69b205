// fork, limits, exec, poll, wait4.
#include "core/child_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include "core/error.h"

namespace cudalab {
namespace {

// AddressSanitizer reserves more address space than any machine has memory.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif
constexpr int kPollMs = 100;  // how often wall-clock limits are looked at

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void limit(int what, std::uint64_t soft, std::uint64_t hard) {
  rlimit both{soft, hard};
  ::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

void apply(const ChildLimits& limits) {
  auto seconds = static_cast<std::uint64_t>(std::ceil(limits.cpu_seconds));
  limit(RLIMIT_CPU, seconds, seconds + 1);
  if (kLimitsMemory) limit(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes);
  limit(RLIMIT_CORE, 0, 0);
}

// Between fork and exec: system calls only.
[[noreturn]] void give_up(int code, const char* what, const char* name) {
  const char* why = ::strerrordesc_np(errno);
  for (const char* part : {what, name, ": ", why ? why : "unknown error", "\n"})
    if (::write(STDOUT_FILENO, part, std::strlen(part)) < 0) break;  // nobody left to tell
  ::_exit(code);
}

[[noreturn]] void become(char* const* words, const char* folder, int output, const ChildLimits& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int nothing = ::open("/dev/null", O_RDONLY);
  bool ready = nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
               ::dup2(output, STDERR_FILENO) >= 0;
  if (!ready) ::_exit(126);
  if (::chdir(folder) != 0) give_up(126, "cannot work in ", folder);
  for (int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(signal_number, SIG_DFL);
  apply(limits);
  ::execv(words[0], words);
  give_up(127, "cannot start ", words[0]);
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string why_signalled(int signal_number, const ChildLimits& limits) {
  switch (signal_number) {
    case SIGXCPU:
    case SIGKILL: return fmt::format("took more than {:g} seconds of processor time", limits.cpu_seconds);
    case SIGXFSZ: return fmt::format("wrote a file of more than {} bytes", limits.file_bytes);
    case SIGABRT: return "gave up, as programs do that run out of memory";
    default: return fmt::format("crashed ({})", ::strsignal(signal_number));
  }
}

}  // namespace

ChildPool::~ChildPool() {
  for (auto& [id, child] : children_) {
    ::kill(child.pid, SIGKILL);
    finish(child);
  }
}

void ChildPool::start(std::size_t id, const std::vector<std::string>& words,
                      const std::filesystem::path& folder) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    throw unavailable_error("cannot start another process: {}", std::strerror(errno));
  std::vector<char*> pointers = pointers_to(words);
  pid_t pid = ::fork();
  if (pid == 0) become(pointers.data(), folder.c_str(), pipe[1], limits_);
  int reason = errno;
  ::close(pipe[1]);
  if (pid < 0) {
    ::close(pipe[0]);
    throw unavailable_error("cannot start another process: {}", std::strerror(reason));
  }
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  children_.emplace(id, Child{pid, pipe[0], now_seconds(), {}});
}

// Closes the pipe at its end, which is when the child has ended.
void ChildPool::read_from(Child& child) {
  std::array<char, 65536> piece{};
  ssize_t bytes = ::read(child.output, piece.data(), piece.size());
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (bytes <= 0) {
    ::close(child.output);
    child.output = -1;
    return;
  }
  std::size_t room =
      limits_.output_bytes - std::min<std::size_t>(limits_.output_bytes, child.end.output.size());
  child.end.output.append(piece.data(), std::min<std::size_t>(room, static_cast<std::size_t>(bytes)));
  if (static_cast<std::size_t>(bytes) > room)
    stop(child, fmt::format("wrote more than {} bytes", limits_.output_bytes));
}

void ChildPool::stop(Child& child, std::string why) {
  if (child.end.stopped.empty()) child.end.stopped = std::move(why);
  ::kill(child.pid, SIGKILL);
}

void ChildPool::enforce(double now) {
  for (auto& [id, child] : children_)
    if (now - child.started > limits_.wall_seconds)
      stop(child, fmt::format("took more than {:g} seconds", limits_.wall_seconds));
}

ChildEnd ChildPool::finish(Child& child) {
  int status = 0;
  rusage usage{};
  while (::wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (child.output >= 0) ::close(child.output);
  child.end.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  child.end.seconds = now_seconds() - child.started;
  if (WIFEXITED(status))
    child.end.exit_code = WEXITSTATUS(status);
  else if (child.end.stopped.empty())
    child.end.stopped = why_signalled(WTERMSIG(status), limits_);
  return std::move(child.end);
}

std::pair<std::size_t, ChildEnd> ChildPool::wait() {
  while (true) {
    std::vector<pollfd> pipes;
    std::vector<std::size_t> ids;
    for (const auto& [id, child] : children_) {
      pipes.push_back({child.output, POLLIN, 0});
      ids.push_back(id);
    }
    ::poll(pipes.data(), pipes.size(), kPollMs);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      Child& child = children_.at(ids[i]);
      if (pipes[i].revents != 0) read_from(child);
      if (child.output >= 0) continue;
      std::pair<std::size_t, ChildEnd> ended{ids[i], finish(child)};
      children_.erase(ids[i]);
      return ended;
    }
    enforce(now_seconds());
  }
}

}  // namespace cudalab
