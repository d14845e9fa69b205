// What one process of a program did on a device: on the virtual GPU gathered from its records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/programs/program_record.h"

namespace cudalab::device {

// All launches of one kernel, or one of them.
struct ProgramKernel {
  std::string kernel;  // as the source spells it
  Dim3 grid, block;    // of the first
  std::uint64_t shared_bytes = 0;
  std::int64_t device = 0, stream = 0;
  CallSite from;
  std::uint64_t launches = 0;
  double predicted_ms = 0;  // of all
  LaunchResult result;      // added up
};

struct CopyTotal {
  std::uint64_t copies = 0, bytes = 0;
  double predicted_ms = 0;
};

// A piece of work on the model's clock.
struct TimelineEntry {
  std::string name;
  std::optional<CopyDirection> copy;  // nothing: a kernel
  std::int64_t device = 0, stream = 0;
  PredictedSpan span;
};

struct ProgramLog {
  std::vector<std::string> arguments;   // the program's own words
  std::string device_kind = "virtual";  // or "gpu": then only kernels and counters are known
  std::optional<ProgramStart> start;    // nothing: it never called CUDA
  std::vector<ProgramKernel> kernels;
  std::map<CopyDirection, CopyTotal> copies;
  std::vector<TimelineEntry> timeline;                     // the first of them
  std::map<std::uint64_t, ProgramAllocation> allocations;  // that are not freed
  std::uint64_t managed_bytes = 0;                         // of cudaMallocManaged, what was freed among them
  std::vector<FailedCall> failures;
  std::vector<HostMistake> mistakes;
  std::string running;          // the kernel that runs, or never came to its end
  std::uint64_t launches = 0;   // that began
  double expected_seconds = 0;  // that it takes the interpreter; 0: not known yet
  int exit_code = 0;            // 128 + N where signal N ended it
  std::string stopped;          // "--timeout 5 ended it"; empty: it ended by itself

  std::map<std::string, CallSite> named;  // where the memory came from that hazards call by a name
  std::map<CallSite, SourceLine> lines;   // of the call sites that are known
};

void add(ProgramLog& log, ProgramRecord record, bool each_launch);

// Failures that nobody asked for: of launches always, of calls where the program never asked for an error.
std::vector<FailedCall> unchecked(const ProgramLog& log);
// Whether something is wrong with the program, whatever its exit code says.
bool has_hazards(const ProgramLog& log);
// Whether a program with this mistake is wrong; else it is told, and may be right all the same.
bool is_wrong(const HostMistake& mistake);
// The signal that ended a process with this exit code, as shells write it; nothing: it chose the code itself.
std::optional<int> signal_in(int exit_code);
// Those that a report shows.
std::vector<CallSite> call_sites(const ProgramLog& log);

}  // namespace cudalab::device
