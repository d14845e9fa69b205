// Finds what `cudalab step` steps through: a stage of a lab, an exercise, a kernel of any file, or a whole
// program.
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

// What the words of `cudalab LAB …` and `cudalab run FILE …` ask for, for verbs that run the same in another
// way.

// Both throw Error(kUsage). The words begin behind the lab's name; those of `run` with the file's.
lab::RunRequest lab_request(const lab::Lab& lab, const Words& words, const Console& console);
lab::KernelRequest kernel_request(const Words& words, const Console& console);

// A file with a main, of which the words do not ask for one kernel; without nvcc Error(kUnavailable). Else
// nothing.
struct WholeProgram {
  compile::ProgramBuild build;
  std::vector<std::string> arguments;
};
std::optional<WholeProgram> program_request(const Words& words, const Console& console);

// What `cudalab step` steps through: a lab's stage, a learner's exercise, a kernel of any file, or a whole
// program; and how it
// is run so that somebody can look into one of its launches.

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
  std::filesystem::path path;  // of the view's file
  std::string source;          // its text; empty where it cannot be read
};

// The launch as a walk asks it, as long as `launch` lives.
report::WalkedLaunch walked(TargetLaunch& launch);

// Runs what is stepped through up to the wanted launch, which `look` is shown; with that the run ends. Throws
// Error(kUsage) where there is no such launch, or the kernel does not compile.
void look_into_launch(const TargetTexts& texts, const Console& console,
                      const std::function<void(TargetLaunch&)>& look);

}  // namespace cudalab::cli
