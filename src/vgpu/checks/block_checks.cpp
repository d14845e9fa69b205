#include "vgpu/checks/block_checks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "messages/vgpu.h"
#include "vgpu/checks/child_races.h"
#include "vgpu/counters/patterns.h"
#include "vgpu/memory/texture_table.h"

namespace cudalab::vgpu {

int granule_shift_of(const Program& program) {
  unsigned narrowest = 4;
  for (const SiteInfo& site : program.sites)
    narrowest = std::min(narrowest, static_cast<unsigned>(std::max(site.bytes_per_lane, 1)));
  return std::countr_zero(std::bit_floor(narrowest));
}

namespace {

std::size_t local_shadow_bytes(const Launch& launch) {
  return launch.request->options.checks_memory() ? launch.code->local_bytes : 0;
}

}  // namespace

BlockChecks::BlockChecks(Launch& launch, Block& block)
    : launch_(&launch),
      own_(&block),
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

void BlockChecks::on(const BlockStart&) {
  block_ = static_cast<std::uint32_t>(linear_index(launch_->request->spec.grid, own_->index));
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
  // The reserved part is as if written before the block began.
  written_before_ = clock_.now(0);
  std::fill_n(shared_.write_tick + (launch_->reserved_shared_base >> granule_shift_),
              launch_->reserved_shared_bytes >> granule_shift_, written_before_);
  clock_.everybody_passed();
}

void BlockChecks::on(const WholeAccess& event) {
  observe(event.inst, event.warp, *event.site.info, event.pattern, event.base, event.mode,
          event.site.allocation);
}

void BlockChecks::observe(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern,
                          std::uint64_t base, AccessMode mode, Allocation* known) {
  const bool is_local = base - kLocalWindow < kWindowBytes;  // nobody shares it: no check asks for granules
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

void BlockChecks::on(const LaneAccess& event) {
  ObservedAccess access = access_of_span(event.inst, event.warp, event.info, event.lane, event.address,
                                         static_cast<std::size_t>(event.info.bytes_per_lane), event.mode);
  dispatch(access, nullptr);
}

// Shows what a warp reads of textures, in whole granules: the first texel of each lane together, then the
// second of each, and so on.
class BlockChecks::Texels {
 public:
  Texels(BlockChecks& checks, const TexelReads& event) : checks_(checks), event_(event) {}

  void add(const TexelRead& read) {
    if (read.texels != texels_) begin(*read.texels);
    const std::uint64_t address = (texels_->address + read.offset) & ~(granule_bytes() - 1);
    if (address + static_cast<std::uint64_t>(info_.bytes_per_lane) > read.memory->end()) return;
    taps_[read.tap].lanes |= 1u << read.lane;
    taps_[read.tap].address[read.lane] = address;
  }
  void end() {
    for (LanesOfTap& tap : taps_)
      if (const std::uint32_t lanes = std::exchange(tap.lanes, 0)) show(tap.address, lanes);
  }

 private:
  struct LanesOfTap {
    std::uint32_t lanes = 0;
    LaneAddresses address;
  };
  std::uint64_t granule_bytes() const { return 1ull << checks_.granule_shift_; }
  SiteState& site() const { return event_.warp.sites[event_.inst->site]; }

  void begin(const BoundTexels& texels) {
    end();
    texels_ = &texels;
    info_ = *site().info;
    info_.bytes_per_lane =
        static_cast<int>(std::max<std::uint64_t>(granule_bytes(), texels.grid.format.bytes()));
  }
  void show(const LaneAddresses& addresses, std::uint32_t lanes) {
    checks_.observe(event_.inst, event_.warp, info_,
                    shape_of_access(site(), addresses, lanes, info_.bytes_per_lane),
                    addresses[static_cast<std::size_t>(std::countr_zero(lanes))], AccessMode::kRead, nullptr);
  }

  BlockChecks& checks_;
  const TexelReads& event_;
  const BoundTexels* texels_ = nullptr;
  SiteInfo info_;
  std::array<LanesOfTap, std::tuple_size_v<decltype(Taps::tap)>> taps_;
};

void BlockChecks::on(const TexelReads& event) {
  Texels texels(*this, event);
  for (const TexelRead& read : event.reads) texels.add(read);
  texels.end();
}

namespace {

// As many warp instructions take the time of looking at an access, at each piece of a scattered one, and at
// each lane where blocks may meet in global memory: there they are looked at one by one.
constexpr std::uint64_t kStepsOfAnAccess = 8, kStepsOfASpan = 8, kStepsOfALane = 32;

// The accessing thread (the lane is added), and how and where it accesses.
std::uint32_t record_of(const ObservedAccess& access) {
  const SiteInfo& info = *access.info;
  return (access.warp->index * kWarpSize) << kThreadShift |
         (info.is_atomic || access.mode == AccessMode::kReadWrite ? kAtomic : 0) |
         (info.volatile_or_atomic ? kStrong : 0) |
         (access.inst->source <= kLineMask ? access.inst->source : 0);
}

}  // namespace

void BlockChecks::dispatch(ObservedAccess& access, Allocation* known) {
  const Warp& warp = *access.warp;
  access.record = record_of(access);
  own_->effort += kStepsOfAnAccess + kStepsOfASpan * (access.footprint ? access.footprint->spans.size() : 1);
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
      own_->effort += kStepsOfALane * static_cast<std::uint64_t>(std::popcount(access.pattern->active));
    access.host = allocation->host.get() + (access.base - allocation->base);
    if (access.writes() && warp.holds_undefined) undefined_.stored(access);
    observe_global(access, *allocation);
  }
}

// ---- local memory ------------------------------------------------------------------------------------
void BlockChecks::observe_local(const ObservedAccess& access) {
  local_.observe(access);
  if (access.writes()) undefined_.define_local(access);
  if (access.writes() && access.warp->holds_undefined) local_.take_back(access, undefined_.stored(access));
}

// ---- shared memory -----------------------------------------------------------------------------------
void BlockChecks::observe_shared(const ObservedAccess& access) {
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

// Most reads are of what the block wrote before its last barrier, and a look at the ticks of those writes is
// enough.
void BlockChecks::observe_shared_read(const ObservedAccess& access, const ShadowCells& cells) {
  const TickRange expected{check_memory_ ? clock_.block_start() + 1 : 0, clock_.settled()};
  if (check_races_ && shared_races_.remember_read(access, cells, expected)) return;
  if (check_memory_) uninitialised_.check_shared(access, cells.write_tick, clock_.block_start());
  if (check_races_) check_shared_races(access, cells);
}

void BlockChecks::observe_shared_write(const ObservedAccess& access, const ShadowCells& cells) {
  if (check_memory_ && access.reads())
    uninitialised_.check_shared(access, cells.write_tick, clock_.block_start());
  const bool is_quiet =
      !check_races_ || (!access.footprint->overlaps && shared_races_.is_first_touch(access, cells));
  if (!is_quiet) check_shared_races(access, cells);
  shared_races_.remember_write(access, cells);
}

void BlockChecks::check_shared_races(const ObservedAccess& access, const ShadowCells& cells) {
  if (access.footprint->overlaps) shared_races_.check_overlap(access);
  for (const Footprint::Span& span : access.footprint->spans)
    shared_races_.check(access,
                        SpanPart{&span, 0, span.count, cells.from(static_cast<std::size_t>(span.first))});
}

// Where all threads of the block that run wait, everything is ordered. A thread that came to bar.arrive and
// ended is none of them: what it did after that is ordered by nothing.
void BlockChecks::on(const BarrierOpening& event) {
  const auto here = [&](const Path& path) { return path.waits_at(event.barrier); };
  std::uint32_t waiting = 0;
  for (const Warp& warp : own_->warps)
    for (const Path& path : warp.parked)
      if (here(path)) waiting += static_cast<std::uint32_t>(std::popcount(path.mask));
  if (event.expected == 0 || waiting == launch_->request->spec.block.volume())
    clock_.everybody_passed();
  else
    for (const Warp& warp : own_->warps)
      if (std::ranges::any_of(warp.parked, here)) clock_.pass(warp.index, event.barrier);
  clock_.clear(event.barrier);
}

void BlockChecks::on(const Fence& event) {
  const std::uint32_t warp = event.warp.index;
  switch (event.kind) {
    case Fence::kGrid: return clock_.fence(warp, Scope::kGrid);
    case Fence::kBlock:
      clock_.fence(warp, Scope::kBlock);
      if (launch_->checks.grid_races) launch_->checks.grid_races->fence_of_block();
      return;
    case Fence::kLanes: return clock_.order_lanes(warp);
    case Fence::kProxy: return clock_.fence_proxy(warp);
    case Fence::kMbarrierInit: fenced_mbarriers_ = true;
  }
}

void BlockChecks::synchronise(const ObservedAccess& access) {
  if (access.reads()) clock_.take_over(access.warp->index, access.scope());
  if (!access.writes()) return;
  if (access.info->releases) clock_.fence(access.warp->index, access.scope());
  clock_.hand_over(access.scope());
  if (launch_->checks.grid_races && clock_.fences_handed_over())
    launch_->checks.grid_races->hand_over(block_, clock_.fences_handed_over());
}

// ---- clusters ----------------------------------------------------------------------------------------
// An address with a rank: perhaps this block's own.
void BlockChecks::observe_cluster(ObservedAccess& access) {
  const std::uint64_t offset = access.base - kSharedWindow;
  Block& owner = *own_->cluster->blocks[offset / kRankBytes - 1];
  access.base = kSharedWindow + offset % kRankBytes;
  access.host = owner.shared.get() + offset % kRankBytes;
  if (&owner == own_) return observe_shared(access);
  observe_other_block(access, owner);
}

void BlockChecks::observe_other_block(const ObservedAccess& access, Block& owner) {
  BlockChecks& theirs = *owner.instruments.checks;
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

void BlockChecks::report_unheard_of(const ObservedAccess& access, const Block& owner) {
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

// Written, but by no thread of this block: its own races are looked for elsewhere.
void BlockChecks::note_foreign_write(const ObservedAccess& access) {
  const ShadowCells cells = shared_.from((access.base - kSharedWindow) >> granule_shift_);
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      std::uint32_t& tick = cells.write_tick[span.first + g];
      if (tick <= clock_.block_start()) tick = written_before_;
    }
}

// A relaxed arrival hands over nothing but, after fence.mbarrier_init, what that is for; here, then,
// everything.
void BlockChecks::on(const ClusterArrival& event) {
  SyncPoint& barrier = own_->cluster->blocks.front()->instruments.checks->cluster_arriving_;
  barrier.of(own_->rank);  // that the block runs, the others know in any case
  if (event.is_relaxed && !fenced_mbarriers_) return;
  cluster_clock_.arrive(event.warp.index, barrier);
  if (launch_->cluster.volume() == 1) return;
  clock_.fence(event.warp.index, Scope::kGrid);  // what it did in global memory, the other blocks see too
  clock_.hand_over(Scope::kGrid);
  if (launch_->checks.grid_races) launch_->checks.grid_races->hand_over(block_, clock_.fences_handed_over());
}

void BlockChecks::on(const ClusterPass& event) {
  cluster_clock_.pass(event.warp.index, own_->cluster->blocks.front()->instruments.checks->cluster_complete_);
  if (launch_->cluster.volume() > 1) clock_.take_over(event.warp.index, Scope::kGrid);
}

void BlockChecks::on(const MbarrierUse& event) {
  const auto& [kind, inst, warp, lane, owner, offset] = event;
  MbarrierOrder& order = owner.instruments.checks->mbarriers_;
  switch (kind) {
    case MbarrierUse::Kind::kInitialise:
      return order.initialise(inst, warp, lane, offset, cluster_clock_, clock_);
    case MbarrierUse::Kind::kUse:
      if (check_races_) order.use(inst, warp, lane, offset, cluster_clock_, log_);
      return;
    case MbarrierUse::Kind::kArrive: return order.arrive(warp, offset, cluster_clock_);
    case MbarrierUse::Kind::kPass: return order.pass(warp, offset, cluster_clock_);
  }
}

// ---- copies ------------------------------------------------------------------------------------------
ObservedAccess BlockChecks::access_of_span(const Inst* inst, Warp& warp, const SiteInfo& info, int lane,
                                           std::uint64_t address, std::size_t bytes, AccessMode mode) {
  lane_pattern_.active = 1u << lane;
  lane_pattern_.low = 0;
  lane_pattern_.high = lane_pattern_.distinct_bytes = static_cast<std::uint32_t>(bytes);
  make_footprint(lane_footprint_, lane_pattern_, static_cast<int>(bytes), granule_shift_);
  return {inst, &warp, &info, &lane_pattern_, &lane_footprint_, mode, address, nullptr, granule_shift_, 0};
}

void BlockChecks::on(const BulkAccess& event) {
  SiteInfo whole = event.info;
  whole.bytes_per_lane = static_cast<int>(event.bytes);
  ObservedAccess access =
      access_of_span(event.inst, event.warp, whole, event.lane, event.address, event.bytes, event.mode);
  dispatch(access, nullptr);
  if (event.mode == AccessMode::kRead) check_proxy_fence(event);
}

// Of a source in this block's shared memory: what stores wrote there must be fenced.
void BlockChecks::check_proxy_fence(const BulkAccess& source) {
  if (!check_races_ || source.address - kSharedWindow >= kRankBytes) return;
  ObservedAccess access = access_of_span(source.inst, source.warp, source.info, source.lane, source.address,
                                         source.bytes, AccessMode::kRead);
  access.record = record_of(access);
  shared_races_.check_proxy_fence(access, shared_.from((source.address - kSharedWindow) >> granule_shift_),
                                  std::max(clock_.block_start(), written_before_));
}

void BlockChecks::on(const CopyIssue& event) {
  has_async_copies_ = true;
  event.copy.tick = clock_.now(event.warp.index);
}

void BlockChecks::on(const BulkIssue& event) {
  const BulkCopy& copy = event.copy;
  bulk_watch_.begin({.number = copy.number,
                     .inst = copy.inst,
                     .to = copy.to,
                     .from = event.is_own ? copy.from : 0,
                     .bytes = copy.data.size(),
                     .is_reduction = event.is_reduction});
}

// What could race with the copy has been looked at while it was on its way. From now on it counts as written
// by who asked for it: others must wait too, or for that thread.
void BlockChecks::on(const BulkLanding& event) {
  bulk_watch_.end(event.copy.number);
  if (!event.destination) return;
  ObservedAccess access = access_of_span(event.copy.inst, event.by, *event.destination, event.lane,
                                         event.copy.to, event.copy.data.size(), AccessMode::kWrite);
  access.record = record_of(access);
  shared_races_.remember_write(access, shared_.from((event.copy.to - kSharedWindow) >> granule_shift_));
  if (cluster_races_) cluster_races_->remember_landing(access, own_->rank, clock_);
  clock_.write_by_proxy(event.by.index);
}

// ---- global memory -----------------------------------------------------------------------------------
void BlockChecks::observe_global(const ObservedAccess& access, Allocation& allocation) {
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
    // Not by atomics: what becomes of a value that nobody wrote is as unwritten, whichever block comes first.
    if (access.mode == AccessMode::kWrite)
      for (const Footprint::Span& span : access.footprint->spans)
        allocation.written.set(first + static_cast<std::size_t>(access.offset(span)), access.bytes(span));
  }
  if (!checks.grid_races) return;
  checks.grid_races->observe(access, allocation, block_, clock_, log_);
  observe_lines(access);
  if (access.synchronises()) synchronise(access);
}

void BlockChecks::on(const KernelLaunch& event) {
  event.moment = {.block = block_,
                  .warp = event.warp.index,
                  .has_taken_over = clock_.has_taken_over(),
                  .settled = clock_.settled()};
  clock_.contribute(event.warp.index, event.moment.seen);
}

template <class Visit>
void BlockChecks::for_each_line(const ObservedAccess& access, Visit visit) {
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

void BlockChecks::observe_lines(const ObservedAccess& access) {
  if (access.footprint->overlaps) global_races_.check_overlap(access);
  for_each_line(access, [&](const SpanPart& part) { global_races_.check(access, part); });
  for_each_line(access, [&](const SpanPart& part) { global_races_.remember(access, part); });
}

// ---- values ------------------------------------------------------------------------------------------
void BlockChecks::on(const ValueFlow& event) {
  if (check_memory_) undefined_.follow(event.step, event.inst, event.warp);
}

void BlockChecks::on(const FunctionEntry& event) {
  if (check_memory_) local_.forget(event.warp, event.warp.active, event.local_base, event.local_bytes);
}

}  // namespace cudalab::vgpu
