// Explains the wrong output of a whole program by comparing its API calls and its kernels' accesses with
// those of the exercise's solution in the same case.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "course/reasons/evidence.h"
#include "device/programs/program_log.h"

namespace cudalab::course {

// A run of a program: its log with the uses of memory (LaunchOptions::record_uses), and the number of bytes
// that it wrote to standard output.
struct ProgramEvidence {
  const device::ProgramLog& log;
  std::size_t output_bytes = 0;
};

// The calls that failed, with the runtime's reasons, and the mistakes that it recorded for the program's
// calls, with advice; except `said` and remarks about clocks.
std::vector<Reason> notes_of(const device::ProgramLog& log, const Message& said);

// What a program did that ended with an error code, without a right program to compare with: results that are
// not or only partly copied back, elements that no kernel writes or reads, arguments that no kernel uses. At
// most kMostFacts. Each is true of the run, but need not be the cause.
inline constexpr std::size_t kMostFacts = 3;
std::vector<Reason> facts_of_run(const ProgramEvidence& found);

// Why the copies of a program overlap with nothing: the first copy between host and GPU that waits, and
// streams that are not used. At most kMostReasons.
std::vector<Reason> reasons_without_overlap(const device::ProgramLog& log);

// Runs the program's kernel alone, launched by the lab, and returns what is wrong with it there.
struct KernelAlone {
  enum { kUnknown, kRight, kWrong } outcome = kUnknown;
  std::vector<Reason> reasons = {};
};
using AskForKernel = std::function<KernelAlone()>;

// What is wrong with a program, the most telling first, at most kMostReasons: facts about its host code;
// without any, what is wrong with its kernel alone; if that is right, how its kernels' accesses differ from
// those of the solution's. Kernels are compared by name (if each program has only one kernel, these two),
// memory by the parameter that points to it. `said` is not repeated.
std::vector<Reason> reasons_of_program(const ProgramEvidence& found, const device::ProgramLog& wanted,
                                       const AskForKernel& ask, const Message& said);

}  // namespace cudalab::course
