// Finds races within a cluster and with asynchronous copies, ordered by cluster barriers and mbarriers.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/hazard_log.h"

namespace cudalab::vgpu {

// The order that the mbarriers of a block make: from those who arrive at one to those who wait there, and
// from its initialisation to its uses.

class MbarrierOrder {
 public:
  void start_block() { objects_.clear(); }
  // Objects are known by their byte of shared memory. The clocks are those of the acting warp's block.
  void initialise(const Inst* inst, const Warp& warp, int lane, std::uint64_t offset,
                  const ClusterClock& clock, const BlockClock& own);
  // A use that the initialisation does not come before is a race.
  void use(const Inst* inst, const Warp& warp, int lane, std::uint64_t offset, const ClusterClock& clock,
           HazardLog& log) const;
  void arrive(const Warp& warp, std::uint64_t offset, ClusterClock& clock);
  void complete_phase(std::uint64_t offset);
  void pass(const Warp& warp, std::uint64_t offset, ClusterClock& clock) const;

 private:
  struct Object {
    std::uint32_t thread = 0, rank = 0, tick = 0, line = 0;  // of its initialisation
    SyncPoint arriving, complete;  // of the current and of the latest complete phase
  };
  std::unordered_map<std::uint64_t, Object> objects_;
};

// The copies of a block that nobody has waited for yet: whoever reads or writes where a bulk copy goes, or
// writes where one comes from, races with it; and so does a thread that uses what its own cp.async has yet to
// bring, or that of a thread which issued it before.

class BulkWatch {
 public:
  struct Copy {
    std::uint64_t number = 0;
    const Inst* inst = nullptr;
    std::uint64_t to = 0, from = 0;  // generic addresses; from 0: nobody may touch the source
    std::uint64_t bytes = 0;
    bool is_reduction = false;
  };
  void start_block() { in_flight_.clear(); }
  void begin(const Copy& copy) { in_flight_.push_back(copy); }
  void end_reading(std::uint64_t number);  // of the source
  void end(std::uint64_t number);
  void check(const ObservedAccess& access, HazardLog& log) const {
    if (!in_flight_.empty()) [[unlikely]]
      check_each(access, log);
  }

 private:
  void check_each(const ObservedAccess& access, HazardLog& log) const;
  std::vector<Copy> in_flight_;
};

// Both return whether there was one to report. Of copies that others issue with no barrier in between, the
// race checks hear when they arrive.
bool check_own_copies(const ObservedAccess& access, HazardLog& log);
bool check_copies_of_others(const ObservedAccess& access, const BlockClock& clock, HazardLog& log);

// Finds accesses to a block's shared memory by threads of different blocks of its cluster, or by threads of
// another one, that nothing orders.

class ClusterRaces {
 public:
  explicit ClusterRaces(std::size_t granules) : granules_(granules) {}
  void start_block();

  // `access`: of the owner's shared memory, as if by one of its own threads; `clock`, `own`: of the block
  // that the accessing warp is in. Before the data moves.
  void observe(const ObservedAccess& access, std::uint32_t owner, const ClusterClock& clock,
               const BlockClock& own, HazardLog& log);

  // A bulk copy has arrived, on behalf of a thread of the owner.
  void remember_landing(const ObservedAccess& access, std::uint32_t owner, const BlockClock& own);

 private:
  struct Access {
    std::uint32_t tick = 0, record = 0, rank = 0;  // tick 0: none
  };
  // The last write, the first read since, and the last one by another thread than that.
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
