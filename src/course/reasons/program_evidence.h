// Explains the wrong output of a whole program by what its calls and kernels did with its data, compared with
// the exercise's solution in the same case.
#pragma once

#include <cstddef>
#include <vector>

#include "course/reasons/evidence.h"
#include "device/programs/program_log.h"

namespace cudalab::course {

// A run of a program: its log, with the uses of memory (LaunchOptions::record_uses), and the bytes that it
// wrote to standard output.
struct ProgramEvidence {
  const device::ProgramLog& log;
  std::size_t output_bytes = 0;
};

// What the runtime noted about the calls of a program, with advice, except `said` and remarks about clocks.
std::vector<Reason> notes_of(const device::ProgramLog& log, const Message& said);

// The facts that distinguish a wrong program from the solution, the most telling first, at most kMostReasons:
// what its host code did, then what its kernel did. Kernels are compared by name (or, if each program has one
// kernel, with each other), memory by the parameter that points to it. `said` is not repeated.
std::vector<Reason> reasons_of_program(const ProgramEvidence& found, const device::ProgramLog& wanted,
                                       const Message& said);

}  // namespace cudalab::course
