// The time model: computes from a launch's use of each resource how long a GPU takes. Explained in
// docs/time-model.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/prediction.h"
#include "vgpu/card.h"
#include "vgpu/time/launch_features.h"

namespace cudalab::vgpu {

// Constants that are the same for all GPUs and on no data sheet. scripts/time-model fits them to a part of
// expected/*/time_model.jsonl.
struct ModelConstants {
  double same_norm = 20;  // order of the norm (see `norm`) among the pipes of an SM
  // Fraction of the FMA rate if each FMA reads three registers and depends on the previous one.
  double single_chain_part = 0.498;
  double single_chain_part64 = 0.684;  // the same for the double-precision pipe
  // Extra cost of a partly written sector in the L2, relative to a whole one.
  double partial_write_part = 0.7162;
  // Resource times are combined with the norm of this order: the closer they are, the less they overlap.
  double norm = 2.9;
  double dispatch_clocks = 1.079;  // cycles until the next block of the grid is launched
  double issue_part = 0.9987;      // attainable fraction of the data sheet's rate, here and in the next two
  double dram_part = 0.97;
  double l2_part = 0.6659;
  double l2_bytes_of_multiprocessor = 298.3;          // bytes per cycle
  double updates_per_clock = 46.9;                    // words per cycle, all SMs
  double clocks_per_update = 1.249;                   // to one word, serialized
  double clocks_of_slice_update = 1.1;                // per update in one L2 slice
  double clocks_of_slice_write = 0.899;               // the same for stores that do not write contiguous rows
  double updates_of_multiprocessor = 0.982;           // per SM and cycle
  double l1_part = 0.9408;                            // fraction of one 128-byte wavefront per cycle
  double line_clocks = 0.3851;                        // per line that the L1 looks up
  double partial_store_clocks = kPartialStoreClocks;  // doubled if the neighbouring SM stores, too
  double code_fetch_us = 0.9184;                      // fetch of the first instructions from DRAM
  double shared_part = 0.887;
  double swap_round_clocks = 11.01;    // per round of a compare-and-swap loop in shared memory
  double swap_pass_clocks = 1.202;     // per lane that has to wait in a round
  double spill_wait_part = 1.816;      // exposed latency of a spill load, relative to that of its cache level
  double barriers_per_clock = 0.576;   // warps per SM and cycle
  double constants_per_clock = 0.496;  // different words
  double texture_requests_per_clock = 0.106;
  double tensor_part = 0.563;  // attainable fraction of the data sheet's rate with mma.sync and wmma
  double memory_instructions_per_clock = 2;
  double flush_part = 0.7035;  // fraction of the write-back cost of older data that the launch evicts
  // Extra cost, beyond the sector's own, if each lane requests a separate sector:
  double scattered_l2_part = 1.107;
  double scattered_dram_part = 0.4298;  // a DRAM row is opened for one sector
  double fill_part = 1.978;             // completing a partly written sector that was not read before
  double scattered_fill_part = 8.248;   // the same if DRAM rows are opened for it
  // From the end of a block until the next one in its slot starts computing.
  double block_start_clocks = 801.8;
  double atomic_latency_clocks = 1164;
  // From a store in one block until a polling load in another block returns the value; `swap_clocks`: a
  // polling atomic.
  double hand_over_clocks = 650;
  double swap_clocks = 600;
  // Latency of an atomic on this path, on a word that other blocks have just used.
  double answer_clocks = 500;
  double retry_clocks = 480;     // from a failed compare-and-swap until the same lane swaps its new value
  double swap_lane_clocks = 40;  // for each further lane of the warp that accesses the same word
  double hop_clocks = 640;       // one look-back step
  // Cycles that an L2 slice spends on each request that polls a word.
  double asked_by_load_clocks = 1.95;
  double asked_by_atomic_clocks = 4.5;
  double served_clocks = 2.2;         // an atomic whose result is used, on the same word
  double asked_by_lane_clocks = 0.2;  // for each further lane
  // The same for compare-and-swap loops: for the first lane per word and for each further lane; or for each
  // word of a request, if that is more.
  double tried_clocks = 0.7;
  double tried_by_lane_clocks = 0.6;
  double tried_by_word_clocks = 0.2;
  double tried_anywhere_clocks = 0.05;  // for each lane, in the L2 as a whole
};

struct ModelConstantField {
  std::string_view name;
  double ModelConstants::*value;
};
std::span<const ModelConstantField> model_constant_fields();

// One entry per resource, with the cycles that it would take alone.
struct ResourceTime {
  std::string_view resource, unit;
  double amount = 0, clocks = 0;
};
std::vector<ResourceTime> resource_times(const Card& card, int resident_blocks,
                                         const LaunchFeatures& features, const ModelConstants& constants);

// Constants for computing the path through blocks that wait for each other.
HandOverClocks hand_over_clocks(const Card& card, const ModelConstants& constants = {});

// Launch overhead, in us: the time until the first warp computes.
double started_us(const Card& card, const LaunchFeatures& features, const ModelConstants& constants = {});

double predicted_us(const Card& card, int resident_blocks, const LaunchFeatures& features,
                    const ModelConstants& constants = {});

// Sets all members except the occupancy, which it reads.
void predict(const Card& card, const LaunchFeatures& features, Prediction& prediction);

}  // namespace cudalab::vgpu
