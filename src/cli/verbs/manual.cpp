// The hidden `cudalab manual`: the manual page and the shell's completions, for packages.
#include "cli/manual.h"

#include "cli/options/choices.h"
#include "cli/verbs.h"

namespace cudalab::cli {
namespace {

constexpr Named<std::string (*)()> kManuals[]{{"man", man_page}, {"bash", bash_completion}};

struct ManualTexts {
  std::string what = "man";
};

Options manual_options(ManualTexts& texts) { return {{"WHAT", "", &texts.what, alternatives(kManuals)}}; }

ExitCode manual(const ManualTexts& texts, const Console& console) {
  console.print(chosen("WHAT", texts.what, kManuals)());
  return ExitCode::kPassed;
}

}  // namespace

Verb manual_verb() {
  return {.name = kManual,
          .alias = "",
          .summary = "the manual page, or what a shell completes",
          .examples = {},
          .declare = with_options(manual_options, manual)};
}

}  // namespace cudalab::cli
