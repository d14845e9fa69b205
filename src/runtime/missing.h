// The answer of CUDA functions that the virtual GPU does not implement.
#pragma once

namespace cudalab::runtime {

// Returns cudaErrorNotSupported, and reports the function's name once: to the watching process, or else on
// standard error.
int answer_missing(const char* name);

inline constexpr int kNvmlNotSupported = 3;  // NVML_ERROR_NOT_SUPPORTED

}  // namespace cudalab::runtime

// Weak, so a definition anywhere in the library replaces it. The real parameters are omitted because the
// function ignores them.
#define CUDALAB_MISSING_WITH(name, answer) \
  extern "C" __attribute__((weak, visibility("default"))) int name() { return answer; }
#define CUDALAB_MISSING(name) CUDALAB_MISSING_WITH(name, ::cudalab::runtime::answer_missing(#name))
#define CUDALAB_MISSING_NVML(name) \
  CUDALAB_MISSING_WITH(name,       \
                       (::cudalab::runtime::answer_missing(#name), ::cudalab::runtime::kNvmlNotSupported))
