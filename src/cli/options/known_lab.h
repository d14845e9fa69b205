// A lab by the word that the user gave for it.
#pragma once

#include <string_view>

#include "lab/lab.h"

namespace cudalab::cli {

// Throws Error(kUsage) where the word is missing or names no lab; `verb` is for the message.
const lab::Lab& known_lab(std::string_view word, std::string_view verb);

}  // namespace cudalab::cli
