// The copies of a block that nobody has waited for yet: whoever reads or writes where a bulk copy goes, or
// writes where one comes from, races with it; and so does a thread that uses what its own cp.async has yet to
// bring, or that of a thread which issued it before.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/observed_access.h"
#include "vgpu/checks/order/block_clock.h"

namespace cudalab::vgpu {

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

}  // namespace cudalab::vgpu
