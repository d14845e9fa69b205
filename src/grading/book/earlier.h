// Compares grades with those of an earlier run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/grade.h"

namespace cudalab::grading {

struct EarlierRun {
  std::string place;                  // the file
  std::optional<std::uint64_t> seed;  // that repeats its inputs
  std::vector<Grade> grades;
};

// What `grade --format json` wrote. Throws Error(kUsage) that names `place`.
EarlierRun earlier_run_from(std::string_view json, std::string_view place);

// Notes in each grade what it was before, where the earlier run has the same content of the same student for
// the same work; or, of one that was changed since, the only one for that work. Flags who has less now.
// Returns those of the earlier run that nobody has now.
std::vector<Grade> compare_with(const EarlierRun& earlier, std::vector<Grade>& grades);

}  // namespace cudalab::grading
