// `cudalab info`: this program, this computer and its devices.
#include <fmt/format.h>

#include <thread>

#include "cli/verbs.h"
#include "device/device.h"
#include "report/text/units.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

std::string named_row(std::string_view name, std::string_view value) {
  return fmt::format("  {:<22}{}\n", name, value);
}

std::string text_of(const device::DeviceInfo& info) {
  std::string text = named_row("name", info.name);
  text += named_row("compute capability", fmt::format("{}.{}", info.compute_major, info.compute_minor));
  text += named_row("memory", report::memory(static_cast<double>(info.memory_bytes)));
  if (info.l2_bytes > 0) text += named_row("L2 cache", report::memory(static_cast<double>(info.l2_bytes)));
  text += named_row("multiprocessors", fmt::format("{}", info.multiprocessors));
  text += named_row("threads a block", fmt::format("at most {}", info.max_threads_per_block));
  text += named_row(
      "shared memory a block",
      fmt::format("{}, {} on request", report::memory(static_cast<double>(info.max_shared_per_block)),
                  report::memory(static_cast<double>(info.max_shared_per_block_optin))));
  text += named_row("constant memory", report::memory(static_cast<double>(info.constant_bytes)));
  if (!info.driver.empty()) text += named_row("driver", info.driver);
  return text + named_row("measures", info.measures_time
                                          ? "times"
                                          : "counters, hazards, and predicted times of that card");
}

std::string describe(std::string_view title, device::DeviceChoice choice) {
  try {
    return fmt::format("\n{}\n{}", title, text_of(device::open_device(choice)->info()));
  } catch (const Error& error) {
    return fmt::format("\n{}\n  {}\n", title, error.what());
  }
}

ExitCode inform(const Console& console) {
  report::Tool tool = report::this_tool();
  console.say(
      fmt::format("cudalab\n{}{}{}", named_row("version", tool.version), named_row("commit", tool.commit),
                  named_row("compiled by", fmt::format("{} {}", CUDALAB_COMPILER, CUDALAB_BUILD_TYPE))));
  console.say(named_row("kernels compiled by", compile::compiler_version()
                                                   ? "NVRTC " + *compile::compiler_version()
                                                   : "nothing: NVRTC was not found (`cudalab doctor`)"));
  console.say(named_row("host threads", fmt::format("{}", std::thread::hardware_concurrency())));
  console.say(describe("GPU (--device gpu)", device::DeviceChoice::kGpu));
  console.say(describe("Virtual GPU (--device virtual)", device::DeviceChoice::kVirtual));
  return ExitCode::kPassed;
}

}  // namespace

Verb info_verb() {
  return {.name = "info",
          .alias = "",
          .summary = "show this program's version and the devices it can use",
          .examples = {"cudalab info"},
          .declare = no_options(inform)};
}

}  // namespace cudalab::cli
