// The verb `cudalab cc`: compiles and links programs with nvcc's command line, without nvcc.
#include "compile/cc.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/options/option.h"
#include "cli/verbs.h"
#include "compile/clang/clang.h"
#include "compile/program_libraries.h"
#include "device/programs/program_run.h"
#include "messages/cli.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

struct CcTexts {
  std::vector<std::string> words;
};

Options cc_options(CcTexts& texts) {
  return {{"NVCC'S OPTIONS AND FILES", "", BehindDashes{&texts.words}, "as nvcc takes them"}};
}

compile::FoundClang required_clang() {
  if (auto clang = compile::find_clang()) return *std::move(clang);
  throw unavailable_error(msg::cc_needs_clang(compile::kLeastClang));
}

// Makefiles and CMake ask `nvcc --version` which release of CUDA there is.
std::string version_text(const compile::FoundClang& clang) {
  return fmt::format(
      "cudalab cc {}, which takes the command line of nvcc\nclang {} ({})\nCuda compilation tools, release "
      "13.0, V13.0.0\n",
      report::this_tool().version, clang.version, clang.path.string());
}

bool asks_for_version(const std::vector<std::string>& words) {
  return words.size() == 1 && (words[0] == "--version" || words[0] == "-V");
}

ExitCode cc(const CcTexts& texts, const Console& console) {
  const compile::FoundClang clang = required_clang();
  if (asks_for_version(texts.words)) {
    console.print(version_text(clang));
    return ExitCode::kPassed;
  }
  const compile::NvccPlan plan = compile::nvcc_plan(texts.words);
  const compile::ProgramBuild libraries{.runtime = device::runtime_library(),
                                        .libraries = device::further_libraries()};
  const compile::CcOutcome outcome =
      compile::run_plan(plan, {clang.path, {libraries.runtime, compile::libraries_of(libraries)}});
  std::fputs(outcome.log.c_str(), console.err);
  if (!outcome.provided.empty())
    console.remark(console.wording.say(
        msg::run_headers_provided(Argument::List(outcome.provided.begin(), outcome.provided.end()))));
  if (!outcome.printed.empty()) console.print(outcome.printed);
  return ExitCode::kPassed;
}

constexpr const char* kHelp =
    "cc takes nvcc's command line. It compiles with clang and cudalab's own headers, and links with "
    "cudalab's CUDA runtime. No software of NVIDIA's is needed. The program runs with `cudalab exec`; in a "
    "makefile, write NVCC = cudalab cc.\n"
    "  -o FILE -c -dc -dlink -ptx -fatbin -E -M -lib -shared  what is made\n"
    "  -I -D -U -isystem -include -std -x -Xcompiler -MD      how sources are read\n"
    "  -O0 to -O3 -g -G -use_fast_math -fmad -ftz -prec-div   how they are compiled\n"
    "  -arch -gencode -code                                   the highest of the named architectures counts\n"
    "  -rdc=true                                              device code calls functions of other files\n"
    "  -L -l -Xlinker                                         what is linked; the runtime, the driver API, "
    "NVML and CUDA's libraries are, if the program uses them\n"
    "  -v --version                                           show the commands, the version\n"
    "Options that only concern nvcc's own work or machine code are accepted without effect: -lineinfo (lines "
    "are always written), -Xptxas, -maxrregcount, -cudart, -ccbin, --expt-relaxed-constexpr, "
    "--extended-lambda and others.\n";

}  // namespace

Verb cc_verb() {
  return {.name = "cc",
          .alias = "",
          .summary = "compile and link a program as nvcc would, with clang",
          .examples = {"cudalab cc -o prog prog.cu && cudalab exec -- ./prog",
                       "cudalab cc -O2 -arch=sm_90 -Iinclude -c kernels.cu -o kernels.o",
                       "cudalab cc -rdc=true -o prog main.cu kernels.cu host.cpp -lm",
                       "cudalab cc --ptx -o kernel.ptx kernel.cu"},
          .declare = with_options(cc_options, cc),
          .more_help = kHelp,
          .takes_all_words = true};
}

}  // namespace cudalab::cli
