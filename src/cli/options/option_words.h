// The words of a command line that give options the values that they hold.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option.h"

namespace cudalab::cli {

// What read_words() would have to read so that each option has its value again: `--format=csv`, arguments
// last. What holds nothing (an empty text, false) is left out.
std::vector<std::string> words_of(const Options& options);

}  // namespace cudalab::cli
