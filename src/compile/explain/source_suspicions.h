// Finds mistakes that a compiler accepts without a warning, by the text of the source alone: typical ones of
// beginners in CUDA.
#pragma once

#include <vector>

#include "compile/explain/facts.h"

namespace cudalab::compile {

// In the order of the rules (suspicion_rules.h); each is at its line, with `instead` as its sentence.
std::vector<Diagnosis> suspicions_in_source(const Facts& facts);
// What may be meant in a right program, and is worth a look in one that fails: a fraction that is dropped, a
// kernel that ignores its block, a random state that is set elsewhere.
std::vector<Diagnosis> suspicions_of_failure(const Facts& facts);

}  // namespace cudalab::compile
