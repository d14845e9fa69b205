// The version and commit of this program: printed by --version and stored in every result document.
#pragma once

#include <string>

namespace cudalab::report {

struct Tool {
  std::string version;  // "0.1.0"
  std::string commit;   // "1a2b3c4d5e6f", "…-dirty" with local changes, "unknown" outside a git clone
};

Tool this_tool();

}  // namespace cudalab::report
