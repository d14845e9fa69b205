// Finds mistakes that a compiler accepts without a warning, by the text of the source alone: typical ones of
// beginners in CUDA. They are shown only for a program that fails.
#pragma once

#include <vector>

#include "compile/explain/facts.h"

namespace cudalab::compile {

// In the order of the rules (suspicion_rules.h); each is at its line, with `instead` as its
// sentence.
std::vector<Diagnosis> suspicions_in_source(const Facts& facts);

}  // namespace cudalab::compile
