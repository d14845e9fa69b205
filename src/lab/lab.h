// Everything a lab needs: it declares itself, gets a LabRun, and runs CPU versions and kernels through it.
// The only header that labs/*/lab.cpp include.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "device/device.h"
#include "lab/bank_picture.h"
#include "lab/chart.h"
#include "lab/expression.h"
#include "lab/lab_run.h"
#include "lab/options.h"
#include "lab/result.h"
#include "lab/run_settings.h"
#include "lab/types.h"
#include "lab/verification/accurate.h"
#include "lab/verification/bounds.h"
#include "lab/verification/product_check.h"
#include "lab/verification/verification.h"
#include "vgpu/levels.h"

namespace cudalab::lab {

struct Lab {
  std::string name;                   // the subcommand, and the folder under labs/
  std::string alias;                  // "readOffset"; may be empty
  std::string title;                  // one line for `list`
  std::string teaches;                // a few words for `list`
  std::vector<std::string> words{};   // headings and cells of its figures, for translators
  int order = 1000;                   // place in the course; equal ones go by name
  std::vector<std::string> examples;  // whole command lines for --help
  std::vector<std::string> stages;    // the names that --stage takes, in order; "cpu" for the CPU versions
  std::vector<std::string> programs = {};  // of the stages, those that run whole programs
  std::vector<OptionSpec> options;
  std::vector<std::string> sizes = {};  // options that together are its size; empty: `n`, where it has one
  std::function<void(LabRun&)> run;
};

// `const RegisterLab registered{Lab{…}};` at namespace scope of labs/NAME/lab.cpp.
struct RegisterLab {
  explicit RegisterLab(Lab lab);
};
std::span<const Lab> labs();  // in the order of the course, then by name
bool is_program(const Lab& lab, std::string_view stage);
const Lab* find_lab(std::string_view name_or_alias);

struct RunRequest {
  std::vector<std::pair<std::string, OptionValue>> options;  // what the user gave
  std::vector<std::string> stages;                           // empty: the lab's choice
  std::uint64_t seed = 1;
  std::string kernel_file;   // a user's kernel as one more stage; empty: none
  std::string kernel_stage;  // the stage that it runs as; empty: the only one chosen, else the lab's choice
  compile::CompilerChoice compiler;  // of that file
  bool kernel_alone = false;         // it is all that runs: no CPU version, no stage of the lab's own
  std::string student;               // whose result this is, for the document; empty: nobody said
  RunSettings settings;
};

// Runs a lab and returns everything it found. Throws Error for bad options, a missing device, memory or
// compiler.
Result run_lab(const Lab& lab, const RunRequest& request);

// The same on a given machine.
Result run_lab(const Lab& lab, const RunRequest& request, const Machine& machine);

}  // namespace cudalab::lab
