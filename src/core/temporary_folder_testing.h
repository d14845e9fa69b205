// A temporary folder per test. Tests run in parallel, so they must not share a folder.
#pragma once

#include <algorithm>
#include <vector>

#include "core/processes/interruption.h"

namespace cudalab {

// The names of the files in the folder, sorted.
inline std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cudalab
