// Runs NVRTC in a separate process that is kept between compilations, within limits on time and memory.
#pragma once

#include <string>
#include <string_view>

#include "compile/compiler.h"
#include "compile/nvrtc/task.h"

namespace cudalab::compile {

// How long a compiler may work on one file, and with how much memory.

// Far beyond what files need: a header of Thrust or CUB takes seconds and a gigabyte.
struct CompileLimits {
  double seconds = 120;
  double memory_mib = 4096;  // of address space
};

// $CUDALAB_COMPILE_SECONDS and $CUDALAB_COMPILE_MIB, where they hold numbers, else the usual ones; and no
// more than this process has itself.
CompileLimits compile_limits(const CompileLimits& usual = {});

// Whether a compiler ended because of its limit on memory: that is its last error, behind others that follow
// from it.
bool says_out_of_memory(std::string_view log);

// The compiler did not get to the end of the file, which is then a file that does not compile.
class CompilerStopped : public CompileError {
 public:
  enum Cause { kTime, kMemory, kCrash };
  // "a.cu: error: the compiler CAUSE; NEXT STEP". `how` it crashed.
  CompilerStopped(const std::string& file_name, Cause cause, const CompileLimits& limits,
                  const Message& how = {});
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

// NVRTC in a process beside this one, kept warm between compilations: what NVRTC does to its process, it does
// to that one.

// Looks for NVRTC, or takes what an earlier run found where nothing changed since (compile/compile_cache.h):
// then nothing is loaded anywhere.
FoundNvrtc found_nvrtc();

// Throws CompilerStopped where the compiler crashed or passed its limits (compile/nvrtc/compiler_process.h);
// the next compilation gets a new process. Throws Error(kUnavailable) where NVRTC itself fails.
NvrtcOutcome compile_aside(const NvrtcTask& task);

// A warm process for the child that this thread forks next, while this process itself compiles nothing: one
// for all children that follow each other. What ends it while it works for the child is tried again in a
// process of the child's own, so that no earlier compilation decides what becomes of a file. Where none can
// be started, the child sees to itself.
void lend_compiler();

}  // namespace cudalab::compile
