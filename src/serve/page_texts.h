// The words of the workbook's page, in the reader's language.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/languages/wording.h"

namespace cudalab::serve {

// Keys as the page's modules name them, and texts. A text may have slots, which the page fills.
std::vector<std::pair<std::string, std::string>> page_texts(const Wording& wording);

}  // namespace cudalab::serve
