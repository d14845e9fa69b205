// Counts uses per granule while the kernel runs, and combines granules to elements after the launch.
#include "vgpu/counters/use_tally.h"

#include <algorithm>

#include "vgpu/counters/access_costs.h"
#include "vgpu/memory/memory.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {
namespace {

// Larger buffers are not counted: the test cases of a check are small, but other programs may allocate any
// size.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

std::vector<std::uint32_t>& counter_of(AccessKind kind, std::vector<std::uint32_t>& loads,
                                       std::vector<std::uint32_t>& stores,
                                       std::vector<std::uint32_t>& updates) {
  if (kind == AccessKind::kLoad) return loads;
  return kind == AccessKind::kStore ? stores : updates;
}

// An element's count is the maximum over its granules.
std::vector<std::uint32_t> by_element(const std::vector<std::uint32_t>& granules, std::size_t elements,
                                      std::size_t per_element) {
  std::vector<std::uint32_t> counts(elements);
  for (std::size_t i = 0; i < elements * per_element && i < granules.size(); ++i)
    counts[i / per_element] = std::max(counts[i / per_element], granules[i]);
  return counts;
}

std::uint32_t narrower(std::uint32_t known, std::uint32_t bytes) {
  return known == 0 || bytes == 0 ? std::max(known, bytes) : std::min(known, bytes);
}

bool belongs_to_kernel(const SharedVariable& variable, const Launch& launch) {
  return std::ranges::find(variable.kernels, launch.code->function) != variable.kernels.end();
}

void add_counts(std::vector<std::uint32_t>& total, const std::vector<std::uint32_t>& more) {
  if (total.size() < more.size()) total.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) total[i] += more[i];
}

}  // namespace

std::optional<std::pair<std::uint64_t, std::uint64_t>> range_of(const Launch& launch, std::uint64_t address) {
  const std::uint64_t offset = address - kSharedWindow;
  if (offset >= launch.shared_bytes) {
    const Allocation* allocation = launch.memory->find(address);
    if (!allocation) return std::nullopt;
    return std::pair<std::uint64_t, std::uint64_t>{allocation->base, allocation->bytes};
  }
  for (const SharedVariable& variable : launch.program->shared_variables)
    if (belongs_to_kernel(variable, launch) && offset - variable.offset < variable.bytes)
      return std::pair<std::uint64_t, std::uint64_t>{kSharedWindow + variable.offset, variable.bytes};
  const std::uint64_t begin = offset >= launch.dynamic_shared_base ? launch.dynamic_shared_base : 0;
  return std::pair<std::uint64_t, std::uint64_t>{kSharedWindow + begin, launch.shared_bytes - begin};
}

UseTally::UseTally(const Launch& launch) : launch_(&launch), granule_shift_(launch.checks.granule_shift) {}

UseTally::Counts* UseTally::counts_of(std::uint64_t address) {
  if (last_ && address - last_->base < last_->bytes) return last_;
  const auto range = range_of(*launch_, address);
  if (!range || range->second > kMostBytes) return last_ = nullptr;
  const auto [base, bytes] = *range;
  Counts& counts = buffers_[base];
  if (counts.bytes == 0) {
    counts.base = base;
    counts.bytes = bytes;
    for (auto* each : {&counts.loads, &counts.stores, &counts.updates})
      each->resize((bytes >> granule_shift_) + 1);
  }
  return last_ = &counts;
}

void UseTally::add(const SiteInfo& site, const Pattern& pattern, std::uint64_t base) {
  const AccessKind kind = class_of(site.kind).access;
  const auto bytes = static_cast<std::uint64_t>(site.bytes_per_lane);
  const auto element = static_cast<std::uint32_t>(bytes / std::max<std::uint64_t>(site.vector, 1));
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if (!(pattern.active >> lane & 1)) continue;
    const std::uint64_t address = base + static_cast<std::uint64_t>(pattern.offset[lane]);
    Counts* counts = counts_of(address);
    if (!counts) continue;
    counts->element_bytes = narrower(counts->element_bytes, element);
    ++counts->lines[{site.source, kind}];
    auto& counter = counter_of(kind, counts->loads, counts->stores, counts->updates);
    const std::uint64_t first = address - counts->base, last = std::min(first + bytes, counts->bytes) - 1;
    for (std::uint64_t granule = first >> granule_shift_; granule <= last >> granule_shift_; ++granule)
      ++counter[granule];
  }
}

std::vector<BufferUse> join_uses(const Launch& launch, std::span<const UseTally* const> tallies,
                                 NameAt name_at) {
  std::map<std::uint64_t, UseTally::Counts> buffers;
  for (const UseTally* tally : tallies)
    for (const auto& [base, counts] : tally->buffers_) {
      UseTally::Counts& total = buffers[base];
      total.bytes = counts.bytes;
      add_counts(total.loads, counts.loads);
      add_counts(total.stores, counts.stores);
      add_counts(total.updates, counts.updates);
      for (const auto& [line, count] : counts.lines) total.lines[line] += count;
      total.element_bytes = narrower(total.element_bytes, counts.element_bytes);
    }
  std::vector<BufferUse> uses;
  for (const auto& [base, counts] : buffers) {
    const std::uint64_t bytes = std::max<std::uint64_t>(counts.element_bytes, 1);
    const std::size_t per_element = std::max<std::size_t>(bytes >> tallies.front()->granule_shift_, 1);
    BufferUse& use = uses.emplace_back();
    use.name = name_at(launch, base);
    use.space = base - kSharedWindow < kWindowBytes ? MemorySpace::kShared : MemorySpace::kGlobal;
    use.element_bytes = counts.element_bytes;
    use.loads = by_element(counts.loads, counts.bytes / bytes, per_element);
    use.stores = by_element(counts.stores, counts.bytes / bytes, per_element);
    use.updates = by_element(counts.updates, counts.bytes / bytes, per_element);
    for (const auto& [line, count] : counts.lines)
      use.lines.push_back({launch.program->lines[line.first], line.second, count});
    std::ranges::stable_sort(use.lines, {}, [](const BufferUse::Line& line) {
      return std::pair(line.where.file, line.where.line);
    });
  }
  return uses;
}

}  // namespace cudalab::vgpu
