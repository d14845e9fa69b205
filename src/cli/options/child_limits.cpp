// Seconds and MiB, as `grade` and `verify` take them.
#include "cli/options/child_limits.h"

#include "cli/options/lab_options.h"

namespace cudalab::cli {
namespace {

constexpr std::uint64_t kMostSecondsOfChild = 100'000, kMostMib = 1u << 20;

double seconds_from(const char* option, const std::string& text) {
  return static_cast<double>(parse_natural(option, text, kMostSecondsOfChild));
}

}  // namespace

Options limit_options(LimitTexts& texts) {
  return {{"--cpu", " SECONDS", &texts.cpu, "processor time that one file may take; default 10"},
          {"--seconds", " SECONDS", &texts.seconds, "time that one file may take; default 60"},
          {"--memory", " MIB", &texts.memory, "address space that one file may take; default 4096"}};
}

ChildLimits limits_from(const LimitTexts& texts) {
  ChildLimits limits;
  limits.cpu_seconds = seconds_from("--cpu", texts.cpu);
  limits.wall_seconds = seconds_from("--seconds", texts.seconds);
  limits.memory_bytes = parse_natural("--memory", texts.memory, kMostMib) << 20;
  return limits;
}

}  // namespace cudalab::cli
