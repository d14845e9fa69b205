// Several launches of one stage, added up as if they were one.
#pragma once

#include "core/measurement.h"

namespace cudalab {

// Counts add up; shares of bytes are weighted by their sectors; accesses of the same line become one.
// What only one of the two measured stays as that one measured it.
void add_launch(LaunchResult& total, LaunchResult next);

// As if the kernel had done itself what its children did.
LaunchResult with_children(LaunchResult launched);

}  // namespace cudalab
