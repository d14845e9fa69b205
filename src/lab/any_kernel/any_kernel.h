// Runs one kernel of any .cu file with arguments that the user describes: what it counts, prints and does
// wrong, and what its buffers hold afterwards.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compile/sources/host_code.h"
#include "device/device.h"
#include "lab/any_kernel/argument_spec.h"
#include "lab/lab.h"
#include "lab/lab_run.h"

namespace cudalab::lab {

struct KernelRequest {
  std::string file;
  std::string kernel;  // "saxpy", "mm<float,16>", or a mangled name
  LaunchSpec spec;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> compiler_options;
  compile::CompilerChoice compiler;
  std::vector<ArgumentSpec> arguments;
  std::vector<std::pair<std::string, ArgumentSpec>> symbols;  // variables of the program, and their content
  std::vector<PrintRange> prints;
  std::vector<std::string> dumps;  // arguments whose bytes are wanted
  RunSettings settings;
};

struct BufferContent {
  ScalarType type{};
  Bytes bytes;
};

struct KernelOutcome {
  Result result;                      // a row called like the kernel, then one for each that it launched
  std::vector<BufferContent> dumps;   // as requested; empty bytes where a fault has made them unreachable
  std::string source;                 // the file's text
  int first_line = 0, last_line = 0;  // of the kernel in it; 0 where its text does not show it
};

// Throws Error: kUsage for a file that does not compile, a kernel that is not there, and arguments that do
// not fit it.
KernelOutcome run_kernel(const KernelRequest& request, const Machine& machine);
KernelOutcome run_kernel(const KernelRequest& request);  // on the machine it finds

// One line a kernel: "saxpy(float a, const float* x)"; then how to run one.
std::vector<Message> list_kernels(const KernelRequest& request, const Machine& machine);
std::vector<Message> list_kernels(const KernelRequest& request);

}  // namespace cudalab::lab
