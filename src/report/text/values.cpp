// Formats values for the reader: words for enumerations, and numbers with three digits and a unit.
#include "report/text/values.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "messages/report.h"

namespace cudalab::report {
namespace {

// In the order of the enumerations; a test checks all of them.
constexpr std::array<std::string_view, 3> kVerdicts{"pass", "fail", "not_assessed"};
constexpr std::array<std::string_view, 5> kRowKinds{"cpu", "kernel", "ceiling", "library", "copy"};
constexpr std::array<std::string_view, 12> kHazards{"out_of_bounds", "misaligned",     "uninitialised_read",
                                                    "shared_race",   "global_race",    "barrier_divergence",
                                                    "deadlock",      "step_limit",     "trap",
                                                    "assertion",     "stack_overflow", "invalid_launch"};
constexpr std::array<std::string_view, 5> kSpaces{"global", "shared", "local", "constant", "texture"};
constexpr std::array<std::string_view, 4> kAccesses{"load", "store", "atomic", "reduction"};

constexpr std::array<std::string_view, 5> kOccupancyLimits{"registers", "shared", "threads", "blocks",
                                                           "grid"};

template <class Enumeration, std::size_t kSize>
std::string_view look_up(const std::array<std::string_view, kSize>& names, Enumeration value) {
  return names.at(static_cast<std::size_t>(value));
}

}  // namespace

std::string_view name_of(lab::Verdict verdict) { return look_up(kVerdicts, verdict); }
std::string_view name_of(lab::RowKind kind) { return look_up(kRowKinds, kind); }
std::string_view name_of(HazardKind kind) { return look_up(kHazards, kind); }
std::string_view name_of(MemorySpace space) { return look_up(kSpaces, space); }
std::string_view name_of(AccessKind kind) { return look_up(kAccesses, kind); }
std::string_view name_of(OccupancyLimit limit) { return look_up(kOccupancyLimits, limit); }

Message worded(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad: return msg::access_load();
    case AccessKind::kStore: return msg::access_store();
    case AccessKind::kAtomic: return msg::access_atomic();
    case AccessKind::kReduction: break;
  }
  return msg::access_reduction();
}

Message worded(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal: return msg::memory_global();
    case MemorySpace::kShared: return msg::memory_shared();
    case MemorySpace::kLocal: return msg::memory_local();
    case MemorySpace::kConstant: return msg::memory_constant();
    case MemorySpace::kTexture: break;
  }
  return msg::memory_texture();
}

std::string shown(const lab::OptionValue& value) {
  struct Visitor {
    std::string operator()(bool flag) const { return flag ? "on" : "off"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
  };
  return std::visit(Visitor{}, value);
}

namespace {

constexpr double kKibi = 1024;

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos || number.find('e') != std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string with_zeros(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  if (value == 0) return "0";
  int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  if (magnitude < -4 || magnitude > 8) return fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - magnitude));
}

}  // namespace

std::string significant(double value, int digits) {
  return without_trailing_zeros(with_zeros(value, digits));
}

std::string three_digits(double value) { return with_zeros(value, 3); }

std::string duration(double milliseconds) {
  if (milliseconds < 1) return three_digits(milliseconds * 1e3) + " us";
  if (milliseconds < 1e3) return three_digits(milliseconds) + " ms";
  return three_digits(milliseconds / 1e3) + " s";
}

Argument worded_memory(double bytes) {
  if (bytes < kKibi) return msg::count_bytes(significant(bytes));
  constexpr std::array<std::string_view, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (bytes /= kKibi; bytes >= kKibi && unit + 1 < kUnits.size(); ++unit) bytes /= kKibi;
  return fmt::format("{} {}", significant(bytes), kUnits[unit]);
}

Argument worded_distance(double bytes) {
  if (bytes < kKibi || std::fmod(bytes, kKibi) != 0) return msg::count_bytes(fmt::format("{:.0f}", bytes));
  const double kilobytes = bytes / kKibi;
  if (kilobytes < kKibi || std::fmod(kilobytes, kKibi) != 0)
    return msg::count_kilobytes(fmt::format("{:.0f}", kilobytes));
  return msg::count_megabytes(fmt::format("{:.0f}", kilobytes / kKibi));
}

std::string memory(double bytes) { return shown_in_english(worded_memory(bytes)); }
std::string distance(double bytes) { return shown_in_english(worded_distance(bytes)); }

std::string percent(double value) {
  if (value > 0 && value < 1) return "<1 %";
  return fmt::format("{} %", std::isfinite(value) ? fmt::format("{:.0f}", value) : significant(value));
}

}  // namespace cudalab::report
