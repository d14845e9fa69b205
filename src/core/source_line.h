// A line of a source file.
#pragma once

#include <string>

namespace cudalab {

struct SourceLine {
  std::string file;  // empty when the PTX carries no line table
  int line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

}  // namespace cudalab
