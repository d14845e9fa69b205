// What a library writes to standard output, taken out of it.
#pragma once

#include <string>

namespace cudalab::device {

// From construction to `take` (or destruction), the process's standard output goes to memory. The driver
// prints a kernel's printf there itself, and standard output may be a JSON document.
class CapturedOutput {
 public:
  CapturedOutput();
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  std::string take();  // what was printed, its first MiB

 private:
  void restore();
  int original_ = -1, memory_ = -1;
};

}  // namespace cudalab::device
