// Counters under Nsight Compute's names, in the format in which it prints them (`ncu --metrics`).
#pragma once

#include <string>
#include <vector>

#include "core/languages/wording.h"
#include "lab/result.h"

namespace cudalab::report {

// All names, in the order in which `--metrics help` lists them.
std::vector<std::string> metric_names();

// One block of lines per kernel that ran. `names` must be a subset of metric_names(). A metric that was not
// counted is "n/a"; predicted values begin with "~".
std::string metrics_text(const lab::Result& result, const std::vector<std::string>& names);

// One line per metric: its name, unit and meaning.
std::string metrics_help();

}  // namespace cudalab::report
