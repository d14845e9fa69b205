// Formats a compile error's source lines, and the errors that follow it, for a terminal.
#pragma once

#include <string>

#include "compile/diagnosis.h"
#include "core/languages/wording.h"

namespace cudalab::report {

// The text below the sentence of the first error: its source line, then each further error with its own
// source line. Sentences are wrapped at `width` columns, and source lines are cut there; 0: no wrapping, and
// cut at 160 columns. Every line begins with `indent` spaces and ends with a newline. Empty if there is no
// source line and no further error.
std::string compile_errors_text(const compile::Diagnosis& first, std::size_t indent, std::size_t width,
                                const Wording& wording);

}  // namespace cudalab::report
