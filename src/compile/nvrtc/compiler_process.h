// NVRTC in a process beside this one, kept warm between compilations: what NVRTC does to its process, it does
// to that one.
#pragma once

#include "compile/nvrtc/task.h"

namespace cudalab::compile {

// Looks for NVRTC, or takes what an earlier run found where nothing changed since (compile/compile_cache.h):
// then nothing is loaded anywhere.
FoundNvrtc found_nvrtc();

// Throws CompilerStopped where the compiler crashed or passed its limits (compile/nvrtc/compile_limits.h);
// the next compilation gets a new process. Throws Error(kUnavailable) where NVRTC itself fails.
NvrtcOutcome compile_aside(const NvrtcTask& task);

// A warm process for the child that this thread forks next, while this process itself compiles nothing: one
// for all children that follow each other. What ends it while it works for the child is tried again in a
// process of the child's own, so that no earlier compilation decides what becomes of a file. Where none can
// be started, the child sees to itself.
void lend_compiler();

}  // namespace cudalab::compile
