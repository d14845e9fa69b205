// Parses the words of a command line into the options of a verb.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option.h"

namespace cudalab::cli {

using Words = std::vector<std::string>;

// `words` are those after the verb; `verb` is its name, for messages. Throws Error(kUsage) for a word that no
// option takes, for a missing or invalid value, and for a missing required option.
void read_words(const std::string& verb, const Options& options, const Words& words);

}  // namespace cudalab::cli
