// What a compiler's error means for a beginner, and what to write instead.
#pragma once

#include "compile/explain/facts.h"

namespace cudalab::compile {

// What to do about one error: the name it calls unknown, the space a function belongs to, and so on.
// Understands the words of NVRTC and nvcc, clang and GCC. Empty if the error is not a typical one.
Message advice_for(const Facts& facts, const Diagnosis& error);

}  // namespace cudalab::compile
