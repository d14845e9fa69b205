// Finds accesses to the same memory by threads of one block that no barrier keeps apart.
#pragma once

#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/hazard_log.h"

namespace cudalab::vgpu {

// A part of a span whose shadow lies in a row.
struct SpanPart {
  const Footprint::Span* span;
  std::uint32_t skip, count;  // granules of the span
  ShadowCells cells;          // of the first of them
};

class BlockRaces {
 public:
  BlockRaces(const BlockClock& clock, HazardLog& log, HazardKind kind)
      : clock_(&clock), log_(&log), kind_(kind) {}

  // Lanes that write different values to one place in one instruction.
  void check_overlap(const ObservedAccess& access);
  void check(const ObservedAccess& access, const SpanPart& part);
  void remember(const ObservedAccess& access, const SpanPart& part);

  // The same for a whole access in one piece of shadow, `cells` of the granule of the first active lane;
  // quickly. Returns whether all granules were written last within the expected range.
  bool remember_read(const ObservedAccess& access, const ShadowCells& cells, TickRange expected);
  bool is_first_touch(const ObservedAccess& access, const ShadowCells& cells) const;  // since all was settled
  void remember_write(const ObservedAccess& access, const ShadowCells& cells);

  // A bulk copy reads another way than stores write: after `since`, they must have been fenced.
  void check_proxy_fence(const ObservedAccess& access, const ShadowCells& cells, std::uint32_t since);

 private:
  struct Earlier {
    bool was_write;
    std::uint32_t record, tick;
  };
  void check_each(const ObservedAccess& access, const SpanPart& part);
  bool conflicts(const ObservedAccess& access, std::uint32_t record, const Earlier& earlier) const;
  void report(const ObservedAccess& access, int lane, std::int64_t granule, const Earlier& earlier);
  void report_unfenced(const ObservedAccess& access, std::int64_t granule, std::uint32_t writer);
  void report_overlap(const ObservedAccess& access, int lane, int other);

  const BlockClock* clock_;
  HazardLog* log_;
  HazardKind kind_;
};

}  // namespace cudalab::vgpu
