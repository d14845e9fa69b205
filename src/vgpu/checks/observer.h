// Shows what a block's warps do with memory, barriers and fences to the checks that are on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/block_races.h"
#include "vgpu/checks/child_races.h"
#include "vgpu/checks/cluster_races.h"
#include "vgpu/checks/grid_races.h"
#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/shadow.h"
#include "vgpu/checks/undefined_values.h"
#include "vgpu/counters/recorder.h"

namespace cudalab::vgpu {

// The narrowest access of a program decides what the race checks tell apart: log2 of 1, 2 or 4 bytes.
int granule_shift_of(const Program& program);

class Observer {
 public:
  // `recorder`: is shown all accesses and paths, too; null: nobody wants to see them.
  Observer(Launch& launch, Block& block, Recorder* recorder);

  void start_block(std::uint64_t linear_block);
  // All lanes of an access in one memory, or one lane. Before the data moves.
  void observe(const Inst* inst, Warp& warp, const SiteState& site, const Pattern& pattern,
               std::uint64_t base, AccessMode mode);
  void observe_unrecorded(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern,
                          std::uint64_t base, AccessMode mode, Allocation* known);
  void observe_lane(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                    AccessMode mode);

  void arrive(const Warp& warp, int barrier) { clock_.arrive(warp.index, barrier); }
  void pass(const Warp& warp, int barrier) { clock_.pass(warp.index, barrier); }
  void open(int barrier) { clock_.clear(barrier); }  // after pass
  void everybody_passed() { clock_.everybody_passed(); }
  void order_lanes(const Warp& warp) { clock_.order_lanes(warp.index); }
  void fence(const Warp& warp, Scope scope);
  void fence_proxy(const Warp& warp) { clock_.fence_proxy(warp.index); }
  void follow(const ValueStep& step, const Inst* inst, Warp& warp) {
    if (check_memory_) undefined_.follow(step, inst, warp);
    if (recorder_ && step.kind == ValueStep::Kind::kShuffle) recorder_->add_shuffle(inst, step, warp);
  }
  void note_question(const LaneQuestion& question, const Inst* inst, const Warp& warp) {
    if (recorder_) recorder_->add_answers(inst, question, warp);
  }

  // The barrier of the cluster. The block of rank 0 keeps what is handed over there. A relaxed arrival hands
  // over nothing but, after fence.mbarrier_init, what that is for; here, then, everything.
  void arrive_at_cluster_barrier(const Warp& warp, bool is_relaxed);
  void fence_mbarrier_init() { fenced_mbarriers_ = true; }
  void open_cluster_barrier();
  void pass_cluster_barrier(const Warp& warp);

  // mbarriers, in the shared memory of any block of the cluster; complete_phase: of this one.
  void initialise_mbarrier(const Inst* inst, const Warp& warp, int lane, Block& owner, std::uint64_t offset);
  void use_mbarrier(const Inst* inst, const Warp& warp, int lane, Block& owner, std::uint64_t offset);
  void arrive_at_mbarrier(const Warp& warp, Block& owner, std::uint64_t offset);
  void complete_phase(std::uint64_t offset) { mbarriers_.complete_phase(offset); }
  void pass_mbarrier(const Warp& warp, Block& owner, std::uint64_t offset);

  // Bulk copies: a lane touches a span of memory; a copy arrives, on behalf of the lane that asked for it.
  void observe_span(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                    std::size_t bytes, AccessMode mode);
  // The source of a bulk copy, in this block's shared memory: what stores wrote there must be fenced.
  void check_proxy_fence(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                         std::size_t bytes);
  void land(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
            std::size_t bytes);
  BulkWatch& bulk_watch() { return bulk_watch_; }

  // A warp issues cp.async: at which tick of its block.
  std::uint32_t issue_copy(const Warp& warp) {
    has_async_copies_ = true;
    return clock_.now(warp.index);
  }

  // A warp launches a kernel.
  LaunchMoment launch_moment(const Warp& warp);

  // Other lanes of a warp go on from here.
  void take_path(const Inst* from, const Warp& warp) {
    if (recorder_) recorder_->take_path(from, warp);
  }

  void enter_function(const Warp& warp, std::uint32_t lanes, std::size_t local_base, std::size_t local_bytes);

  // What takes longer than the instruction that asks for it, in steps of a budget (core/work_budget.h);
  // and what came together since this was last asked.
  void add_effort(std::uint64_t steps) { effort_ += steps; }
  std::uint64_t take_effort() { return std::exchange(effort_, 0); }

 private:
  void dispatch(ObservedAccess& access, Allocation* known);  // perhaps the one
  void observe_local(const ObservedAccess& access);
  ObservedAccess access_of_span(const Inst* inst, Warp& warp, const SiteInfo& info, int lane,
                                std::uint64_t address, std::size_t bytes, AccessMode mode);
  void observe_shared(const ObservedAccess& access);
  void observe_cluster(ObservedAccess& access);
  void observe_other_block(const ObservedAccess& access, Block& owner);
  void report_unheard_of(const ObservedAccess& access, const Block& owner);
  void note_foreign_write(const ObservedAccess& access);
  void observe_shared_read(const ObservedAccess& access, const ShadowCells& cells);
  void observe_shared_write(const ObservedAccess& access, const ShadowCells& cells);
  void check_shared_races(const ObservedAccess& access, const ShadowCells& cells);
  void observe_global(const ObservedAccess& access, Allocation& allocation);
  void observe_lines(const ObservedAccess& access);
  template <class Visit>
  void for_each_line(const ObservedAccess& access, Visit visit);
  void synchronise(const ObservedAccess& access);

  Launch* launch_;
  Block* own_;
  Recorder* recorder_;
  bool check_memory_, check_races_;
  int granule_shift_;
  std::uint32_t block_ = 0;
  HazardLog log_;
  BlockClock clock_;
  UninitialisedReads uninitialised_;
  UndefinedValues undefined_;
  LocalWrites local_;
  ShadowTable shared_table_;
  ShadowCells shared_;
  LineShadow lines_;
  ClusterClock cluster_clock_;
  SyncPoint cluster_arriving_, cluster_complete_;
  MbarrierOrder mbarriers_;
  BulkWatch bulk_watch_;
  std::optional<ClusterRaces> cluster_races_;  // where there are clusters, and races are looked for
  bool fenced_mbarriers_ = false;
  bool has_async_copies_ = false;
  std::uint64_t effort_ = 0;
  std::uint32_t written_before_ = 0;  // a tick of this block at which nothing but foreign writes took place
  BlockRaces shared_races_, global_races_;
  Pattern lane_pattern_;  // of observe_lane
  Footprint lane_footprint_;
};

}  // namespace cudalab::vgpu
