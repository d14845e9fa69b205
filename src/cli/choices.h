// What the options of all commands that run kernels share: words that stand for values, and the exit code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"
#include "core/error.h"
#include "core/named.h"
#include "core/text.h"
#include "device/device.h"
#include "lab/result.h"

namespace cudalab::cli {

inline constexpr Named<ColourChoice> kColours[]{
    {"auto", ColourChoice::kAuto}, {"always", ColourChoice::kAlways}, {"never", ColourChoice::kNever}};

inline constexpr std::uint64_t kMostSamples = 10'000;

// "auto|gpu|virtual"
template <class Value, std::size_t kSize>
std::string alternatives(const Named<Value> (&table)[kSize]) {
  return joined(table, "|", &Named<Value>::name);
}

template <class Value, std::size_t kSize>
Value chosen(std::string_view option, std::string_view text, const Named<Value> (&table)[kSize]) {
  if (const auto value = value_called(text, table)) return *value;
  throw usage_error("{} takes {}, not `{}`", option, joined(table, ", ", &Named<Value>::name), text);
}

inline ExitCode exit_code(const lab::Result& result) {
  if (result.stopped) return ExitCode::kStopped;
  if (result.verdict == lab::Verdict::kPass) return ExitCode::kPassed;
  return result.verdict == lab::Verdict::kFail ? ExitCode::kFailed : ExitCode::kUnavailable;
}

}  // namespace cudalab::cli
