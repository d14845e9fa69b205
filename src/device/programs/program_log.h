// The log of one process of a program on a device. On the virtual GPU it is built from the process's records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/programs/program_record.h"

namespace cudalab::device {

// All launches of one kernel, or all calls of one function of a library; or a single one of these.
struct ProgramKernel {
  std::string kernel;   // as in the source
  std::string library;  // of a library call: "cuBLAS"; empty: a kernel
  LaunchSpec spec;      // of the first launch
  std::int64_t device = 0, stream = 0;
  CallSite from;
  std::uint64_t launches = 0;
  double predicted_ms = 0;  // of all launches
  LaunchResult result;      // sum of all launches
};

struct CopyTotal {
  std::uint64_t copies = 0, bytes = 0;
  double predicted_ms = 0;
};

// A kernel or copy on the predicted timeline.
struct TimelineEntry {
  std::string name;
  std::optional<CopyDirection> copy;  // empty: a kernel
  std::int64_t device = 0, stream = 0;
  PredictedSpan span;
};

// The use of one allocation, to which a parameter points, by all launches of a kernel.
struct ParameterUse {
  std::string kernel;
  std::uint64_t position = 0;  // among the kernel's parameters, from 0
  BufferUse use;
  std::size_t copies_before = 0;  // entries of each_copy before the kernel's last launch
  std::uint64_t last_launch = 0;  // the number of the kernel's last launch with this memory
};

// A fact of a run that may explain its wrong result (course/reasons/program_evidence.h).
struct ProgramFact {
  Message what;
  SourceLine where;         // line 0: unknown
  bool is_verdict = false;  // that the results are wrong; all others may be causes of that
};

struct ProgramLog {
  std::vector<std::string> arguments;   // the program's own arguments
  std::string device_kind = "virtual";  // or "gpu": only kernels and counters are known
  std::optional<ProgramStart> start;    // empty: it never called CUDA
  std::vector<ProgramKernel> kernels;
  std::map<CopyDirection, CopyTotal> copies;
  std::vector<TimelineEntry> timeline;  // only the first entries
  // If LaunchOptions::record_uses asked for them:
  std::vector<ProgramCopy> each_copy;  // only the first ones, in the order of execution
  std::vector<ParameterUse> uses;
  std::uint64_t launches_with_uses = 0;
  std::vector<ParameterUse>
      others;  // shared arrays, and memory that no parameter points to; without positions
  std::vector<TextureUse> textures;                        // only the first ones
  std::map<std::uint64_t, ProgramAllocation> allocations;  // not freed
  std::uint64_t pinned_bytes = 0;   // the most pinned memory that the arguments of one launch lead to
  std::uint64_t managed_bytes = 0;  // by cudaMallocManaged, including freed memory
  std::vector<FailedCall> failures;
  std::vector<HostMistake> mistakes;
  std::vector<ProgramFact> facts;  // only if the program failed and nothing else explains it
  std::string running;             // the kernel that is running or was interrupted
  SourceLine running_at;           // a line that it executed; line 0: unknown
  std::uint64_t launches = 0;      // including those that did not end
  double expected_seconds = 0;     // estimated interpreter time of the running kernel; 0: unknown
  std::uint64_t nans = 0;          // NaN in copies to the host
  bool is_strict = false;          // warnings count as errors
  bool is_sample = false;          // only some blocks of each launch ran: nothing is known about its results
  int exit_code = 0;               // 128 + N if signal N ended it
  Message stopped;                 // why it was stopped: "--timeout 5 ended it"; empty: it ended by itself

  std::map<std::string, CallSite> named;  // call sites of memory that hazards mention by name
  std::map<CallSite, SourceLine> lines;   // known lines of call sites
};

void add(ProgramLog& log, ProgramRecord record, bool each_launch);

// Errors that the program did not check: failed launches always; failed calls if the program never asked for
// an error.
std::vector<FailedCall> unchecked(const ProgramLog& log);
// Whether the program has errors, whatever its exit code. A program that launched nothing has one if a call
// failed, even if it asked for the error.
bool has_errors(const ProgramLog& log);
// Whether a kernel faulted. Every later call then returns that error, so the program can free nothing.
bool is_gpu_lost(const ProgramLog& log);
Severity severity_of(const HostMistake& mistake);
// The signal in a shell's exit code; empty if the process chose the code itself.
std::optional<int> signal_in(int exit_code);
// The line of a call site; empty if it is unknown.
std::optional<SourceLine> known_line(const ProgramLog& log, const CallSite& site);
// The call sites that a report shows.
std::vector<CallSite> call_sites(const ProgramLog& log);

}  // namespace cudalab::device
