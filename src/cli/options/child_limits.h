// The options that hold strangers' work to limits, for the commands that run it in processes of its own.
#pragma once

#include <string>

#include "cli/options/option.h"
#include "core/processes/child_process.h"

namespace cudalab::cli {

struct LimitTexts {
  std::string cpu = "10", seconds = "60", memory = "4096";
};

Options limit_options(LimitTexts& texts);

// Throws Error(kUsage).
ChildLimits limits_from(const LimitTexts& texts);

}  // namespace cudalab::cli
