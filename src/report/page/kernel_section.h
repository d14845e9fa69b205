// A kernel in a page: its source, of which a click on a line shows the requests, and the pictures of its row.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/languages/wording.h"
#include "lab/result.h"

namespace cudalab::report {

// HTML of one row. `source`: empty where it is not known. `most_bytes`: of its requests' pictures.
std::string kernel_section(const lab::Row& row, std::string_view source, std::size_t most_bytes,
                           const Wording& wording = {});

}  // namespace cudalab::report
