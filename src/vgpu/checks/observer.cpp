#include "vgpu/checks/observer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "messages/vgpu.h"
#include "vgpu/checks/child_races.h"
#include "vgpu/checks/observe.h"

namespace cudalab::vgpu {

int granule_shift_of(const Program& program) {
  unsigned narrowest = 4;
  for (const SiteInfo& site : program.sites)
    narrowest = std::min(narrowest, static_cast<unsigned>(std::max(site.bytes_per_lane, 1)));
  return std::countr_zero(std::bit_floor(narrowest));
}

// ---- observer ----------------------------------------------------------------------------------------
namespace {

std::size_t local_shadow_bytes(const Launch& launch) {
  return launch.request->options.checks_memory() ? launch.code->local_bytes : 0;
}

}  // namespace

Observer::Observer(Launch& launch, Block& block, Recorder* recorder)
    : launch_(&launch),
      own_(&block),
      recorder_(recorder),
      check_memory_(launch.request->options.checks_memory()),
      check_races_(launch.request->options.checks_races()),
      granule_shift_(launch.checks.granule_shift),
      log_(block),
      uninitialised_(log_),
      undefined_(log_),
      local_(uninitialised_, undefined_, local_shadow_bytes(launch), block.warps.size()),
      shared_table_((launch.shared_bytes >> granule_shift_) + 4),
      shared_(shared_table_.cells()),
      lines_(granule_shift_),
      cluster_clock_(clock_),
      shared_races_(clock_, log_, HazardKind::kSharedRace),
      global_races_(clock_, log_, HazardKind::kGlobalRace) {
  if (check_races_ && launch.cluster.volume() > 1) cluster_races_.emplace(shared_table_.rows());
}

void Observer::start_block(std::uint64_t linear_block) {
  block_ = static_cast<std::uint32_t>(linear_block);
  log_.start_block();
  undefined_.start_block(*own_);
  clock_.start_block();
  local_.start_block();
  lines_.start_block();
  cluster_clock_.start_block(own_->rank);
  cluster_arriving_ = cluster_complete_ = {};
  fenced_mbarriers_ = false;
  has_async_copies_ = false;
  mbarriers_.start_block();
  bulk_watch_.start_block();
  if (cluster_races_) cluster_races_->start_block();
  if (launch_->reserved_shared_bytes == 0 && launch_->cluster.volume() == 1) return;
  // The reserved part of shared memory counts as written before the block began.
  written_before_ = clock_.now(0);
  std::fill_n(shared_.write_tick + (launch_->reserved_shared_base >> granule_shift_),
              launch_->reserved_shared_bytes >> granule_shift_, written_before_);
  clock_.everybody_passed();
}

void Observer::observe(const Inst* inst, Warp& warp, const SiteState& site, const Pattern& pattern,
                       std::uint64_t base, AccessMode mode) {
  if (recorder_) recorder_->add(warp, site, pattern, base);
  observe_unrecorded(inst, warp, *site.info, pattern, base, mode, site.allocation);
}

void Observer::observe_unrecorded(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern,
                                  std::uint64_t base, AccessMode mode, Allocation* known) {
  if (!check_memory_ && !check_races_) return;
  // Private to the thread: no check needs its granules.
  const bool is_local = base - kLocalWindow < kWindowBytes;
  if (!pattern.has_footprint && !is_local) [[unlikely]] {
    if (known && launch_->checks.suspicion) launch_->checks.suspicion->ask_for_marks(pattern, base, *known);
    if (!pattern.footprint) pattern.footprint = std::make_unique<Footprint>();
    make_footprint(*pattern.footprint, pattern, info.bytes_per_lane, granule_shift_);
    pattern.has_footprint = true;
  }
  const Footprint* footprint = is_local ? nullptr : pattern.footprint.get();
  ObservedAccess access{inst, &warp, &info, &pattern, footprint, mode, base, nullptr, granule_shift_, 0};
  dispatch(access, known);
}

void Observer::observe_texels(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern,
                              std::uint64_t base) {
  if (recorder_) recorder_->add_texels(warp, info, pattern, base);
  observe_unrecorded(inst, warp, info, pattern, base, AccessMode::kRead, nullptr);
}

void Observer::observe_lane(const Inst* inst, Warp& warp, const SiteInfo& info, int lane,
                            std::uint64_t address, AccessMode mode) {
  if (recorder_) recorder_->add_unknown();
  if (!check_memory_ && !check_races_) return;
  ObservedAccess access =
      access_of_span(inst, warp, info, lane, address, static_cast<std::size_t>(info.bytes_per_lane), mode);
  dispatch(access, nullptr);
}

namespace {

// Costs in warp instructions of checking an access, each span of a scattered access, and each lane whose
// granule must be compared with other blocks in global memory.
constexpr std::uint64_t kStepsOfAnAccess = 8, kStepsOfASpan = 8, kStepsOfALane = 32;

// The access record without the lane: the accessing warp, the kind of access and its line.
std::uint32_t record_of(const ObservedAccess& access) {
  const SiteInfo& info = *access.info;
  return (access.warp->index * kWarpSize) << kThreadShift |
         (info.is_atomic || access.mode == AccessMode::kReadWrite ? kAtomic : 0) |
         (info.volatile_or_atomic ? kStrong : 0) |
         (access.inst->source <= kLineMask ? access.inst->source : 0);
}

}  // namespace

void Observer::dispatch(ObservedAccess& access, Allocation* known) {
  const Warp& warp = *access.warp;
  access.record = record_of(access);
  effort_ += kStepsOfAnAccess + kStepsOfASpan * (access.footprint ? access.footprint->spans.size() : 1);
  if (access.base - kSharedWindow < kRankBytes) {
    access.host = warp.shared + (access.base - kSharedWindow);
    observe_shared(access);
  } else if (access.base - kSharedWindow < kWindowBytes) {
    observe_cluster(access);
  } else if (access.base - kLocalWindow < kWindowBytes) {
    if (check_memory_) observe_local(access);
  } else {
    Allocation* allocation = known;
    if (!allocation || access.base - allocation->base >= allocation->bytes)
      allocation = launch_->memory->find(access.base);
    if (!allocation || allocation->read_only) return;
    if (check_races_) bulk_watch_.check(access, log_);
    if (access.info->is_atomic || launch_->checks.grid_races)
      effort_ += kStepsOfALane * static_cast<std::uint64_t>(std::popcount(access.pattern->active));
    access.host = allocation->host.get() + (access.base - allocation->base);
    if (access.writes() && warp.holds_undefined) undefined_.stored(access);
    observe_global(access, *allocation);
  }
}

// ---- local memory ------------------------------------------------------------------------------------
void Observer::observe_local(const ObservedAccess& access) {
  local_.observe(access);
  if (access.writes()) undefined_.define_local(access);
  if (access.writes() && access.warp->holds_undefined) local_.take_back(access, undefined_.stored(access));
}

// ---- shared memory -----------------------------------------------------------------------------------
void Observer::observe_shared(const ObservedAccess& access) {
  const ShadowCells cells = shared_.from((access.base - kSharedWindow) >> granule_shift_);
  undefined_.touch_shared(access);
  if (access.writes() && access.warp->holds_undefined) undefined_.stored(access);
  if (check_races_) bulk_watch_.check(access, log_);
  if (check_races_ && has_async_copies_) [[unlikely]]
    if (check_own_copies(access, log_) || check_copies_of_others(access, clock_, log_)) return;
  if (cluster_races_) cluster_races_->observe(access, own_->rank, cluster_clock_, clock_, log_);
  if (access.mode == AccessMode::kRead)
    observe_shared_read(access, cells);
  else
    observe_shared_write(access, cells);
  if (access.synchronises()) synchronise(access);
}

// Fast path: most reads are of data written before the block's last barrier, so comparing the ticks of these
// writes suffices.
void Observer::observe_shared_read(const ObservedAccess& access, const ShadowCells& cells) {
  const TickRange expected{check_memory_ ? clock_.block_start() + 1 : 0, clock_.settled()};
  if (check_races_ && shared_races_.remember_read(access, cells, expected)) return;
  if (check_memory_) uninitialised_.check_shared(access, cells.write_tick, clock_.block_start());
  if (check_races_) check_shared_races(access, cells);
}

void Observer::observe_shared_write(const ObservedAccess& access, const ShadowCells& cells) {
  if (check_memory_ && access.reads())
    uninitialised_.check_shared(access, cells.write_tick, clock_.block_start());
  const bool is_quiet =
      !check_races_ || (!access.footprint->overlaps && shared_races_.is_first_touch(access, cells));
  if (!is_quiet) check_shared_races(access, cells);
  shared_races_.remember_write(access, cells);
}

void Observer::check_shared_races(const ObservedAccess& access, const ShadowCells& cells) {
  if (access.footprint->overlaps) shared_races_.check_overlap(access);
  for (const Footprint::Span& span : access.footprint->spans)
    shared_races_.check(access,
                        SpanPart{&span, 0, span.count, cells.from(static_cast<std::size_t>(span.first))});
}

void Observer::fence(const Warp& warp, Scope scope) {
  clock_.fence(warp.index, scope);
  if (scope == Scope::kBlock && launch_->checks.grid_races) launch_->checks.grid_races->fence_of_block();
}

void Observer::synchronise(const ObservedAccess& access) {
  if (access.reads()) clock_.take_over(access.warp->index, access.scope());
  if (!access.writes()) return;
  if (access.info->releases) clock_.fence(access.warp->index, access.scope());
  clock_.hand_over(access.scope());
  if (launch_->checks.grid_races && clock_.fences_handed_over())
    launch_->checks.grid_races->hand_over(block_, clock_.fences_handed_over());
}

// ---- clusters ----------------------------------------------------------------------------------------
// An address with a cluster rank, which may be this block's own.
void Observer::observe_cluster(ObservedAccess& access) {
  const std::uint64_t offset = access.base - kSharedWindow;
  Block& owner = *own_->cluster->blocks[offset / kRankBytes - 1];
  access.base = kSharedWindow + offset % kRankBytes;
  access.host = owner.shared.get() + offset % kRankBytes;
  if (&owner == own_) return observe_shared(access);
  observe_other_block(access, owner);
}

void Observer::observe_other_block(const ObservedAccess& access, Block& owner) {
  Observer& theirs = *owner.observer;
  if (check_races_) {
    if (!cluster_clock_.has_heard_of(owner.rank)) report_unheard_of(access, owner);
    theirs.bulk_watch_.check(access, log_);
    theirs.cluster_races_->observe(access, owner.rank, cluster_clock_, clock_, log_);
  }
  if (check_memory_ && access.reads())
    uninitialised_.check_shared(
        access, theirs.shared_.from((access.base - kSharedWindow) >> granule_shift_).write_tick,
        theirs.clock_.block_start());
  if (access.writes()) theirs.note_foreign_write(access);
}

void Observer::report_unheard_of(const ObservedAccess& access, const Block& owner) {
  const Place place = place_of(*launch_, access.base);
  log_.add(HazardKind::kSharedRace, access.line(), access.line(), place.identity, [&] {
    const int lane = std::countr_zero(access.pattern->active);
    Hazard hazard = hazard_at(access.inst, *access.warp, lane, HazardKind::kSharedRace);
    hazard.address = access.base;
    hazard.buffer = place.name;
    hazard.what = msg::race_block_not_begun(verb_of(access), place.element(access.element_bytes()),
                                            BlockIndex{owner.index});
    hazard.fix = msg::advice_cluster_sync_first();
    return hazard;
  });
}

// Marks granules as written, but by no thread of this block: ClusterRaces checks these writes.
void Observer::note_foreign_write(const ObservedAccess& access) {
  const ShadowCells cells = shared_.from((access.base - kSharedWindow) >> granule_shift_);
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      std::uint32_t& tick = cells.write_tick[span.first + g];
      if (tick <= clock_.block_start()) tick = written_before_;
    }
}

