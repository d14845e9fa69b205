// Appends to LaunchOptions::history what each thread loads, stores and exchanges, with the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/access_history.h"
#include "core/measurement.h"
#include "vgpu/block.h"
#include "vgpu/counters/use_tally.h"

namespace cudalab::vgpu {

// A launch with a history runs on one host thread, so the order of events is the order of execution.
class HistoryWriter {
 public:
  HistoryWriter(const Launch& launch, AccessHistory& history, NameAt name_at);

  // Call before the data moves; `base` is the generic address of the first active lane.
  void add(const Warp& warp, const SiteInfo& site, const Pattern& pattern, std::uint64_t base);
  void add_shuffle(const Inst* inst, const ValueStep& step, const Warp& warp);
  void end_block() { read_stored_values(); }
  // Called before operations that events cannot describe.
  void end_early() { history_->is_complete = false; }

 private:
  struct Range {
    std::uint32_t buffer = 0;  // index into AccessHistory::buffers
    std::uint64_t bytes = 0;
    const std::byte* data = nullptr;  // null for shared memory, which each block has
  };
  // A value that is read when the data has moved: at the next event.
  struct Pending {
    std::size_t event = 0;
    const std::byte* data = nullptr;
  };
  const std::pair<const std::uint64_t, Range>* range_at(std::uint64_t address);
  void add_element(AccessEvent event, const std::byte* data);
  void read_stored_values();
  AccessEvent event_of(const Warp& warp, std::size_t lane, std::uint32_t line) const;

  const Launch* launch_;
  AccessHistory* history_;
  NameAt name_at_;
  std::uint32_t first_line_;               // of this launch in AccessHistory::lines
  std::map<std::uint64_t, Range> ranges_;  // by generic address of the first byte
  std::vector<Pending> pending_;
};

}  // namespace cudalab::vgpu
