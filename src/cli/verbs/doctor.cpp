// `cudalab doctor`: what this machine has, what that enables, and what to install for the rest.
#include <fmt/format.h>

#include <algorithm>

#include "cli/verbs.h"
#include "compile/shipped_kernels.h"
#include "device/device.h"
#include "report/text/paragraph.h"

namespace cudalab::cli {
namespace {

constexpr std::size_t kIndent = 10;

std::string text_of(const device::Finding& finding, const Console& console) {
  const Wording& wording = console.wording;
  const std::string word = finding.found ? wording.say<"found">() : wording.say<"missing">();
  const std::string gap(kIndent - std::min(kIndent - 1, report::columns_of(word)), ' ');
  const std::string what = wording.text(finding.found ? finding.where : finding.advice);
  return fmt::format("{}{}{}: {}\n{}\n", word, gap, wording.text(finding.thing), what,
                     report::wrap(wording.say<"for {}">(wording.text(finding.enables)),
                                  static_cast<std::size_t>(console.width), kIndent));
}

ExitCode examine(const Console& console) {
  for (const device::Finding& finding : device::look_around()) console.say(text_of(finding, console));
  if (compile::compiler_version()) {
    console.say_line(
        "\n" + console.wording.say<"Labs run on this machine: try `cudalab transpose --tile 32 --pad`.">());
    return ExitCode::kPassed;
  }
  if (compile::has_shipped_kernels()) {
    console.say_line(
        "\n" +
        console.wording.say<
            "Labs run on this machine with the kernels that came compiled: those of their defaults, "
            "examples, lessons and handouts. Other options and your own kernels need NVRTC, the compiler "
            "(see above).">());
    return ExitCode::kPassed;
  }
  console.say_line(
      "\n" +
      console.wording.say<"Labs do not run on this machine: their kernels need NVRTC, the compiler (see "
                          "above).">());
  return ExitCode::kUnavailable;
}

}  // namespace

Verb doctor_verb() {
  return {.name = "doctor",
          .alias = "",
          .summary = "look for the driver, the compiler and the libraries, and say what to install",
          .examples = {"cudalab doctor"},
          .declare = no_options(examine)};
}

}  // namespace cudalab::cli
