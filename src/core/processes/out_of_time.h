// What a limit on time stopped that only guards the machine: it says nothing of whose work it was.
#pragma once

#include <string>

#include "core/error.h"

namespace cudalab {

class OutOfTime : public Error {
 public:
  explicit OutOfTime(const std::string& message) : Error(ExitCode::kUnavailable, message) {}
};

}  // namespace cudalab
