// A GPU's own counters, read by Nsight Compute (ncu), which runs a program and measures each of its kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.h"

namespace cudalab::device {

// A kernel that a program launched, as Nsight Compute saw it. A shape that it does not tell is 0.
struct ProfiledKernel {
  std::string name;  // "scale(float *, int)"
  Dim3 grid{0, 0, 0}, block{0, 0, 0};
  Counters counters;
};

// The words that run `command` under ncu, which writes its table into `log` and leaves the command's standard
// streams alone. Throws Error(kUnavailable) where ncu is missing.
std::vector<std::string> under_ncu(const std::vector<std::string>& command, const std::string& log);

// What such a log holds, in the order of the launches; none where the program launched nothing. Throws
// Error(kUnavailable) where ncu says that it could not count.
std::vector<ProfiledKernel> kernels_from_log(const std::string& log);

// Runs the command under ncu and returns the counters of every kernel that it launched, in order: those of
// kCounters that Nsight Compute has. Throws Error(kUnavailable) in one line where ncu is missing, may not
// read the counters or the command fails.
std::vector<Counters> profile(const std::vector<std::string>& command);

// What `ncu --csv --page raw` has written: names, units, then a row a kernel. Lines before the names are
// ncu's messages. Throws Error(kUnavailable) where there are no names.
std::vector<Counters> counters_from_csv(std::string_view text);

}  // namespace cudalab::device
