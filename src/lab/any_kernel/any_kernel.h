// Runs one kernel of any .cu file with arguments that the user describes, and returns its counters, output,
// hazards and the final contents of its buffers.
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
  std::vector<std::string> others;  // further files, with functions that the kernel calls
  std::string kernel;               // "saxpy", "mm<float,16>", or a mangled name
  LaunchSpec spec;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> compiler_options;
  compile::CompilerChoice compiler;
  std::vector<ArgumentSpec> arguments;
  // Variables of the program, and their initial contents.
  std::vector<std::pair<std::string, ArgumentSpec>> symbols;
  std::vector<PrintRange> prints;
  std::vector<std::string> dumps;  // arguments whose bytes are requested
  RunSettings settings;
};

struct BufferContent {
  ScalarType type{};
  Bytes bytes;
};

struct KernelOutcome {
  Result result;  // a row named after the kernel, then one for each kernel that it launched
  std::vector<BufferContent> dumps;   // as requested; no bytes if a fault made them unreachable
  std::string source;                 // the file's text
  int first_line = 0, last_line = 0;  // the kernel's lines in it; 0 if the text does not show them
};

// Throws Error(kUsage) if the file does not compile, does not contain the kernel, or the arguments do not fit
// it.
KernelOutcome run_kernel(const KernelRequest& request, const Machine& machine);
KernelOutcome run_kernel(const KernelRequest& request);  // on the machine it finds

// One line per kernel: "saxpy(float a, const float* x)"; then how to run one.
std::vector<Message> list_kernels(const KernelRequest& request, const Machine& machine);
std::vector<Message> list_kernels(const KernelRequest& request);

}  // namespace cudalab::lab
