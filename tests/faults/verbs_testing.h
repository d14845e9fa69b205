// The verbs that faults happen to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/faults/victim_testing.h"

namespace cudalab::faults {

const std::vector<Verb>& verbs();

// How a verb ends where nothing happens to it. Run once, then remembered.
struct Undisturbed {
  int code = 0;
  bool prints = false;                       // on standard output
  std::string err;                           // standard error
  double seconds = 0;                        // with nothing compiled before
  std::map<std::string, std::string> files;  // that are there afterwards
};
const Undisturbed& undisturbed(const Verb& verb);

}  // namespace cudalab::faults
