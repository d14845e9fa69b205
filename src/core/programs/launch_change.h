// A change of the launches of a program, for a trial run: do its results depend on it? The runtime reads it
// from the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/named.h"

namespace cudalab {

struct LaunchChange {
  enum class Kind {
    kNone,
    kMoreBlocks,         // one more block along the axis `first` of the grid (0: x)
    kExchangeShape,      // the sizes of grid and block are exchanged
    kExchangeAxes,       // x and y of the grid are exchanged
    kExchangeArguments,  // the arguments `first` and `second` are exchanged; they have the same size
    kZeros,   // zeros in all of the memory to which the argument `first` points, before each launch
    kInOrder  // the host waits for each launch and each copy; of all kernels
  };
  Kind kind = Kind::kNone;
  std::uint64_t first = 0, second = 0;
  std::string kernel{};  // as in the source: "mm<float, 16>"
};

inline constexpr Named<LaunchChange::Kind> kLaunchChangeNames[]{
    {"none", LaunchChange::Kind::kNone},
    {"more-blocks", LaunchChange::Kind::kMoreBlocks},
    {"exchange-shape", LaunchChange::Kind::kExchangeShape},
    {"exchange-axes", LaunchChange::Kind::kExchangeAxes},
    {"exchange-arguments", LaunchChange::Kind::kExchangeArguments},
    {"zeros", LaunchChange::Kind::kZeros},
    {"in-order", LaunchChange::Kind::kInOrder}};

// "more-blocks 0 0 mm<float, 16>"; an unknown text is no change.
std::string text_of(const LaunchChange& change);
LaunchChange launch_change_in(std::string_view text);

}  // namespace cudalab
