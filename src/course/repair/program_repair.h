// Searches for a small edit of a kernel that makes a failing program end with code 0 and without saying that
// its results are wrong: the program is its own judge. Its host code stays as it was built; each variant of
// its device code is loaded in its place.
#pragma once

#include <optional>
#include <string>

#include "compile/programs.h"
#include "course/repair/repair.h"
#include "device/programs/program_log.h"
#include "device/programs/program_run.h"

namespace cudalab::course {

struct FailedProgram {
  const compile::ProgramBuild& build;
  device::ProgramRequest run;     // of the built program
  const device::ProgramLog& log;  // of its run; a repair also removes its hazards
  double seconds = 0;             // that the run took
};

// Returns an empty value if no edit helps or none is found within the limit. Does not search if the program
// consists of several files, takes long, or changes files: each variant would change them.
std::optional<Repair> find_repair(const FailedProgram& failed, const RepairSettings& search);

// For each way of searching: whether it is worth trying; how variants run; whether the program succeeds.
bool is_searched(const FailedProgram& failed, const RepairSettings& search);
device::ProgramRequest quick_run(const FailedProgram& failed);
ProgramVariant variant_of(const FailedProgram& failed, std::string device_code);
// Not if more of its results are NaN: `fabs(NaN - expected) > limit` is false.
bool is_success(const FailedProgram& failed, const device::ProgramOutcome& outcome);

// The text whose places a repair of this program means: the source with blanks in place of host code.
// `before` is what device code needs in front of it.
struct RepairedText {
  std::string before, text;
};
RepairedText repaired_text(const compile::ProgramBuild& build);

}  // namespace cudalab::course
