// Which kernels reach a module's shared variables, and where in a block's shared memory these lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/module.h"

namespace cudalab::vgpu {

// A kernel has room for the variables that it or a function it may call names, as ptxas gives it:
//
//   one kernel:      | x      | of both      | its own variables | dynamic |
//   another kernel:  | y |    | of both      | its own variables | dynamic |
struct SharedLayout {
  struct Place {
    std::uint64_t offset = 0;
    std::vector<int> kernels;  // that reach it, by their places in the list of functions
  };
  std::vector<Place> variables;     // by place in Module::variables; offset 0 and no kernels of all others
  std::vector<std::uint64_t> ends;  // by function: of the module's variables that it reaches
};

// functions: those of the module that have a body.
SharedLayout lay_out_shared(const ptx::Module& module, std::span<const ptx::Function* const> functions);

}  // namespace cudalab::vgpu
