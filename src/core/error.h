// The one kind of error that reaches the user: a one-line message (cause, place, next step) and an exit code.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cudalab {

// The exit codes of the program, as documented in `cudalab --help` and the README.
enum class ExitCode : int {
  kPassed = 0,       // every verdict passed
  kFailed = 1,       // a verdict failed
  kUsage = 2,        // wrong usage or bad input
  kUnavailable = 3,  // the machine lacks what was asked for (no GPU, no compiler, no memory)
  kStopped = 4,      // the run was stopped (time or step limit, Ctrl-C)
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// `throw usage_error("--tile is {}; it must be 1 to 32", tile);`
template <class... Args>
[[nodiscard]] Error usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ExitCode::kUsage, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
[[nodiscard]] Error unavailable_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ExitCode::kUnavailable, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
[[nodiscard]] Error stopped_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ExitCode::kStopped, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace cudalab
