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

}  // namespace cudalab::compile
