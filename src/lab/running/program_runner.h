// Builds a whole program, runs it as a stage of a lab, and reports what is wrong with it.
#pragma once

#include <filesystem>
#include <string>

#include "lab/lab.h"

namespace cudalab::lab {

// The file of a program, and its name in messages.
struct ProgramSource {
  std::filesystem::path file;
  std::string name;
  bool is_users = false;
};

// Fills the row's verdict, counters, hazards and program. Returns whether a limit of time or steps ended it.
// Throws Error(kUnavailable) if a user's program cannot be built because nvcc is missing.
bool run_program(const ProgramStage& stage, const ProgramSource& source, const RunRequest& request,
                 const Machine& machine, Row& row);

}  // namespace cudalab::lab
