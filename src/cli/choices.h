// What the options of all commands that run kernels share: their words, the values behind them, and the exit
// code.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/terminal/console.h"
#include "core/error.h"
#include "device/device.h"
#include "lab/result.h"

namespace cudalab::cli {

template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;

inline const Names<device::DeviceChoice> kDevices{{"auto", device::DeviceChoice::kAuto},
                                                  {"gpu", device::DeviceChoice::kGpu},
                                                  {"virtual", device::DeviceChoice::kVirtual}};
inline const Names<device::Checks> kChecks{{"all", device::Checks::kAll},
                                           {"memory", device::Checks::kMemory},
                                           {"race", device::Checks::kRace},
                                           {"none", device::Checks::kNone}};
inline const Names<ColourChoice> kColours{
    {"auto", ColourChoice::kAuto}, {"always", ColourChoice::kAlways}, {"never", ColourChoice::kNever}};

inline constexpr std::uint64_t kMostSamples = 10'000;

template <class Value>
std::string joined(const Names<Value>& names, std::string_view separator) {
  std::vector<std::string> words;
  for (const auto& [name, value] : names) words.push_back(name);
  return fmt::format("{}", fmt::join(words, separator));
}

template <class Value>
Value chosen(std::string_view option, const std::string& text, const Names<Value>& names) {
  for (const auto& [name, value] : names)
    if (name == text) return value;
  throw usage_error("{} takes {}, not `{}`", option, joined(names, ", "), text);
}

inline ExitCode exit_code(const lab::Result& result) {
  if (result.stopped) return ExitCode::kStopped;
  if (result.verdict == lab::Verdict::kPass) return ExitCode::kPassed;
  return result.verdict == lab::Verdict::kFail ? ExitCode::kFailed : ExitCode::kUnavailable;
}

}  // namespace cudalab::cli
