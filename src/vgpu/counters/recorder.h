// Records the behaviour of single warps for display: the first requests and the worst request of each memory
// instruction, and for the warps of the first block, the paths of lanes and their warp-wide operations.
//
// Each host thread has its own recorder. It sees clusters in ascending order, so the first requests of the
// launch are always among the first requests of the threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/measurement.h"
#include "vgpu/block.h"
#include "vgpu/counters/access_history.h"
#include "vgpu/counters/texture_tally.h"
#include "vgpu/counters/use_tally.h"

namespace cudalab::vgpu {

class Recorder {
 public:
  Recorder(const Launch& launch, NameAt name_at);

  // Records one access of a warp; `base` is the generic address of its first active lane.
  void add(const Warp& warp, const SiteState& site, const Pattern& pattern, std::uint64_t base);
  // Texels that a warp fetches; they are part of the history only.
  void add_texels(const Warp& warp, const SiteInfo& site, const Pattern& pattern, std::uint64_t base);
  // The coordinates of one lane's fetch; `inst` gives the source line.
  void add_fetch(const Inst* inst, const Warp& warp, const BoundTexels& texels, std::array<double, 3> at);
  // An operation that a history does not contain, such as a bulk copy.
  void add_unknown();
  // The warp continues at `from` with other lanes than before.
  void take_path(const Inst* from, const Warp& warp);
  // Records a shuffle; or the lanes' inputs and results of a vote, match or reduction. `inst` gives the
  // source line.
  void add_shuffle(const Inst* inst, const ValueStep& step, const Warp& warp);
  void add_answers(const Inst* inst, const LaneQuestion& question, const Warp& warp);
  void end_block(const Block& block);

 private:
  friend Recording join_recordings(const Launch& launch, std::span<const Recorder* const> recorders,
                                   std::uint64_t last_block);
  struct Numbered {
    // `block`: in the order of the launch; `number`: in the order of this recorder.
    std::uint64_t block = 0, number = 0;
    WarpRequest request;
  };
  struct Site {
    std::vector<Numbered> first;
    std::optional<Numbered> worst;
  };
  LineExchanges* with_room_for(const Inst* inst, const Warp& warp);  // nullptr if enough exchanges are kept
  Numbered numbered(const Warp& warp, const SiteInfo& info, const Pattern& pattern, std::uint64_t base);

  const Program* program_;
  NameAt name_at_;
  std::uint64_t requests_ = 0;
  std::vector<Site> sites_;
  std::vector<WarpPaths> paths_;  // by warp
  std::vector<LineExchanges> exchanges_;
  std::optional<UseTally> uses_;
  TextureTally textures_;
  std::optional<HistoryWriter> history_;
};

// Merges the recordings of the host threads, without blocks after `last_block`. The uses are those of all
// blocks.
Recording join_recordings(const Launch& launch, std::span<const Recorder* const> recorders,
                          std::uint64_t last_block);

}  // namespace cudalab::vgpu
