// The predicted time of a launch on a GPU and its causes: plain data that the time model fills and the
// reports read. A prediction must never be shown as a measurement.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cudalab {

// The resources that ptxas assigns to one kernel for the GPU's architecture.
struct KernelResources {
  int registers = 0;                                          // per thread
  std::uint64_t shared_bytes = 0;                             // static, per block, as ptxas reports it
  std::uint64_t stack_bytes = 0;                              // per thread
  std::uint64_t spill_store_bytes = 0, spill_load_bytes = 0;  // per thread
  friend bool operator==(const KernelResources&, const KernelResources&) = default;
};

using ResourcesBySymbol = std::map<std::string, KernelResources>;  // keys are kernel names as in the PTX

enum class OccupancyLimit {
  kRegisters,
  kShared,
  kThreads,
  kBlocks,
  kGrid
};  // kGrid: too few blocks to fill the GPU

// How many blocks one SM holds at once. If the number of registers is unknown, this is an upper bound.
struct Occupancy {
  int blocks = 0, warps = 0;  // per SM
  int most_warps = 0;         // maximum warps per SM of this GPU
  OccupancyLimit limited_by{};
  double waves = 0;              // blocks of the grid / blocks that the whole GPU holds at once
  double tail = 0;               // idle part of the GPU in the last wave, 0 to 1
  std::optional<int> registers;  // per thread; empty: unknown
};

// One resource, and the time of the launch if this resource were the only limit.
struct Limit {
  std::string resource;  // dram, l2, l1, shared, issue, fp32, fp64, sfu, int, tensor, atomics, constant,
                         // latency, waiting (for other blocks), launch
  double share = 0;      // of the predicted time, 0 to 1
  double amount = 0;     // demand of the launch in `unit`
  double rate = 0;       // capacity of the whole GPU in `unit` per second
  std::string unit;      // "bytes", "sectors", "wavefronts", "instructions", …
};

// A cost that another version of the same kernel avoids.
enum class Fault {
  kGlobalLoads,    // loads that touch more sectors than necessary: uncoalesced or misaligned
  kGlobalStores,   // the same for stores
  kSharedLoads,    // bank conflicts
  kSharedStores,   // bank conflicts
  kSharedAtomics,  // lanes of a warp that update the same word of shared memory
  kGlobalAtomics,  // threads that update the same words of global memory
  kConstants,      // lanes of a warp that read different words of constant memory
  kLocalMemory,    // spilled registers and arrays in local memory
  kDivergence,     // instructions that only some lanes of a warp execute
  kOccupancy,      // registers or shared memory allow fewer warps than an SM can hold
  kFewBlocks,      // the grid does not fill the GPU
  kBarriers,       // warps that wait for the other warps of their block
  kDoubles,        // FP64 instructions where FP32 would be enough
  kLatency,        // a dependency chain whose latency is not hidden
  kLaunch,         // the launch overhead
};

// The predicted time of the launch without one fault. All resources are recomputed.
struct TimeWithout {
  Fault fault{};
  double ms = 0;
  friend bool operator==(const TimeWithout&, const TimeWithout&) = default;
};

struct Prediction {
  std::string card;  // id, as in --card
  double ms = 0;
  std::vector<Limit> limits;         // largest share first
  std::vector<TimeWithout> without;  // of the faults that the launch has, the largest gain first
  Occupancy occupancy;
  // The inputs of the model, by name (vgpu/time/launch_features.h).
  std::vector<std::pair<std::string, double>> inputs;
};

}  // namespace cudalab
