// What the source's text adds to the hazards that a device has found: that a branch is a return, that nobody
// wrote a trap, what the compiler warned of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measurement.h"

namespace cudalab::lab {

// The line of the `return` that the `if` in this line leads to, alone or as the last of its braces.
std::optional<int> return_behind_if(const std::string& source, int line);

struct SourceFindings {
  std::vector<Hazard> hazards;     // without those that the text shows to be none
  std::vector<std::string> notes;  // on these
};

// A thread that returns before a barrier or a vote has ended, and cards wait for "non-exited threads" (PTX
// ISA, barrier); one that goes around it may not. `file`: as the hazards name it.
SourceFindings read_source(std::vector<Hazard> hazards, const std::string& file, const std::string& source);

// For those who write the kernel alone: what they cannot do is not advised.
void advise_kernel_only(std::vector<Hazard>& hazards);

}  // namespace cudalab::lab
