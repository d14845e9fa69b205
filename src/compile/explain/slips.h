// Finds slips that are visible in the source itself, independent of the compiler's message and its place.
#pragma once

#include <optional>

#include "compile/explain/facts.h"

namespace cudalab::compile {

// The place of a slip, and what to write instead.
struct Slip {
  int line = 0;
  Message what;
  int reported = 0;  // the line at which the compiler reports it, if that differs
};

// The first slip that explains an error in `facts`; empty if the source shows none.
std::optional<Slip> find_slip(const Facts& facts);

}  // namespace cudalab::compile
