// The inputs of the time model: what is known of a launch, in amounts that no GPU decides, and their names in
// records.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/hand_overs/hand_over_chain.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

// What the time model is fed with: all that it knows of a launch, in amounts that no card decides but the
// sizes of its caches and the number of its multiprocessors. Recorded beside the measured times, so that the
// model can be replayed.

// Of a sector that a store writes in part, and of each line with such sectors (measured on an H200: 57 clocks
// for 32 sectors in 32 lines, 35.5 in eight).
inline constexpr double kPartialStoreClocks = 0.888;

struct LaunchFeatures {
  double blocks = 0, threads = 0, warps = 0;  // threads and warps of a block
  UnitUse use{};                              // machine instructions of all warps
  double barriers = 0;                        // of all warps
  double shared_wavefronts = 0;
  double l1_wavefronts = 0;                      // passes of global and local accesses through the L1
  double l1_sectors = 0;                         // that loads ask of it
  double load_requests = 0, store_requests = 0;  // of global and local memory
  double load_lines = 0, store_lines = 0;        // lines of 128 bytes, of each request
  double update_requests = 0;                    // of atomics
  double load_pieces = 0, store_pieces = 0, update_pieces = 0;  // of 256 bytes, of each request
  double swap_rounds = 0;                    // of loops around a compare-and-swap in shared memory
  double swap_passes = 0;                    // of the lanes that swap one word, one after the other
  double spill_loads = 0, spill_stores = 0;  // that ptxas adds, estimated
  double spill_misses = 0;                   // the part of them that the L1 has no room for
  double constant_passes = 0, texture_requests = 0, texture_sectors = 0;
  double l2_read_sectors = 0, l2_write_sectors = 0;
  double l2_updates = 0, most_updates = 0;  // by atomics: of words, of the word most wanted
  // What the busiest part of the L2 has of these, and of stores that do not write rows.
  double slice_updates = 0, slice_writes = 0;
  double dram_read_sectors = 0, dram_write_sectors = 0;
  double partial_writes = 0;   // stores of sectors of which some bytes stay as they were
  double partial_lines = 0;    // that they touch
  double partial_bytes = 0;    // that these write
  double filled_sectors = 0;   // that these touch first
  double updated_sectors = 0;  // that atomics touch first
  double flushed_sectors = 0;  // of older data that the launch drives out of the L2
  Waits waits{};               // of an average warp, on its longest chain of results
  double longest_warp = 1;     // of a block, by the average warp
  double dram_warp = 1;        // the same of waits for DRAM
  double longest_block = 1;    // by the average block
  // Of the longest warp of the longest block, where that executes much more than the average block, and is
  // known; else nothing.
  Waits longest_block_waits{};
  double busiest_multiprocessor = 1;  // by the average one
  double block_places = 0;            // of a multiprocessor, if only shared memory and block slots count
  HandOverPath path;                  // where blocks wait for each other: the longest way through them
};

// The features of a launch by name: as they are recorded and read back.

using NamedNumbers = std::vector<std::pair<std::string, double>>;
NamedNumbers named(const LaunchFeatures& features);
// Names that it does not know are passed over.
LaunchFeatures features_from(const NamedNumbers& numbers);

}  // namespace cudalab::vgpu
