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

namespace cudalab::vgpu {

class Recorder {
 public:
  explicit Recorder(const Program& program) : program_(&program), sites_(program.sites.size()) {}

  void on(const WholeAccess& event);
  void on(const PathStart& event);
  void on(const ValueFlow& event);  // of a shuffle
  void on(const LaneAnswers& event);
  void on(const BlockEnd& event);

 private:
  friend Recording join_recordings(std::span<const Recorder* const> recorders, std::uint64_t last_block);
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
};

// Without blocks behind `last_block`.
Recording join_recordings(std::span<const Recorder* const> recorders, std::uint64_t last_block);

}  // namespace cudalab::vgpu
