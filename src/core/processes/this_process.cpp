// Facts about this process: its executable, a mark that identifies it, and its stack limit.
#include "core/processes/this_process.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "core/files.h"

namespace cudalab {
namespace {

constexpr rlim_t kNeeded = 512 << 10, kUsual = 8 << 20;

void make_usual_for_threads() {
  pthread_attr_t attributes{};
  if (::pthread_getattr_default_np(&attributes) != 0) return;
  ::pthread_attr_setstacksize(&attributes, kUsual);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

bool has_room_on_the_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kNeeded) return true;
  limit.rlim_cur = std::min(std::max(limit.rlim_max, kNeeded), kUsual);
  limit.rlim_max = std::max(limit.rlim_cur, limit.rlim_max);
  if (::setrlimit(RLIMIT_STACK, &limit) != 0) return false;
  make_usual_for_threads();
  return true;
}

namespace {

struct Status {
  char state = 0;  // process state as in /proc; 0 if unknown
  // In clock ticks of the system; 0 if unknown. Process ids are reused, but never together with the same
  // start.
  unsigned long long start = 0;
};

Status status_of(int process) {
  constexpr int kFieldsBetween = 19;  // the name in parentheses and the state come first; the start follows
                                      // this many fields after the state
  const std::string line = read_file(fmt::format("/proc/{}/stat", process)).value_or("");
  std::size_t at = line.rfind(") ");
  if (at == std::string::npos || at + 2 >= line.size()) return {};
  Status status{line[at + 2], 0};
  for (int field = 0; at != std::string::npos && field <= kFieldsBetween; ++field)
    at = line.find(' ', at + 1);
  if (at != std::string::npos) status.start = std::strtoull(line.c_str() + at, nullptr, 10);
  return status;
}

// The process has ended, but its parent has not waited for it.
bool is_zombie(const Status& status) { return status.state == 'Z' || status.state == 'X'; }

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  return std::from_chars(text.data(), end, number).ptr == end && !text.empty();
}

}  // namespace

std::string own_mark() { return fmt::format("{}-{}", ::getpid(), status_of(::getpid()).start); }

bool is_gone(std::string_view mark) {
  const std::size_t hyphen = mark.find('-');
  int process = 0;
  unsigned long long start = 0;
  if (hyphen == std::string_view::npos || !read_number(mark.substr(0, hyphen), process) || process <= 0 ||
      !read_number(mark.substr(hyphen + 1), start))
    return false;
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  const Status now = status_of(process);
  return is_zombie(now) || (now.start != 0 && start != 0 && now.start != start);
}

namespace fs = std::filesystem;
namespace {

constexpr const char* kItself = "/proc/self/exe";

}  // namespace

fs::path this_program() {
  std::error_code error;
  if (fs::path program = fs::read_symlink(kItself, error); !error) return program;
  const auto* started_as = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return started_as ? fs::canonical(started_as, error) : fs::path();
}

fs::path this_program_again() { return ::access(kItself, X_OK) == 0 ? fs::path(kItself) : this_program(); }

}  // namespace cudalab
