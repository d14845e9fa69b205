// Two results side by side, as a page.
#pragma once

#include <string>

#include "core/languages/wording.h"
#include "report/text/comparison.h"

namespace cudalab::report {

// `before`, `after`: what the two are called.
std::string comparison_page(const Comparison& comparison, const std::string& before, const std::string& after,
                            const Wording& wording = {});

}  // namespace cudalab::report
