// Finds races within a cluster and with asynchronous copies, ordered by cluster barriers and mbarriers.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/hazard_log.h"

namespace cudalab::vgpu {

// The order made by the mbarriers of a block: arrivals happen before the end of a wait, and initialization
// happens before every use.

class MbarrierOrder {
 public:
  void start_block() { objects_.clear(); }
  // An mbarrier is identified by its offset in shared memory. The clocks are those of the acting warp's
  // block.
  void initialise(const Inst* inst, const Warp& warp, int lane, std::uint64_t offset,
                  const ClusterClock& clock, const BlockClock& own);
  // Reports a use that the initialization does not happen before.
  void use(const Inst* inst, const Warp& warp, int lane, std::uint64_t offset, const ClusterClock& clock,
           HazardLog& log) const;
  void arrive(const Warp& warp, std::uint64_t offset, ClusterClock& clock);
  void complete_phase(std::uint64_t offset);
  void pass(const Warp& warp, std::uint64_t offset, ClusterClock& clock) const;

 private:
  struct Object {
    std::uint32_t thread = 0, rank = 0, tick = 0, line = 0;  // of its initialization
    SyncPoint arriving, complete;  // of the current phase, and of the latest completed phase
  };
  std::unordered_map<std::uint64_t, Object> objects_;
};

// A block's asynchronous copies that are still in flight. Reading or writing the destination of a bulk copy,
// or writing its source, is a race. So is using the data of a cp.async that the same thread, or a thread
// ordered before it, issued and has not waited for.

class BulkWatch {
 public:
  struct Copy {
    std::uint64_t number = 0;
    const Inst* inst = nullptr;
    std::uint64_t to = 0, from = 0;  // generic addresses; `from` is 0 if the source need not be checked
    std::uint64_t bytes = 0;
    bool is_reduction = false;
  };
  void start_block() { in_flight_.clear(); }
  void begin(const Copy& copy) { in_flight_.push_back(copy); }
  void end_reading(std::uint64_t number);  // the copy has finished reading its source
  void end(std::uint64_t number);
  void check(const ObservedAccess& access, HazardLog& log) const {
    if (!in_flight_.empty()) [[unlikely]]
      check_each(access, log);
  }

 private:
  void check_each(const ObservedAccess& access, HazardLog& log) const;
  std::vector<Copy> in_flight_;
};

// Both return whether they reported a race. A copy that another thread issued without a barrier in between is
// left to the race checks when it arrives.
bool check_own_copies(const ObservedAccess& access, HazardLog& log);
bool check_copies_of_others(const ObservedAccess& access, const BlockClock& clock, HazardLog& log);

// Finds unordered accesses to a block's shared memory by threads of different blocks of its cluster, or by
// threads of another block.

class ClusterRaces {
 public:
  explicit ClusterRaces(std::size_t granules) : granules_(granules) {}
  void start_block();

  // `access`: as if a thread of the owner accessed its own shared memory; `clock`, `own`: of the accessing
  // warp's block. Call before the data moves.
  void observe(const ObservedAccess& access, std::uint32_t owner, const ClusterClock& clock,
               const BlockClock& own, HazardLog& log);

  // Records that a bulk copy, issued by a thread of the owner, has arrived.
  void remember_landing(const ObservedAccess& access, std::uint32_t owner, const BlockClock& own);

 private:
  struct Access {
    std::uint32_t tick = 0, record = 0, rank = 0;  // tick 0: none
  };
  // The last write, the first read since, and the last read by another thread.
  struct Granule {
    Access write, read, other;
  };
  struct Visit;
  const Access* find_conflict(const Visit& visit, const Granule& granule, std::uint32_t lane) const;
  void report(const Visit& visit, const Access& earlier, bool was_write, std::uint32_t lane,
              std::int64_t granule) const;

  std::vector<Granule> granules_;
};

}  // namespace cudalab::vgpu
