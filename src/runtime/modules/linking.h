// Makes one module of the PTX of several objects, as nvlink does for -rdc=true.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace cudalab::runtime {

// A definition takes the place of declarations of its name. What only one object can see and another has too
// is renamed. Throws Error(kUsage) where two objects define one name for all.
ptx::Module linked(std::vector<ptx::Module> parts);

}  // namespace cudalab::runtime
