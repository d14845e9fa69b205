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

// ---- races that the compiler may have made -----------------------------------------------------------
// Compilers read memory ahead of the condition under which the source reads it, and for lanes that it spares:
// harmless on a card, whose lanes throw the value away, and a race by the letter. So a race with an ordinary
// load counts where the source has it when it is compiled as it stands, without optimisation (-G), too.

// Whether there are races that count only where they are found again.
bool want_confirmation(const std::vector<Hazard>& hazards);

// The source for that: as it stands, also where it asks how it is compiled. `file`: as the hazards name it.
std::string source_as_it_stands(const std::string& source, const std::string& file);

// Takes away the races with ordinary loads that a run without optimisation does not have: neither between the
// same two lines nor on the same variable. `again`: all its hazards; it must have run to its end. Returns
// what it took away.
std::vector<Hazard> take_unconfirmed(std::vector<Hazard>& hazards, const std::vector<Hazard>& again);

// For those who write the kernel alone: what they cannot do is not advised.
void advise_kernel_only(std::vector<Hazard>& hazards);

}  // namespace cudalab::lab
