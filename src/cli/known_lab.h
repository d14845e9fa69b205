// A lab by the word that the user gave for it.
#pragma once

#include <string>

#include "lab/lab.h"

namespace cudalab::cli {

// Throws Error(kUsage) where the word is missing or names no lab; `verb` is for the message.
const lab::Lab& known_lab(const std::string& word, const std::string& verb);

}  // namespace cudalab::cli
