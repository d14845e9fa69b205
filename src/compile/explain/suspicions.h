// Picks the compiler's warnings that may explain why a program fails, and explains them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/diagnosis.h"

namespace cudalab::compile {

// What the compiler accepted with a warning, and what is legal C++ but probably not meant, such as a kernel's
// parameter that is a reference (source_suspicions.h). Each has its source line, and advice if the line shows
// what was meant. Warnings about style are left out. `log` is the output of a compilation that succeeded.
std::vector<Diagnosis> suspicions_in(std::string_view source, std::string_view log,
                                     const std::string& file_name);

// Those in the source that are mistakes in nearly every program, also in one that ends without an error.
std::vector<Diagnosis> likely_mistakes_in(std::string_view source, const std::string& file_name);

}  // namespace cudalab::compile
