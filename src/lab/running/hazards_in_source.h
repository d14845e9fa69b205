// What the source's text adds to the hazards that a device has found: that a branch is a return, that nobody
// wrote a trap, what the compiler warned of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "lab/running/array_shapes.h"

namespace cudalab::lab {

// The line of the `return` that the `if` in this line leads to, alone or as the last of its braces.
std::optional<int> return_behind_if(const std::string& source, int line);

// Says in its own words that a thread returned before a barrier, where others may have gone around it by a
// branch; that a trap is the compiler's; and which element of an array it is, as its declaration counts.
// `file`: as the hazards name it.
void explain_by_source(std::vector<Hazard>& hazards, const std::string& file, const std::string& source,
                       const Macros& given = {});

// For those who write the kernel alone: what they cannot do is not advised.
void advise_kernel_only(std::vector<Hazard>& hazards);

}  // namespace cudalab::lab
