// What tests of every layer write into: a folder of one test's own, since tests run side by side.
#pragma once

#include <algorithm>
#include <vector>

#include "core/processes/interruption.h"

namespace cudalab {

// Of the files in it, sorted.
inline std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cudalab
