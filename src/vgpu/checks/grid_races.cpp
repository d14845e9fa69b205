#include "vgpu/checks/grid_races.h"

#include <algorithm>
#include <limits>

#include "messages/vgpu.h"
#include "vgpu/counters/access_costs.h"
#include "vgpu/memory/shadow_bytes.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint32_t kWasWrite = 1u << 31, kMostFences = ~kWasWrite;

// Whether the kernel may use locks or flags between blocks: then updates may be ordered instead of atomic.
bool has_locks_or_flags(const Program& program) {
  return std::ranges::any_of(program.sites, [](const SiteInfo& site) {
    return class_of(site.kind).space == MemorySpace::kGlobal && (site.answers || site.volatile_or_atomic);
  });
}

Dim3 block_at(const Launch& launch, std::uint32_t number) {
  return position_in(launch.request->spec.grid, number);
}

}  // namespace

struct GridRaces::Visit {
  const ObservedAccess& access;
  std::uint32_t* owners;  // of the first active lane's granule
  std::uint32_t block;
  const BlockClock& clock;
  HazardLog& log;
};

GridRaces::GridRaces(const GlobalMemory& memory, int granule_shift)
    : granule_shift_(granule_shift), watched_(memory) {
  constexpr std::size_t kLeast = 1u << 20;
  most_accessors_ =
      std::min<std::size_t>(kWasWrite - 1, std::max(kLeast, memory.used_bytes() / 2 / sizeof(Accessor)));
}

void GridRaces::add_touched_to(std::vector<TouchedSpan>& spans) const {
  const auto kind_of = [&](std::uint32_t owner) {
    if (accessors_[owner & ~kWasWrite].record & kAtomic) return TouchedSpan::kAtomic;
    return owner & kWasWrite ? TouchedSpan::kWrite : TouchedSpan::kRead;
  };
  for (const auto& [allocation, watched] : watched_)
    add_touched(allocation->base, reinterpret_cast<const std::uint32_t*>(watched->owners.get()),
                allocation->bytes >> granule_shift_, granule_shift_, kind_of, spans);
}

std::uint32_t GridRaces::number_of(const Accessor& accessor) {
  const std::uint32_t hash =
      accessor.block * 0x9e3779b1u ^ accessor.record * 0x85ebca6bu ^ accessor.fences * 0xc2b2ae35u;
  std::uint32_t& number = recent_[hash >> 22];
  if (number != 0 && accessors_[number] == accessor) return number;
  number = static_cast<std::uint32_t>(accessors_.size());
  accessors_.push_back(accessor);
  return number;
}

void GridRaces::forget() {
  for (const auto& [allocation, watched] : watched_)
    watched->owners = allocate_host(watched->owners.get_deleter().bytes);
  accessors_.resize(1);
  recent_.fill(0);
}

void GridRaces::observe(const ObservedAccess& access, const Allocation& allocation, std::uint32_t block,
                        const BlockClock& clock, HazardLog& log) {
  Watched* const watched = watched_.of(allocation, [this](const Allocation& touched) {
    return Watched{allocate_host(((touched.bytes >> granule_shift_) + 1) * sizeof(std::uint32_t))};
  });
  if (!watched) return;
  has_flags_of_blocks_ |= access.synchronises() && access.scope() == Scope::kBlock;
  const std::uint64_t first = (access.base - allocation.base) >> access.granule_shift;
  if (accessors_.size() >= most_accessors_) forget();
  const Visit visit{access, reinterpret_cast<std::uint32_t*>(watched->owners.get()) + first, block, clock,
                    log};
  for (const Footprint::Span& span : access.footprint->spans) visit_span(visit, span);
}

void GridRaces::visit_span(const Visit& visit, const Footprint::Span& span) {
  std::uint32_t* owners = visit.owners + span.first;
  const std::uint32_t* lanes = visit.access.footprint->lane.data() + span.lanes;
  std::uint32_t last = std::numeric_limits<std::uint32_t>::max(), becomes = 0;
  const bool compares_values = visit.access.mode == AccessMode::kWrite;
  for (std::uint32_t g = 0; g < span.count; ++g) {
    if (owners[g] != last || compares_values) {
      last = owners[g];
      becomes = visit_granule(visit, last, lanes[g], span.first + g);
    }
    owners[g] = becomes;
  }
}

