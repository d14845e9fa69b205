// Errors that reach the user: a one-line message (cause, place, next step) and an exit code.
#pragma once

#include <stdexcept>

#include "core/diagnostics/message.h"

namespace cudalab {

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
  Error(ExitCode code, Message message);
  Error(const Error&);
  Error& operator=(const Error&);
  ~Error() override;

  ExitCode code() const { return code_; }
  const Message& message() const { return message_; }  // what() is its English text

 private:
  ExitCode code_;
  Message message_;
};

// `throw usage_error(msg::option_out_of_range("--tile", tile, 1, 32));`
[[nodiscard]] Error usage_error(Message message);
[[nodiscard]] Error unavailable_error(Message message);
[[nodiscard]] Error stopped_error(Message message);

// The time limit that protects the machine ran out. This says nothing about the quality of the work it
// stopped.
class OutOfTime : public Error {
 public:
  explicit OutOfTime(Message message);
};

}  // namespace cudalab