void Observer::arrive_at_cluster_barrier(const Warp& warp, bool is_relaxed) {
  SyncPoint& barrier = own_->cluster->blocks.front()->observer->cluster_arriving_;
  barrier.of(own_->rank);  // an entry for this block: all blocks of the cluster then know that it runs
  if (is_relaxed && !fenced_mbarriers_) return;
  cluster_clock_.arrive(warp.index, barrier);
  if (launch_->cluster.volume() == 1) return;
  clock_.fence(warp.index, Scope::kGrid);  // its global memory accesses are visible to the other blocks, too
  clock_.hand_over(Scope::kGrid);
  if (launch_->checks.grid_races) launch_->checks.grid_races->hand_over(block_, clock_.fences_handed_over());
}

void Observer::open_cluster_barrier() { cluster_complete_ = std::exchange(cluster_arriving_, {}); }

void Observer::pass_cluster_barrier(const Warp& warp) {
  cluster_clock_.pass(warp.index, own_->cluster->blocks.front()->observer->cluster_complete_);
  if (launch_->cluster.volume() > 1) clock_.take_over(warp.index, Scope::kGrid);
}

// ---- mbarriers ---------------------------------------------------------------------------------------
void Observer::initialise_mbarrier(const Inst* inst, const Warp& warp, int lane, Block& owner,
                                   std::uint64_t offset) {
  owner.observer->mbarriers_.initialise(inst, warp, lane, offset, cluster_clock_, clock_);
}

