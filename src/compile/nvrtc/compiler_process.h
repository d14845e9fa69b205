// Runs NVRTC in a separate process that is kept between compilations, within limits on time and memory.
#pragma once

#include <string>
#include <string_view>

#include "compile/compiler.h"
#include "compile/nvrtc/task.h"

namespace cudalab::compile {

// The time and memory that a compiler may use for one file.

// Far above what files need: a header of Thrust or CUB takes seconds and a gigabyte.
struct CompileLimits {
  double seconds = 120;
  double memory_mib = 4096;  // address space, in MiB
};

// $CUDALAB_COMPILE_SECONDS and $CUDALAB_COMPILE_MIB, if they contain numbers, else `usual`; never more than
// this process's own limits.
CompileLimits compile_limits(const CompileLimits& usual = {});

// Whether a compiler ended because of its memory limit. It is the last error in the log, after others that
// may be consequences.
bool says_out_of_memory(std::string_view log);

// The compiler was stopped before the end of the file. Callers treat it as a file that does not compile.
class CompilerStopped : public CompileError {
 public:
  enum Cause { kTime, kMemory, kCrash };
  // "a.cu: error: the compiler CAUSE; NEXT STEP". `how`: the way in which it crashed.
  CompilerStopped(const std::string& file_name, Cause cause, const CompileLimits& limits,
                  const Message& how = {});
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

// NVRTC runs in a separate process that is kept between compilations, so its crashes and signal handlers do
// not affect this one.

// Searches for NVRTC, or returns the result of an earlier run if nothing has changed
// (compile/compile_cache.h); in that case no library is loaded.
FoundNvrtc found_nvrtc();

// Compiles in that process. Throws CompilerStopped if the compiler crashed or exceeded its limits; the next
// compilation starts a new process. Throws Error(kUnavailable) if NVRTC itself fails.
NvrtcOutcome compile_aside(const NvrtcTask& task);

// Starts a compiler process for the children that this thread forks next, one after another; this process
// itself must not compile meanwhile. If it ends during a child's request, the child repeats the request in a
// process of its own, so earlier compilations never affect a result. If it cannot be started, each child
// starts its own.
void lend_compiler();

}  // namespace cudalab::compile
