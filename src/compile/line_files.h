// The names of source files in a PTX's line table.
#pragma once

#include <string>

namespace cudalab::compile {

// Compilers write absolute paths into `.file`; the source itself shall appear under the name that the request
// gave.
std::string with_requested_name(std::string ptx, const std::string& file_name);

}  // namespace cudalab::compile
