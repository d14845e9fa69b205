// /proc and kill.
#include "core/processes/process_mark.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "core/files.h"

namespace cudalab {
namespace {

struct Status {
  char state = 0;  // as /proc names it; 0 where the system does not say
  // In the system's own ticks; 0 where it does not say. A number of a process is given anew, its number and
  // its start never.
  unsigned long long start = 0;
};

Status status_of(int process) {
  constexpr int kFieldsBetween = 19;  // from the state, which follows the name in parentheses, to the start
  const std::string line = read_file(fmt::format("/proc/{}/stat", process)).value_or("");
  std::size_t at = line.rfind(") ");
  if (at == std::string::npos || at + 2 >= line.size()) return {};
  Status status{line[at + 2], 0};
  for (int field = 0; at != std::string::npos && field <= kFieldsBetween; ++field)
    at = line.find(' ', at + 1);
  if (at != std::string::npos) status.start = std::strtoull(line.c_str() + at, nullptr, 10);
  return status;
}

// Has ended, and nobody has asked how.
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

}  // namespace cudalab
