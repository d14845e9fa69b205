// What an instruction does with values that may be undefined: for the checks, which follow those from where
// they arise (local memory that nobody has written, a lane that takes no part) to where they matter.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

struct ValueStep {
  enum class Kind : std::uint8_t {
    kMix,     // each result depends on all sources; without sources it is defined
    kSelect,  // from[0] where the predicate `chooser` holds, else from[1]
    kAnd,     // of predicates: a false one decides
    kOr,      // a true one does
    kLoad,    // of local memory; comes after the instruction
    kStore,   // of from[i] as element i; comes before
    kShuffle,
  };
  Kind kind = Kind::kMix;
  std::vector<Slot> to, from;     // registers; from: Slot{} for a constant
  std::vector<Slot> matters;      // addresses and conditions: here an undefined value does harm
  std::array<bool, 2> negated{};  // of kAnd, kOr
  Slot chooser;                   // of kSelect
  Slot distance, clamp, mask;     // of kShuffle: the operands b and c, and the member mask
  enum class Mode : std::uint8_t { kUp, kDown, kButterfly, kIndex } mode{};
};

}  // namespace cudalab::vgpu
