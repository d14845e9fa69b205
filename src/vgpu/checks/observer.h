// Forwards a block's memory accesses, barriers and fences to the enabled checks.
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

// Granule of the race checks: log2 of the program's narrowest access size, which is 1, 2 or 4 bytes.
int granule_shift_of(const Program& program);

class Observer {
 public:
  // `recorder` receives all accesses and paths, too; it may be null.
  Observer(Launch& launch, Block& block, Recorder* recorder);

  void start_block(std::uint64_t linear_block);
  // Reports all lanes of an access in one memory space, or one lane. Call before the data moves.
  void observe(const Inst* inst, Warp& warp, const SiteState& site, const Pattern& pattern,
               std::uint64_t base, AccessMode mode);
  // Reports texels that a warp fetches, which the recorder counts elsewhere.
  void observe_texels(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern,
                      std::uint64_t base);
  void observe_fetch(const Inst* inst, const Warp& warp, const BoundTexels& texels,
                     std::array<double, 3> at) {
    if (recorder_) recorder_->add_fetch(inst, warp, texels, at);
  }
  void observe_lane(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                    AccessMode mode);

  void arrive(const Warp& warp, int barrier) { clock_.arrive(warp.index, barrier); }
  void pass(const Warp& warp, int barrier) { clock_.pass(warp.index, barrier); }
  void open(int barrier) { clock_.clear(barrier); }  // call after pass()
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

  // The cluster barrier. Its synchronization data is stored in the block of rank 0. A relaxed arrival
  // publishes nothing, except after fence.mbarrier_init, which in PTX publishes initialized mbarriers; here
  // it publishes everything.
  void arrive_at_cluster_barrier(const Warp& warp, bool is_relaxed);
  void fence_mbarrier_init() { fenced_mbarriers_ = true; }
  void open_cluster_barrier();
  void pass_cluster_barrier(const Warp& warp);

  // mbarriers in the shared memory of any block of the cluster; complete_phase(): of this block.
  void initialise_mbarrier(const Inst* inst, const Warp& warp, int lane, Block& owner, std::uint64_t offset);
  void use_mbarrier(const Inst* inst, const Warp& warp, int lane, Block& owner, std::uint64_t offset);
  void arrive_at_mbarrier(const Warp& warp, Block& owner, std::uint64_t offset);
  void complete_phase(std::uint64_t offset) { mbarriers_.complete_phase(offset); }
  void pass_mbarrier(const Warp& warp, Block& owner, std::uint64_t offset);

  // Bulk copies. observe_span(): a lane accesses a span of memory; land(): a copy arrives, on behalf of the
  // issuing lane.
  void observe_span(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                    std::size_t bytes, AccessMode mode);
  // Checks the source of a bulk copy in this block's shared memory: stores to it need a proxy fence.
  void check_proxy_fence(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                         std::size_t bytes);
  void land(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
            std::size_t bytes);
  BulkWatch& bulk_watch() { return bulk_watch_; }

  // A warp issues cp.async. Returns the tick of its block.
  std::uint32_t issue_copy(const Warp& warp) {
    has_async_copies_ = true;
    return clock_.now(warp.index);
  }

  // A warp launches a kernel.
  LaunchMoment launch_moment(const Warp& warp);

  // Other lanes of a warp continue here.
  void take_path(const Inst* from, const Warp& warp) {
    if (recorder_) recorder_->take_path(from, warp);
  }

  void enter_function(const Warp& warp, std::uint32_t lanes, std::size_t local_base, std::size_t local_bytes);

  // Work of the checks beyond the observed instruction itself, in work budget steps (core/work_budget.h).
  // take_effort() returns the sum since its last call.
  void add_effort(std::uint64_t steps) { effort_ += steps; }
  std::uint64_t take_effort() { return std::exchange(effort_, 0); }

 private:
  void observe_unrecorded(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern,
                          std::uint64_t base, AccessMode mode, Allocation* known);
  void dispatch(ObservedAccess& access, Allocation* known);  // `known`: possibly the accessed allocation
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
  std::optional<ClusterRaces> cluster_races_;  // for launches with clusters, if race checks are enabled
  bool fenced_mbarriers_ = false;
  bool has_async_copies_ = false;
  std::uint64_t effort_ = 0;
  std::uint32_t written_before_ = 0;  // a tick of this block at which only writes by other blocks took place
  BlockRaces shared_races_, global_races_;
  Pattern lane_pattern_;  // for observe_lane()
  Footprint lane_footprint_;
};

}  // namespace cudalab::vgpu
