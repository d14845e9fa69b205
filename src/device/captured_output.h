// Captures text that a library writes to standard output.
#pragma once

#include <string>

namespace cudalab::device {

// Redirects the standard output of the process to memory, from construction until `take` or destruction. The
// driver prints a kernel's printf output itself, and standard output may have to contain only a JSON
// document.
class CapturedOutput {
 public:
  CapturedOutput();
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  std::string take();  // the captured text, at most its first MiB

 private:
  void restore();
  int original_ = -1, memory_ = -1;
};

}  // namespace cudalab::device
