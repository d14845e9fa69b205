// Errors that reach the user: a one-line message (cause, place, next step) and an exit code.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/diagnostics/message.h"

namespace cudalab {

// The only exception that reaches the user: a one-line message (cause, place, next step) and an exit code.

// The exit codes of the program, documented in `cudalab --help` and in the docs.
enum class ExitCode : int {
  kPassed = 0,       // every verdict passed
  kFailed = 1,       // a verdict is "fail"
  kUsage = 2,        // wrong usage or bad input
  kUnavailable = 3,  // the machine lacks something that the run needs (GPU, compiler, memory)
  kStopped = 4,      // a time limit, a step limit or Ctrl-C stopped the run
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

// Transitional: for messages that are not in the catalogue yet.
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

// The time limit that protects the machine ran out. This says nothing about the quality of the work it
// stopped.

class OutOfTime : public Error {
 public:
  explicit OutOfTime(Message message) : Error(ExitCode::kUnavailable, std::move(message)) {}
};

}  // namespace cudalab
