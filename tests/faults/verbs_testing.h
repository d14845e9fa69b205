// The verbs into which the tests inject faults.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/faults/victim_testing.h"

namespace cudalab::faults {

const std::vector<Verb>& verbs();

// How a verb ends without a fault. Runs once per verb and is remembered.
struct Undisturbed {
  int code = 0;
  bool prints = false;                       // on standard output
  std::string err;                           // standard error
  double seconds = 0;                        // with an empty compile cache
  std::map<std::string, std::string> files;  // the files that exist afterwards
};
const Undisturbed& undisturbed(const Verb& verb);

}  // namespace cudalab::faults
