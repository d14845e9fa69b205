// Tries changes of a failing program's launches: more blocks, other arguments, zeroed memory, waiting after
// each call. If one makes the program succeed, the launch or what precedes it is wrong.
#pragma once

#include <optional>

#include "course/repair/program_repair.h"

namespace cudalab::course {

struct LaunchReason {
  Message what;
  std::optional<SourceLine> where;
  bool is_certain = true;  // whether a change of a kernel cannot be the actual remedy
};

std::optional<LaunchReason> find_launch_reason(const FailedProgram& failed, const RepairSettings& search);

}  // namespace cudalab::course
