// Names of enumerators.
#include "report/text/names.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace cudalab::report {
namespace {

// In the order of the enumerations; a test goes through all of them.
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

std::string shown(const lab::OptionValue& value) {
  struct Visitor {
    std::string operator()(bool flag) const { return flag ? "on" : "off"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace cudalab::report
