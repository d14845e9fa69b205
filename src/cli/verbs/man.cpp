// `cudalab man`: the manual page.
#include "cli/man_page.h"
#include "cli/verbs.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

ExitCode print_man_page(const Console& console) {
  console.print(man_page(all_commands(), report::this_tool().version));
  return ExitCode::kPassed;
}

}  // namespace

Verb man_verb() {
  return {.name = "man",
          .alias = "",
          .summary = "print the manual page, for man(1)",
          .examples = {"cudalab man | man -l -"},
          .declare = no_options(print_man_page)};
}

}  // namespace cudalab::cli