// Returns the new owner of the granule.
std::uint32_t GridRaces::visit_granule(const Visit& visit, std::uint32_t owner, std::uint32_t lane,
                                       std::int64_t granule) {
  const ObservedAccess& access = visit.access;
  // The lane is not kept: all lanes of a warp's access are one accessor.
  const auto mine = [&] {
    const Accessor accessor{visit.block, visit.clock.fences() & kMostFences, access.info->is_for_block,
                            access.record};
    return number_of(accessor) | (access.writes() ? kWasWrite : 0);
  };
  if (owner == 0) return mine();
  const bool was_write = owner & kWasWrite;
  if (!was_write && !access.writes()) return owner;
  const Accessor earlier = accessors_[owner & ~kWasWrite];
  if (earlier.block == visit.block) return access.writes() ? mine() : owner;
  const bool both_synchronise = access.synchronises() && (earlier.record & (kAtomic | kStrong)) &&
                                access.scope() == Scope::kGrid && !earlier.is_for_block;
  if (both_synchronise || is_ordered(earlier, visit.clock)) return mine();
  if (was_write && stores_what_is_there(access, static_cast<int>(lane >> kLaneShift), granule)) return owner;
  report(visit, earlier, was_write, lane, granule);
  return mine();
}

bool GridRaces::is_ordered(const Accessor& earlier, const BlockClock& clock) const {
  if (!clock.has_taken_over()) return false;
  if ((earlier.record & kAtomic) && !earlier.is_for_block)
    return true;  // the last block resets the ticket or lock itself
  const auto found = handed_over_.find(earlier.block);
  return found != handed_over_.end() && earlier.fences < found->second;
}

Message GridRaces::fix_of(const Visit& visit, const Accessor& earlier) const {
  // For block-scope atomics and flags.
  if (visit.access.info->is_for_block || earlier.is_for_block) return msg::advice_wider_scope();
  if (!visit.clock.has_taken_over())
    return has_flags_of_blocks_ ? msg::advice_wider_scope() : msg::advice_blocks_run_freely();
  // For a block that has read a flag, a ticket or a lock.
  return has_fences_of_blocks_ && handed_over_.empty() ? msg::advice_wider_fence()
                                                       : msg::advice_threadfence();
}

namespace {

// Whether the buffer has an element for about each thread. Then two threads with one element may have a wrong
// index, while fewer elements, such as bins, are meant to be shared.
bool has_element_per_thread(const Launch& launch, std::uint64_t address, int element_bytes) {
  const Allocation* allocation = launch.memory->find(address);
  const std::uint64_t threads = launch.request->spec.grid.volume() * launch.request->spec.block.volume();
  return allocation &&
         allocation->bytes / static_cast<std::uint64_t>(std::max(element_bytes, 1)) >= threads / 2;
}

}  // namespace

void GridRaces::report(const Visit& visit, const Accessor& earlier, bool was_write, std::uint32_t lane,
                       std::int64_t granule) {
  const ObservedAccess& access = visit.access;
  const Launch& launch = *access.warp->launch;
  const std::uint64_t address = access.element_address(static_cast<int>(lane >> kLaneShift), granule);
  const Place place = place_of(launch, address);
  const std::uint32_t earlier_line = earlier.record & kLineMask;
  const bool of_blocks = access.info->is_for_block || earlier.is_for_block;
  const bool both_write =
      was_write && access.writes() && is_same_line(access.line(), earlier_line) && !of_blocks;
  const auto make = [&] {
    Hazard hazard =
        hazard_at(access.inst, *access.warp, static_cast<int>(lane >> kLaneShift), HazardKind::kGlobalRace);
    hazard.other = launch.program->lines[earlier_line];
    hazard.address = address;
    hazard.buffer = place.name;
    const Argument element = place.element(access.element_bytes());
    if (both_write) {
      hazard.what = msg::race_both_write(element, Address{address}, BlockIndex{block_at(launch, visit.block)},
                                         BlockIndex{block_at(launch, earlier.block)});
      hazard.fix = msg::advice_one_writer();
      return hazard;
    }
    hazard.what = msg::race_same_launch(verb_of(access), element, Address{address},
                                        BlockIndex{block_at(launch, earlier.block)},
                                        past_verb_of(was_write, earlier.record));
    const bool is_update = is_same_line(access.line(), earlier_line) && is_half_of_update(access);
    if (!is_update || has_locks_or_flags(*launch.program))
      hazard.fix = fix_of(visit, earlier);
    else
      hazard.fix = has_element_per_thread(launch, address, access.element_bytes())
                       ? msg::advice_one_writer()
                       : msg::advice_atomic_update();
    return hazard;
  };
  visit.log.add(HazardKind::kGlobalRace, access.line(), earlier_line, place.identity, make,
                both_write ? RacePair::kWriters : RacePair::kBlocks,
                access.is_plain_load() || (!was_write && is_plain(earlier.record)));
}

}  // namespace cudalab::vgpu
