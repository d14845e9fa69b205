// Finds accesses to the same memory by threads of one block that no barrier separates.
#pragma once

#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/hazard_log.h"

namespace cudalab::vgpu {

// Part of a span whose shadow cells are contiguous.
struct SpanPart {
  const Footprint::Span* span;
  std::uint32_t skip, count;  // in granules of the span
  ShadowCells cells;          // of the first granule
};

class BlockRaces {
 public:
  BlockRaces(const BlockClock& clock, HazardLog& log, HazardKind kind)
      : clock_(&clock), log_(&log), kind_(kind) {}

  // Reports lanes that write different values to one address in one instruction.
  void check_overlap(const ObservedAccess& access);
  void check(const ObservedAccess& access, const SpanPart& part);
  void remember(const ObservedAccess& access, const SpanPart& part);

  // Fast paths of check() and remember() for a whole access; `cells`: those of the first active lane's
  // granule. remember_read() returns whether the last writes of all granules are in the expected range.
  bool remember_read(const ObservedAccess& access, const ShadowCells& cells, TickRange expected);
  // Whether no granule was accessed since everything was settled.
  bool is_first_touch(const ObservedAccess& access, const ShadowCells& cells) const;
  void remember_write(const ObservedAccess& access, const ShadowCells& cells);

  // Bulk copies read through the async proxy: stores later than `since` need a proxy fence first.
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
