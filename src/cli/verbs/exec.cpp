// `cudalab exec -- ./a.out`: a program that is built already.
#include <string>
#include <vector>

#include "cli/programs/program_verb.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "device/device.h"
#include "device/programs/program_objection.h"

namespace cudalab::cli {
namespace {

struct ExecTexts {
  std::vector<std::string> words;
  ProgramTexts program;
};

Options exec_options(ExecTexts& texts) {
  Options options{{"PROGRAM", " [ITS ARGUMENTS]", BehindDashes{&texts.words}, "behind `--`: what to run"}};
  return options + program_options(texts.program);
}

ExitCode exec(const ExecTexts& texts, const Console& console) {
  if (texts.words.empty()) throw usage_error("exec needs a program, as in `cudalab exec -- ./a.out`");
  return run_and_report(texts.words, texts.program, console);
}

std::string build_help() {
  return fmt::format(
      "A program that nvcc has built runs as it is, where it holds PTX (plain `nvcc` puts it in) and is not "
      "stripped. "
      "Source lines in the report need -lineinfo for kernels and -g for the host. One exported variable does "
      "all of "
      "it for make and CMake as well:\n"
      "  export NVCC_APPEND_FLAGS=\"{}\"\n"
      "What the program prints is its own; the report goes to standard error. The exit code is the "
      "program's, or 128 "
      "+ N where signal N ended it; 1 where that was 0 and something is wrong. docs/programs.md has more.\n",
      device::kBuildFlags);
}

}  // namespace

Verb exec_verb() {
  return {.name = "exec",
          .alias = "",
          .summary = "run a CUDA program that is built already: counters, hazards, time",
          .examples = {"cudalab exec -- ./vec", "cudalab exec --timeout 60 --json=vec.json -- ./vec 1000",
                       "cudalab exec --launches -- make test"},
          .declare = with_options(exec_options, exec),
          .more_help = build_help()};
}

}  // namespace cudalab::cli
