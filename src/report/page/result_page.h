// Results as pages: one with its table, pictures and sources, or two side by side.
#pragma once

#include <span>
#include <string>

#include "core/languages/wording.h"
#include "lab/result.h"
#include "report/pictures/show.h"
#include "report/text/comparison.h"

namespace cudalab::report {

// `read`: the sources; one that cannot be read is left out. Below 5 MB: of lines with many different requests
// fewer can be stepped through.
// `first`: HTML that stands before all else; may be empty.
std::string result_page(const lab::Result& result, const ReadSource& read, const Wording& wording = {},
                        const std::string& first = "");

// Of a program's processes, one behind the other; at least one.
std::string page_of_processes(std::span<const lab::Result> results, const ReadSource& read,
                              const Wording& wording = {});

// `before`, `after`: what the two are called.
std::string comparison_page(const Comparison& comparison, const std::string& before, const std::string& after,
                            const Wording& wording = {});

}  // namespace cudalab::report
