// Variants of a program's run, for a search: other device code, or other launches. Do the results depend on
// it?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/named.h"

namespace cudalab {

struct LaunchChange {
  enum class Kind {
    kNone,
    kMoreBlocks,         // one more block along the axes in `first` (1: x, 2: y, 4: z)
    kMoreThreads,        // twice as many threads along x of the block
    kExchangeShape,      // the sizes of grid and block are exchanged
    kExchangeAxes,       // x and y of the grid are exchanged
    kExchangeArguments,  // the arguments `first` and `second` are exchanged; they have the same size
    kZeros,   // zeros in all of the memory to which the argument `first` points, before each launch
    kInOrder  // the host waits for each launch and each copy; of all kernels
  };
  Kind kind = Kind::kNone;
  std::uint64_t first = 0, second = 0;
  std::string kernel{};  // as in the source: "mm<float, 16>"; empty: all kernels
};

inline constexpr Named<LaunchChange::Kind> kLaunchChangeNames[]{
    {"none", LaunchChange::Kind::kNone},
    {"more-blocks", LaunchChange::Kind::kMoreBlocks},
    {"more-threads", LaunchChange::Kind::kMoreThreads},
    {"exchange-shape", LaunchChange::Kind::kExchangeShape},
    {"exchange-axes", LaunchChange::Kind::kExchangeAxes},
    {"exchange-arguments", LaunchChange::Kind::kExchangeArguments},
    {"zeros", LaunchChange::Kind::kZeros},
    {"in-order", LaunchChange::Kind::kInOrder}};

// Environment variable with the path of a socket, set by the tool. A program that needs its device code for
// the first time connects to it and waits: each list of fields that it receives describes a variant, with
// which a forked child continues. It answers with the child's wait status.
inline constexpr const char* kVariantsVariable = "CUDALAB_VARIANTS";

struct ProgramVariant {
  std::string device_code{};  // PTX in place of the program's own; empty: its own
  LaunchChange change{};
  std::string output{};         // the file that receives its standard output
  std::uint64_t max_steps = 0;  // of a launch, in warp instructions
  double seconds = 0;           // after that time it is ended
};

std::vector<std::string> fields_of(const ProgramVariant& variant);
// A wrong number of fields is the default; an unknown kind of change is none.
ProgramVariant variant_in(const std::vector<std::string>& fields);

}  // namespace cudalab
