// What the words of `cudalab LAB …` and `cudalab run FILE …` ask for, for verbs that run the same in another
// way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/terminal/console.h"
#include "compile/program_build.h"
#include "lab/any_kernel/any_kernel.h"
#include "lab/lab.h"

namespace cudalab::cli {

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

}  // namespace cudalab::cli
