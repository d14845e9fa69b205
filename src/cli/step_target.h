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
#include "device/programs/program_stops.h"
#include "lab/any_kernel/any_kernel.h"
#include "lab/lab.h"

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
  const device::ProgramStop* program =
      nullptr;  // which has stopped at the launch; nullptr: it is not of a program
};

// What a verb does with a target. A lab, an exercise or a kernel always ends after the launch; a program may
// go on to another stop.
struct TargetVisitor {
  std::function<device::ProgramNext(TargetLaunch&)> at_launch;
  // A program's calls that fail are stops only if this is set.
  std::function<device::ProgramNext(const device::ProgramStop&)> at_failure{};
  std::function<device::ProgramWish()> wish{};  // polled while a program runs; may be empty
};

// Runs the target up to the wanted launch and shows it. Throws Error(kUsage) if there is no such launch or
// the kernel does not compile. Returns the exit code of a program that ended by itself.
std::optional<int> look_into_launch(const TargetTexts& texts, const Console& console,
                                    const TargetVisitor& visitor);

// Shows the stops of a program that `cudalab exec --wait` has started, or the only one that waits.
void look_into_process(const std::optional<std::int64_t>& process, const TargetTexts& texts,
                       const TargetVisitor& visitor);

}  // namespace cudalab::cli
