// Who is told of each instruction that one warp executes. The warp of a launch that somebody watches runs in
// a loop of its own (running/watched_warp.h), so that all others pay nothing.
#pragma once

#include <cstdint>

#include "core/dim3.h"

namespace cudalab {
struct Hazard;
}

namespace cudalab::vgpu {

struct Inst;
struct Warp;

class WarpWatch {
 public:
  WarpWatch(Dim3 block, std::uint32_t warp) : block_(block), warp_(warp) {}
  virtual ~WarpWatch() = default;
  const Dim3& block() const { return block_; }
  std::uint32_t warp() const { return warp_; }

  // Before and after an instruction; `next`: nullptr where the warp cannot go on. A watcher that has seen
  // enough throws WatchedEnough.
  virtual void before(const Inst* inst, Warp& warp) = 0;
  virtual void after(const Inst* inst, Warp& warp, const Inst* next) = 0;
  // The instruction before which it was told of last has stopped the kernel.
  virtual void fault(Warp& warp, const Hazard& hazard) = 0;

 private:
  Dim3 block_;
  std::uint32_t warp_;
};

// Ends a launch whose watcher has seen enough.
struct WatchedEnough {};

}  // namespace cudalab::vgpu
