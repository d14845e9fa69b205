// Decides when breakpoints stop: hit counts, and accesses to watched bytes.
#include "session/breakpoints.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "vgpu/memory/memory.h"
#include "vgpu/warp_shape.h"

namespace cudalab::session {
namespace {

struct HitOperator {
  std::string_view sign;
  std::function<bool(std::uint64_t hits, std::uint64_t wanted)> holds;
};

// Longer signs first.
const std::vector<HitOperator>& hit_operators() {
  static const std::vector<HitOperator> table{
      {">=", std::greater_equal<>()},
      {"<=", std::less_equal<>()},
      {"==", std::equal_to<>()},
      {">", std::greater<>()},
      {"<", std::less<>()},
      {"=", std::equal_to<>()},
      {"%", [](auto hits, auto wanted) { return wanted && hits % wanted == 0; }},
      {"", std::greater_equal<>()}};
  return table;
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

struct HitRule {
  const HitOperator* operation;
  std::uint64_t wanted = 0;
};

std::optional<HitRule> rule_in(std::string_view text) {
  text = without_blanks(text);
  const auto found = std::ranges::find_if(
      hit_operators(), [&](const HitOperator& each) { return text.starts_with(each.sign); });
  const std::string_view number = without_blanks(text.substr(found->sign.size()));
  HitRule rule{&*found};
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), rule.wanted);
  if (failed != std::errc{} || end != number.data() + number.size()) return std::nullopt;
  return rule;
}

}  // namespace

bool is_hit_rule(std::string_view text) { return text.empty() || rule_in(text); }

bool hit(Trigger& trigger) {
  ++trigger.hits;
  if (trigger.hit_rule.empty()) return true;
  const auto rule = rule_in(trigger.hit_rule);
  return !rule || rule->operation->holds(trigger.hits, rule->wanted);
}

std::uint32_t lanes_touching(const DataBreakpoint& breakpoint, const vgpu::TracedAccess& access) {
  const bool reads = access.kind != AccessKind::kStore, writes = access.kind != AccessKind::kLoad;
  if (!(reads && breakpoint.on_read) && !(writes && breakpoint.on_write)) return 0;
  if (access.space != MemorySpace::kShared && access.space != MemorySpace::kGlobal) return 0;
  const std::uint64_t window = access.space == MemorySpace::kShared ? vgpu::kSharedWindow : 0;
  std::uint32_t lanes = 0;
  for (std::uint32_t lane = 0; lane < vgpu::kWarpSize; ++lane) {
    const std::uint64_t begin = window + access.address[lane];
    const bool overlaps =
        begin < breakpoint.address + breakpoint.bytes && breakpoint.address < begin + access.bytes;
    if (overlaps) lanes |= 1u << lane;
  }
  return lanes & access.lanes;
}

}  // namespace cudalab::session
