// Finds the target of `cudalab step` (a stage of a lab, an exercise, a kernel of any file, or a whole
// program), and runs it up to the launch to inspect.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "compile/programs.h"
#include "device/kernel_launch.h"
#include "lab/any_kernel/any_kernel.h"
#include "lab/lab.h"
#include "report/warp/walk.h"

namespace cudalab::cli {

// Parses the words of `cudalab LAB …` and `cudalab run FILE …`, for verbs that run the same thing in another
// way.

// Both throw Error(kUsage). The words begin after the lab's name; those of `run` begin with the file.
lab::RunRequest lab_request(const lab::Lab& lab, const Words& words, const Console& console);
lab::KernelRequest kernel_request(const Words& words, const Console& console);

// A file with a main function, unless the words select one of its kernels; otherwise empty. Throws
// Error(kUnavailable) without nvcc.
struct WholeProgram {
  compile::ProgramBuild build;
  std::vector<std::string> arguments;
};
std::optional<WholeProgram> program_request(const Words& words, const Console& console);

// The target of `cudalab step`, and running it so that one of its launches can be inspected.

struct TargetTexts {
  std::string what, stage, test_case = "1", seed, launch = "1", card;
  bool for_debugger = false;  // compile with -G
  bool prints = false;        // standard output is used by the verb, so the program's output is redirected
  std::vector<std::string> words;  // after `--`: for the lab, for `run`, or for the program
};
Options target_options(TargetTexts& texts);

// The launch to inspect, and its position in the run.
struct TargetLaunch {
  device::LaunchView& view;
  std::uint64_t number = 1;
  std::filesystem::path path;  // of the view's source file
  std::string source;          // its text; empty if it cannot be read
};

// Adapts the launch for a walk. `launch` must outlive the result.
report::WalkedLaunch walked(TargetLaunch& launch);

// Runs the target up to the wanted launch, calls `look` with it, and ends the run. Throws Error(kUsage) if
// there is no such launch or the kernel does not compile.
void look_into_launch(const TargetTexts& texts, const Console& console,
                      const std::function<void(TargetLaunch&)>& look);

}  // namespace cudalab::cli
