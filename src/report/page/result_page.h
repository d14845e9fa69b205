// A result as a page: its table, pictures, each kernel's source with its requests, and what is said about it.
#pragma once

#include <string>

#include "core/languages/wording.h"
#include "lab/result.h"
#include "report/pictures/show.h"

namespace cudalab::report {

// `read`: the sources; one that cannot be read is left out. Below 5 MB: of lines with many different requests
// fewer can be stepped through.
// `first`: HTML that stands before all else; may be empty.
std::string result_page(const lab::Result& result, const ReadSource& read, const Wording& wording = {},
                        const std::string& first = "");

}  // namespace cudalab::report
