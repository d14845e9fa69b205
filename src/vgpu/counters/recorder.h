// Records what single warps do, for pictures: of each memory instruction the first requests and the worst
// one, of the first block's warps which lanes went where, and what they did together.
//
// Each host thread has a recorder of its own. It meets clusters of blocks in their order, so that the first
// requests of a launch are among the first ones of the threads, whichever ran what.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/measurement.h"
#include "vgpu/block.h"
#include "vgpu/counters/use_tally.h"

namespace cudalab::vgpu {

class Recorder {
 public:
  explicit Recorder(const Launch& launch);

  // One access of a warp; `base` is the generic address of its first active lane.
  void add(const Warp& warp, const SiteState& site, const Pattern& pattern, std::uint64_t base);
  // Other lanes of the warp than before go on from `from`.
  void take_path(const Inst* from, const Warp& warp);
  // A shuffle, or what the lanes answer to a vote, a match, a reduction; `inst`: of its source line.
  void add_shuffle(const Inst* inst, const ValueStep& step, const Warp& warp);
  void add_answers(const Inst* inst, const LaneQuestion& question, const Warp& warp);
  void end_block(const Block& block);

 private:
  friend Recording join_recordings(const Launch& launch, std::span<const Recorder* const> recorders,
                                   std::uint64_t last_block, NameAt name_at);
  struct Numbered {
    std::uint64_t block = 0, number = 0;  // in the order of the launch, and of this recorder
    WarpRequest request;
  };
  struct Site {
    std::vector<Numbered> first;
    std::optional<Numbered> worst;
  };
  LineExchanges* with_room_for(const Inst* inst, const Warp& warp);  // null: enough is kept
  Numbered numbered(const Warp& warp, const SiteInfo& info, const Pattern& pattern, std::uint64_t base);

  const Program* program_;
  std::uint64_t requests_ = 0;
  std::vector<Site> sites_;
  std::vector<WarpPaths> paths_;  // by warp
  std::vector<LineExchanges> exchanges_;
  std::optional<UseTally> uses_;
};

// Without blocks behind `last_block`; the uses are those of all blocks.
Recording join_recordings(const Launch& launch, std::span<const Recorder* const> recorders,
                          std::uint64_t last_block, NameAt name_at);

}  // namespace cudalab::vgpu
