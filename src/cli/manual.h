// The manual page and what a shell completes, made of the same rows as the help.
#pragma once

#include <string>

namespace cudalab::cli {

// cudalab(1), as troff's man macros.
std::string man_page();

// A function for bash, registered for `cudalab`: commands and labs, then each one's options, else files.
std::string bash_completion();

}  // namespace cudalab::cli