void Observer::use_mbarrier(const Inst* inst, const Warp& warp, int lane, Block& owner,
                            std::uint64_t offset) {
  if (check_races_) owner.observer->mbarriers_.use(inst, warp, lane, offset, cluster_clock_, log_);
}

void Observer::arrive_at_mbarrier(const Warp& warp, Block& owner, std::uint64_t offset) {
  owner.observer->mbarriers_.arrive(warp, offset, cluster_clock_);
}

void Observer::pass_mbarrier(const Warp& warp, Block& owner, std::uint64_t offset) {
  owner.observer->mbarriers_.pass(warp, offset, cluster_clock_);
}

// ---- bulk copies -------------------------------------------------------------------------------------
ObservedAccess Observer::access_of_span(const Inst* inst, Warp& warp, const SiteInfo& info, int lane,
                                        std::uint64_t address, std::size_t bytes, AccessMode mode) {
  lane_pattern_.active = 1u << lane;
  lane_pattern_.low = 0;
  lane_pattern_.high = lane_pattern_.distinct_bytes = static_cast<std::uint32_t>(bytes);
  make_footprint(lane_footprint_, lane_pattern_, static_cast<int>(bytes), granule_shift_);
  return {inst, &warp, &info, &lane_pattern_, &lane_footprint_, mode, address, nullptr, granule_shift_, 0};
}

