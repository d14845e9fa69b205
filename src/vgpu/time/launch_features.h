// The inputs of the time model: amounts that characterize a launch, and their names in records.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/hand_overs/hand_over_chain.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

// All that the time model knows of a launch. The amounts are independent of the GPU, except for its cache
// sizes and its number of SMs. They are recorded beside measured times, so the model can be evaluated again
// without running the launch.

// Cycles per partly written sector, and the same again per line with such sectors. (Measured on an H200: 57
// cycles for 32 sectors in 32 lines, 35.5 in eight lines.)
inline constexpr double kPartialStoreClocks = 0.888;

struct LaunchFeatures {
  double blocks = 0, threads = 0, warps = 0;  // threads, warps: per block
  UnitUse use{};                              // machine instructions of all warps, by unit
  double barriers = 0;                        // of all warps
  double shared_wavefronts = 0;
  double l1_wavefronts = 0;                                     // L1 wavefronts of global and local accesses
  double l1_sectors = 0;                                        // that loads request from the L1
  double load_requests = 0, store_requests = 0;                 // to global and local memory
  double load_lines = 0, store_lines = 0;                       // 128-byte lines, summed over requests
  double update_requests = 0;                                   // atomics
  double load_pieces = 0, store_pieces = 0, update_pieces = 0;  // 256-byte segments, summed over requests
  double swap_rounds = 0;                    // rounds of compare-and-swap loops in shared memory
  double swap_passes = 0;                    // lanes that swap the same word in turn, summed over rounds
  double spill_loads = 0, spill_stores = 0;  // spill instructions added by ptxas, estimated
  double spill_misses = 0;                   // share of them that misses the L1
  double constant_passes = 0, texture_requests = 0, texture_sectors = 0;
  double l2_read_sectors = 0, l2_write_sectors = 0;
  double l2_updates = 0, most_updates = 0;  // words updated by atomics; updates of the most contended word
  // Updates, and stores that do not write contiguous rows, in the busiest L2 slice.
  double slice_updates = 0, slice_writes = 0;
  double dram_read_sectors = 0, dram_write_sectors = 0;
  double partial_writes = 0;   // stores that leave some bytes of a sector unchanged
  double partial_lines = 0;    // lines that these touch
  double partial_bytes = 0;    // bytes that these write
  double filled_sectors = 0;   // sectors that these touch first
  double updated_sectors = 0;  // sectors that atomics touch first
  double flushed_sectors = 0;  // sectors of older data that the launch evicts from the L2
  Waits waits{};               // of an average warp, on its critical path
  double longest_warp = 1;     // instructions of a block's longest warp / those of the average warp
  double dram_warp = 1;        // the same ratio for waits for DRAM
  double longest_block = 1;    // longest warp of the longest block / that of the average block
  // Waits of the longest warp of the longest block, if that block executes far more than the average one and
  // its counts are known; else zero.
  Waits longest_block_waits{};
  double busiest_multiprocessor = 1;  // its work / that of the average SM
  double block_places = 0;            // per SM, if only shared memory and block slots are limited
  HandOverPath path;                  // critical path through blocks that wait for each other
};

// The features of a launch by name, as recorded and read back.

using NamedNumbers = std::vector<std::pair<std::string, double>>;
NamedNumbers named(const LaunchFeatures& features);
// Unknown names are ignored.
LaunchFeatures features_from(const NamedNumbers& numbers);

}  // namespace cudalab::vgpu
