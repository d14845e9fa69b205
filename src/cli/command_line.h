// Reads the words of a command line into the options of a verb.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option.h"

namespace cudalab::cli {

using Words = std::vector<std::string>;

// `words` follow the verb, whose name is for the messages. Throws Error(kUsage) for a word that no option
// takes, a value that is missing or does not fit, and a required option that is not there.
void read_words(const std::string& verb, const Options& options, const Words& words);

}  // namespace cudalab::cli
