// Slips that the source itself shows, whatever the compiler says about them and wherever it says it.
#pragma once

#include <optional>

#include "compile/explain/facts.h"

namespace cudalab::compile {

// Where a slip is, and what to write instead.
struct Slip {
  int line = 0;
  Message what;
  int reported = 0;  // the line where the compiler reports it, if it is another one
};

// The first slip that explains an error of `facts`; nothing if the source shows none.
std::optional<Slip> find_slip(const Facts& facts);

}  // namespace cudalab::compile
