#include "runtime/managed_ranges.h"

#include <unistd.h>

#include <algorithm>

#include "core/alignment.h"

namespace cudalab::runtime {
namespace {

std::uint64_t page_size() {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::uint64_t first_page(std::uint64_t begin) { return begin / page_size() * page_size(); }
std::uint64_t last_page_end(std::uint64_t end) { return round_up(end, page_size()); }

}  // namespace

// A part that holds the address ends there from now on, and another begins.
void ManagedRanges::part_at(std::uint64_t address) {
  auto holder = parts_.lower_bound(address);
  if (holder == parts_.begin()) return;
  Part& before = std::prev(holder)->second;
  if (before.end <= address) return;
  parts_[address] = before;
  before.end = address;
}

void ManagedRanges::change(std::uint64_t begin, std::uint64_t end, const std::function<void(Advice&)>& how) {
  begin = first_page(begin), end = last_page_end(end);
  part_at(begin);
  part_at(end);
  for (std::uint64_t at = begin; at < end;) {
    const auto next = parts_.lower_bound(at);
    const std::uint64_t next_begin = next == parts_.end() ? end : std::min(end, next->first);
    if (next_begin > at) parts_[at] = {next_begin, {}};
    Part& part = parts_[at];
    how(part.advice);
    at = part.end;
  }
}

std::vector<Advice> ManagedRanges::of(std::uint64_t begin, std::uint64_t end) const {
  begin = first_page(begin), end = last_page_end(end);
  std::vector<Advice> found;
  std::uint64_t reached = begin;  // without a gap
  auto at = parts_.upper_bound(begin);
  if (at != parts_.begin()) --at;
  for (; at != parts_.end() && at->first < end; ++at) {
    if (at->second.end <= begin) continue;
    if (at->first > reached) found.push_back({});
    found.push_back(at->second.advice);
    reached = at->second.end;
  }
  if (reached < end || found.empty()) found.push_back({});
  return found;
}

void ManagedRanges::forget(std::uint64_t begin, std::uint64_t end) {
  begin = first_page(begin), end = last_page_end(end);
  part_at(begin);
  part_at(end);
  parts_.erase(parts_.lower_bound(begin), parts_.lower_bound(end));
}

}  // namespace cudalab::runtime
