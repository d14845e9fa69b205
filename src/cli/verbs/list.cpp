// `cudalab list`: the labs and what each teaches.
#include <fmt/format.h>

#include <algorithm>

#include "cli/verbs.h"

namespace cudalab::cli {
namespace {

ExitCode list(const Console& console) {
  std::size_t name_width = 0, title_width = 0;
  for (const lab::Lab& lab : lab::labs()) {
    name_width = std::max(name_width, lab.name.size());
    title_width = std::max(title_width, lab.title.size());
  }
  for (const lab::Lab& lab : lab::labs())
    console.print_line(
        fmt::format("{:<{}}  {:<{}}  {}", lab.name, name_width, lab.title, title_width, lab.teaches));
  console.print_line("\nRun one with `cudalab LAB`; `cudalab LAB --help` lists its options.");
  return ExitCode::kPassed;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .alias = "",
          .summary = "show the labs and what each teaches",
          .examples = {"cudalab list"},
          .declare = [](CLI::App&) -> Action { return list; }};
}

}  // namespace cudalab::cli
