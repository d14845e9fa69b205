// Collects the standard output of a program in a pipe.
#include "cli/debug/program_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace cudalab::cli {
namespace {

constexpr std::size_t kMostTaken = 1u << 18;  // bytes that one event can hold without delaying the others

// Returns the end to read from; negative if the system provides no pipe.
int piped_standard_output() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  const Descriptor to(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ::dup2(to.number(), STDOUT_FILENO);
  return ends[0];
}

}  // namespace

ProgramOutput::ProgramOutput() : pipe_(piped_standard_output()) {}

std::string ProgramOutput::take() const {
  std::string text;
  std::array<char, 1u << 14> buffer;
  while (pipe_.number() >= 0 && text.size() < kMostTaken) {
    const ssize_t got = ::read(pipe_.number(), buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace cudalab::cli
