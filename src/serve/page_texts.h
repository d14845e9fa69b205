// The words of the workbook's page, in the reader's language.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/languages/wording.h"

namespace cudalab::serve {

// Pairs of a key, as the page's modules name it, and its text. A text may have slots, which the page fills.
std::vector<std::pair<std::string, std::string>> page_texts(const Wording& wording);

}  // namespace cudalab::serve