void Observer::observe_span(const Inst* inst, Warp& warp, const SiteInfo& info, int lane,
                            std::uint64_t address, std::size_t bytes, AccessMode mode) {
  if (recorder_) recorder_->add_unknown();
  SiteInfo whole = info;
  whole.bytes_per_lane = static_cast<int>(bytes);
  ObservedAccess access = access_of_span(inst, warp, whole, lane, address, bytes, mode);
  dispatch(access, nullptr);
}

void Observer::check_proxy_fence(const Inst* inst, Warp& warp, const SiteInfo& info, int lane,
                                 std::uint64_t address, std::size_t bytes) {
  if (!check_races_ || address - kSharedWindow >= kRankBytes) return;
  ObservedAccess access = access_of_span(inst, warp, info, lane, address, bytes, AccessMode::kRead);
  access.record = record_of(access);
  shared_races_.check_proxy_fence(access, shared_.from((address - kSharedWindow) >> granule_shift_),
                                  std::max(clock_.block_start(), written_before_));
}

// Races with the copy were checked while it was in flight. From now on it counts as written by the issuing
// thread: other threads must wait for the copy, or for that thread.
void Observer::land(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                    std::size_t bytes) {
  ObservedAccess access = access_of_span(inst, warp, info, lane, address, bytes, AccessMode::kWrite);
  access.record = record_of(access);
  shared_races_.remember_write(access, shared_.from((address - kSharedWindow) >> granule_shift_));
  if (cluster_races_) cluster_races_->remember_landing(access, own_->rank, clock_);
  clock_.write_by_proxy(warp.index);
}

