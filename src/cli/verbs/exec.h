// The verb `cudalab exec`, and the parts that it shares with `run` of a whole program: options, the run and
// its report.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/terminal/console.h"
#include "core/error.h"
#include "device/programs/program_log.h"
#include "device/programs/program_run.h"

namespace cudalab::cli {

// The parts that `exec` and `run` of a whole program share: options, the run and its report.

struct ProgramTexts : RunTexts {
  std::string timeout = "0", gpus = "1";
  bool launches = false, virtual_clock = false, strict = false, sample = false;
  bool waits = false;  // for a debugger
};

Option gpus_option(ProgramTexts& texts);
Option launches_option(ProgramTexts& texts);
Option timeout_option(ProgramTexts& texts);
Option virtual_clock_option(ProgramTexts& texts);
Option strict_option(ProgramTexts& texts);
Option sample_option(ProgramTexts& texts);
Options program_options(ProgramTexts& texts);

// The value that tells the runtime inside a program which GPU to simulate. Throws Error(kUsage) for an
// unknown GPU.
std::string card_for_programs(const std::string& name_or_file);

// The line of a mistake, for the report and for the screen.
struct FoundLine {
  device::ProgramFact fact;
  std::string text;
};

// What can be said about a program whose source is known.
struct FromSource {
  std::string on_failure, on_success;  // printed before the report of a program that fails, or does not
  bool may_complain = false;           // whether the program may print that its results are wrong
  // Searches for the line of a mistake that nothing else explains. `seconds`: that the run took. May be
  // empty.
  std::function<std::optional<FoundLine>(const device::ProgramRequest&, const device::ProgramLog&,
                                         double seconds)>
      search{};
};

// Runs a program and reports on standard error. Returns the program's exit code; 1 if it was 0 but an error
// was found.
ExitCode run_and_report(const std::vector<std::string>& words, const ProgramTexts& texts,
                        const Console& console, const FromSource& source = {});

}  // namespace cudalab::cli
