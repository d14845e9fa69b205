// poll and wait4.
#include "core/processes/child_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/clock.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "core/processes/child_process.h"

namespace cudalab {
namespace {

constexpr int kPollMs = 100;  // how often wall-clock limits are looked at

// The system says so first, and ends it a second later.
bool ran_out_of_processor_time(int signal_number) {
  return signal_number == SIGXCPU || signal_number == SIGKILL;
}

std::string why_signalled(int signal_number, const ChildLimits& limits) {
  if (ran_out_of_processor_time(signal_number))
    return fmt::format("took more than {:g} seconds of processor time", limits.cpu_seconds);
  switch (signal_number) {
    case SIGXFSZ: return fmt::format("wrote a file of more than {} bytes", limits.file_bytes);
    case SIGABRT: return "gave up, as programs do that run out of memory";
    default: return fmt::format("crashed ({})", ::strsignal(signal_number));
  }
}

}  // namespace

ChildPool::~ChildPool() {
  for (auto& [id, child] : children_) {
    end_child(child.pid, has_guard_);
    finish(child);
  }
}

void ChildPool::start(std::size_t id, const std::vector<std::string>& words,
                      const std::filesystem::path& folder) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw no_process_error(errno);
  const Descriptor theirs(pipe[1]);
  Descriptor ours(pipe[0]);
  ::fcntl(ours.number(), F_SETFL, O_NONBLOCK);
  Child child;
  const NoInterrupt until_it_is_noted;
  child.pid = start_child({.words = words,
                           .folder = folder,
                           .environment = {{"TMPDIR", folder.string()}},
                           .output = theirs.number(),
                           .has_guard = has_guard_},
                          limits_);
  child.on_interrupt = std::make_unique<EndOnInterrupt>(child.pid, has_guard_);
  child.output = ours.release();
  child.started = now_seconds();
  children_.emplace(id, std::move(child));
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
  end_child(child.pid, has_guard_);
}

void ChildPool::enforce(double now) {
  for (auto& [id, child] : children_)
    if (now - child.started > limits_.wall_seconds) {
      child.end.was_late = true;
      stop(child, fmt::format("took more than {:g} seconds", limits_.wall_seconds));
    }
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
  else if (child.end.stopped.empty()) {
    child.end.was_late = ran_out_of_processor_time(WTERMSIG(status));
    child.end.stopped = why_signalled(WTERMSIG(status), limits_);
  }
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
