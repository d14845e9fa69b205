// A line of a source file.
#pragma once

#include <string>

namespace cudalab {

struct SourceLine {
  std::string file;  // empty if the PTX has no line table
  int line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

}  // namespace cudalab
