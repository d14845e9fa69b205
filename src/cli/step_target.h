// What `cudalab step` steps through: a lab's stage, a learner's exercise, a kernel of any file, or a whole
// program; and how it
// is run so that somebody can look into one of its launches.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "device/launch_view.h"

namespace cudalab::cli {

struct TargetTexts {
  std::string what, stage, test_case = "1", seed, launch = "1", card;
  bool for_debugger = false;       // compiled with -G
  bool prints = false;             // on standard output, where nothing of a program's own belongs
  std::vector<std::string> words;  // behind the dashes: of the lab, of `run`, or the program's own
};
Options target_options(TargetTexts& texts);

// A launch that is looked into, and where it stands.
struct TargetLaunch {
  device::LaunchView& view;
  std::uint64_t number = 1;
  std::string source;  // the text of the view's file; empty where it cannot be read
};

// Runs what is stepped through up to the wanted launch, which `look` is shown; with that the run ends. Throws
// Error(kUsage) where there is no such launch, or the kernel does not compile.
void look_into_launch(const TargetTexts& texts, const Console& console,
                      const std::function<void(TargetLaunch&)>& look);

}  // namespace cudalab::cli
