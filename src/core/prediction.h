// How long a launch would take on a card and why, as the time model predicts it: plain data that the virtual
// GPU fills and the reports read. Never to be mixed up with a measurement.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cudalab {

// What ptxas makes of one kernel for the card's own architecture.
struct KernelResources {
  int registers = 0;                                          // a thread
  std::uint64_t shared_bytes = 0;                             // static, a block, as ptxas reports it
  std::uint64_t stack_bytes = 0;                              // a thread
  std::uint64_t spill_store_bytes = 0, spill_load_bytes = 0;  // a thread
  friend bool operator==(const KernelResources&, const KernelResources&) = default;
};

using ResourcesBySymbol = std::map<std::string, KernelResources>;  // the kernel as the PTX spells it

enum class OccupancyLimit {
  kRegisters,
  kShared,
  kThreads,
  kBlocks,
  kGrid
};  // kGrid: too few blocks to fill the card

// How many blocks a multiprocessor holds at once. Without registers it is an upper bound.
struct Occupancy {
  int blocks = 0, warps = 0;  // a multiprocessor
  int most_warps = 0;         // that a multiprocessor of this card holds
  OccupancyLimit limited_by{};
  double waves = 0;              // blocks of the grid by blocks the whole card holds at once
  double tail = 0;               // the part of the card that idles in the last wave, 0 to 1
  std::optional<int> registers;  // a thread; empty: unknown
};

// One resource, and how long the launch would take if there were only this one.
struct Limit {
  std::string resource;  // dram, l2, l1, shared, issue, fp32, fp64, sfu, int, tensor, atomics, constant,
                         // latency, waiting (for other blocks), launch
  double share = 0;      // of the predicted time
  double amount = 0;     // what the launch asks of it, in `unit`
  double rate = 0;       // of the whole card, `unit` a second
  std::string unit;      // "bytes", "sectors", "wavefronts", "instructions", …
};

struct Prediction {
  std::string card;  // its id, as in --card
  double ms = 0;
  std::vector<Limit> limits;  // largest share first
  Occupancy occupancy;
  // What the model was fed with, by name (vgpu/time/launch_features.h).
  std::vector<std::pair<std::string, double>> inputs;
};

}  // namespace cudalab
