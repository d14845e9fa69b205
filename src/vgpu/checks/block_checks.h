// Checks what the warps of a block do: looks for races, reads of unwritten memory, and undefined values.
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

namespace cudalab::vgpu {

// The narrowest access of a program decides what the race checks tell apart: log2 of 1, 2 or 4 bytes.
int granule_shift_of(const Program& program);

// The instrument of all checks (instrumentation.h).
class BlockChecks {
 public:
  BlockChecks(Launch& launch, Block& block);

  void on(const BlockStart& event);
  void on(const WholeAccess& event);
  void on(const LaneAccess& event);
  void on(const BulkAccess& event);
  void on(const TexelReads& event);
  void on(const BarrierArrival& event) { clock_.arrive(event.warp.index, event.barrier); }
  void on(const BarrierOpening& event);
  void on(const Fence& event);
  void on(const ClusterArrival& event);
  void on(const ClusterOpening&) { cluster_complete_ = std::exchange(cluster_arriving_, {}); }
  void on(const ClusterPass& event);
  void on(const MbarrierUse& event);
  void on(const MbarrierPhase& event) { mbarriers_.complete_phase(event.offset); }
  void on(const CopyIssue& event);
  void on(const BulkIssue& event);
  void on(const BulkReadEnd& event) { bulk_watch_.end_reading(event.copy.number); }
  void on(const BulkLanding& event);
  void on(const ValueFlow& event);
  void on(const FunctionEntry& event);
  void on(const KernelLaunch& event);

 private:
  class Texels;
  void observe(const Inst* inst, Warp& warp, const SiteInfo& info, const Pattern& pattern, std::uint64_t base,
               AccessMode mode, Allocation* known);
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
  void check_proxy_fence(const BulkAccess& source);

  Launch* launch_;
  Block* own_;
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
  SyncPoint cluster_arriving_, cluster_complete_;  // of the cluster's barrier; kept by the block of rank 0
  MbarrierOrder mbarriers_;
  BulkWatch bulk_watch_;
  std::optional<ClusterRaces> cluster_races_;  // where there are clusters, and races are looked for
  bool fenced_mbarriers_ = false;
  bool has_async_copies_ = false;
  std::uint32_t written_before_ = 0;  // a tick of this block at which nothing but foreign writes took place
  BlockRaces shared_races_, global_races_;
  Pattern lane_pattern_;  // of access_of_span
  Footprint lane_footprint_;
};

}  // namespace cudalab::vgpu
