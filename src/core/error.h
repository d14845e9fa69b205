// Errors that reach the user: a one-line message (cause, place, next step) and an exit code.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/diagnostics/message.h"

namespace cudalab {

// The one kind of error that reaches the user: a message (cause, place, next step, in one line) and an exit
// code.

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
  Error(ExitCode code, Message message)
      : std::runtime_error(message.text()), code_(code), message_(std::move(message)) {}
  ExitCode code() const { return code_; }
  const Message& message() const { return message_; }  // what() is its English text

 private:
  ExitCode code_;
  Message message_;
};

// `throw usage_error(msg::option_out_of_range("--tile", tile, 1, 32));`
template <std::same_as<Message> Known>
[[nodiscard]] Error usage_error(Known message) {
  return {ExitCode::kUsage, std::move(message)};
}
template <std::same_as<Message> Known>
[[nodiscard]] Error unavailable_error(Known message) {
  return {ExitCode::kUnavailable, std::move(message)};
}
template <std::same_as<Message> Known>
[[nodiscard]] Error stopped_error(Known message) {
  return {ExitCode::kStopped, std::move(message)};
}

// Transitional: messages that are not in the catalogue yet.
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

// What a limit on time stopped that only guards the machine: it says nothing of whose work it was.

class OutOfTime : public Error {
 public:
  explicit OutOfTime(Message message) : Error(ExitCode::kUnavailable, std::move(message)) {}
};

}  // namespace cudalab
