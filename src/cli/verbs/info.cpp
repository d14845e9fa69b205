// `cudalab info`: this program, this computer and its devices.
#include <fmt/format.h>

#include <thread>

#include "cli/verbs.h"
#include "device/device.h"
#include "report/text/paragraph.h"
#include "report/text/units.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

constexpr std::size_t kNameColumns = 22;

std::string named_row(std::string_view name, std::string_view value) {
  return fmt::format("  {}{}\n", report::padded(name, kNameColumns), value);
}

std::string memory_rows(const device::DeviceInfo& info, const Wording& wording) {
  const auto size = [](auto bytes) { return report::memory(static_cast<double>(bytes)); };
  std::string text = named_row(wording.say<"memory">(), size(info.memory_bytes));
  if (info.l2_bytes > 0) text += named_row(wording.say<"L2 cache">(), size(info.l2_bytes));
  return text +
         named_row(wording.say<"shared memory a block">(),
                   wording.say<"{}, {} on request">(size(info.max_shared_per_block),
                                                    size(info.max_shared_per_block_optin))) +
         named_row(wording.say<"constant memory">(), size(info.constant_bytes));
}

std::string text_of(const device::DeviceInfo& info, const Wording& wording) {
  std::string text = named_row(wording.say<"name">(), info.name);
  text += named_row(wording.say<"compute capability">(),
                    fmt::format("{}.{}", info.compute_major, info.compute_minor));
  text += named_row(wording.say<"multiprocessors">(), fmt::format("{}", info.multiprocessors));
  text += named_row(wording.say<"threads a block">(), wording.say<"at most {}">(info.max_threads_per_block));
  text += memory_rows(info, wording);
  if (!info.driver.empty()) text += named_row(wording.say<"driver">(), info.driver);
  return text + named_row(wording.say<"measures">(),
                          info.measures_time
                              ? wording.say<"times">()
                              : wording.say<"counters, hazards, and predicted times of that card">());
}

std::string describe(std::string_view title, device::DeviceChoice choice, const Wording& wording) {
  try {
    return fmt::format("\n{}\n{}", title, text_of(device::open_device(choice)->info(), wording));
  } catch (const Error& error) {
    return fmt::format("\n{}\n  {}\n", title, wording.text(error.what()));
  }
}

ExitCode inform(const Console& console) {
  const Wording& wording = console.wording;
  report::Tool tool = report::this_tool();
  console.say(fmt::format(
      "cudalab\n{}{}{}", named_row(wording.say<"version">(), tool.version),
      named_row(wording.say<"commit">(), tool.commit),
      named_row(wording.say<"compiled by">(), fmt::format("{} {}", CUDALAB_COMPILER, CUDALAB_BUILD_TYPE))));
  console.say(named_row(wording.say<"kernels compiled by">(),
                        compile::compiler_version()
                            ? "NVRTC " + *compile::compiler_version()
                            : wording.say<"nothing: NVRTC was not found (`cudalab doctor`)">()));
  console.say(
      named_row(wording.say<"host threads">(), fmt::format("{}", std::thread::hardware_concurrency())));
  console.say(describe("GPU (--device gpu)", device::DeviceChoice::kGpu, wording));
  console.say(describe(wording.say<"Virtual GPU">() + " (--device virtual)", device::DeviceChoice::kVirtual,
                       wording));
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