// ---- global memory -----------------------------------------------------------------------------------
void Observer::observe_global(const ObservedAccess& access, Allocation& allocation) {
  LaunchChecks& checks = launch_->checks;
  if (launch_->for_children) launch_->for_children->note(access, block_, clock_.now(access.warp->index));
  if (launch_->birth && check_races_) launch_->birth->parent->check(access, launch_->birth->moment, log_);
  if (launch_->siblings && check_races_)
    launch_->siblings->observe(access, launch_->number_in_family, clock_.now(access.warp->index), log_);
  if (checks.suspicion) {
    const std::uint64_t thread =
        std::uint64_t{block_} * launch_->request->spec.block.volume() + access.warp->index * kWarpSize;
    checks.suspicion->observe(access, allocation, thread);
  }
  if (check_memory_ && allocation.written) {
    const std::size_t first = access.base - allocation.base;
    if (access.reads()) uninitialised_.check_global(access, allocation.written, first);
    // Atomics do not count as writing: their result on an unwritten value is still undefined, whichever block
    // comes first.
    if (access.mode == AccessMode::kWrite)
      for (const Footprint::Span& span : access.footprint->spans)
        allocation.written.set(first + static_cast<std::size_t>(access.offset(span)), access.bytes(span));
  }
  if (!checks.grid_races) return;
  checks.grid_races->observe(access, allocation, block_, clock_, log_);
  observe_lines(access);
  if (access.synchronises()) synchronise(access);
}

LaunchMoment Observer::launch_moment(const Warp& warp) {
  LaunchMoment moment{.block = block_,
                      .warp = warp.index,
                      .has_taken_over = clock_.has_taken_over(),
                      .settled = clock_.settled()};
  clock_.contribute(warp.index, moment.seen);
  return moment;
}

template <class Visit>
void Observer::for_each_line(const ObservedAccess& access, Visit visit) {
  for (const Footprint::Span& span : access.footprint->spans) {
    const std::uint64_t first = (access.base >> granule_shift_) + static_cast<std::uint64_t>(span.first);
    for (std::uint32_t done = 0; done < span.count;) {
      const std::uint32_t in_line = (first + done) & (lines_.granules_per_line() - 1);
      const std::uint32_t count = std::min(span.count - done, lines_.granules_per_line() - in_line);
      const ShadowCells cells = lines_.line((first + done) << granule_shift_).from(in_line);
      visit(SpanPart{&span, done, count, cells});
      done += count;
    }
  }
}

void Observer::observe_lines(const ObservedAccess& access) {
  if (access.footprint->overlaps) global_races_.check_overlap(access);
  for_each_line(access, [&](const SpanPart& part) { global_races_.check(access, part); });
  for_each_line(access, [&](const SpanPart& part) { global_races_.remember(access, part); });
}

void Observer::enter_function(const Warp& warp, std::uint32_t lanes, std::size_t local_base,
                              std::size_t local_bytes) {
  if (check_memory_) local_.forget(warp, lanes, local_base, local_bytes);
}

void observe_access(const Inst* inst, Warp& warp, const SiteState& site, const Pattern& pattern,
                    std::uint64_t base, AccessMode mode) {
  warp.block->observer->observe(inst, warp, site, pattern, base, mode);
}

void observe_texels(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern,
                    std::uint64_t base) {
  warp.block->observer->observe_texels(inst, warp, info, pattern, base);
}

void observe_fetch(const Inst* inst, const Warp& warp, const BoundTexels& texels, std::array<double, 3> at) {
  warp.block->observer->observe_fetch(inst, warp, texels, at);
}

void observe_lane(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                  AccessMode mode) {
  warp.block->observer->observe_lane(inst, warp, info, lane, address, mode);
}

}  // namespace cudalab::vgpu
