// Says what a compiler's error means for a beginner, and what to write instead.
#pragma once

#include "compile/explain/facts.h"

namespace cudalab::compile {

// Advice on one error: an unknown name, a function in the wrong execution space, and so on. Understands the
// messages of NVRTC and nvcc, clang and GCC. Empty if the error is not a typical one.
Message advice_for(const Facts& facts, const Diagnosis& error);

}  // namespace cudalab::compile
