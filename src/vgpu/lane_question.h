// What a vote, a match or a reduction asks of the lanes of a warp: for pictures, before it is executed.
#pragma once

#include "core/recording.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

struct LaneQuestion {
  ExchangeKind kind{};
  Slot value, mask;
  bool is_wide = false;  // the value has 8 bytes; else 4, or, of a vote, it is a predicate
};

}  // namespace cudalab::vgpu
