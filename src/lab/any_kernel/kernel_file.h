// Compiles and loads the file that a kernel stands in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "lab/any_kernel/any_kernel.h"

namespace cudalab::lab {

// Tells the user what goes on, where somebody listens.
void progress(const KernelRequest& request, const std::string& what);

compile::CompileRequest compile_request(const KernelRequest& request, std::string source,
                                        const device::DeviceInfo& device);

struct Loaded {
  std::unique_ptr<device::Program> program;
  std::string compiler;               // that made its PTX
  std::vector<std::string> warnings;  // of the compiler
};

// Throws Error(kUsage), where the file does not compile.
Loaded load(const KernelRequest& request, const compile::CompileRequest& compile, const Machine& machine);

Machine this_machine(device::Device& device);

}  // namespace cudalab::lab
