// Results as HTML pages: one result with its table, pictures and sources, or two side by side.
#pragma once

#include <span>
#include <string>

#include "core/languages/wording.h"
#include "lab/result.h"
#include "report/pictures/show.h"
#include "report/text/comparison.h"

namespace cudalab::report {

// `read`: reads sources; a source that cannot be read is left out. The page stays below 5 MB, so lines with
// many different requests may show only some of them.
// `first`: HTML placed before everything else; may be empty.
std::string result_page(const lab::Result& result, const ReadSource& read, const Wording& wording = {},
                        const std::string& first = "");

// One page for a program's processes, in sequence; needs at least one.
std::string page_of_processes(std::span<const lab::Result> results, const ReadSource& read,
                              const Wording& wording = {});

// `before`, `after`: the names of the two results.
std::string comparison_page(const Comparison& comparison, const std::string& before, const std::string& after,
                            const Wording& wording = {});

}  // namespace cudalab::report
