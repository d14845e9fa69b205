// THE time model: from what a launch asks of each resource to how long a card takes. Explained in
// docs/time-model.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/prediction.h"
#include "vgpu/card.h"
#include "vgpu/time/launch_features.h"

namespace cudalab::vgpu {

// What is the same for all cards and on no data sheet, fitted by scripts/time-model on a part of
// expected/*/time_model.jsonl.
struct ModelConstants {
  double same_norm = 20;             // the same among the pipes of a multiprocessor
  double single_chain_part = 0.498;  // of the FMA pipe's rate where each reads three registers and waits for
                                     // the one before
  double single_chain_part64 = 0.684;  // the same of the pipe for double precision
  double partial_write_part = 0.7162;  // what a partly written sector costs the L2, beyond a whole one
  double norm = 2.9;  // resources that take alike overlap less: times add up as the norm of this order
  double dispatch_clocks = 1.079;  // until the next block of the grid begins
  double issue_part = 0.9987;      // of the data sheet's rates, as far as they can be reached
  double dram_part = 0.97;
  double l2_part = 0.6659;
  double l2_bytes_of_multiprocessor = 298.3;          // a clock
  double updates_per_clock = 46.9;                    // of words by atomics, the whole card
  double clocks_per_update = 1.249;                   // of one word, one after the other
  double clocks_of_slice_update = 1.1;                // of a part of the L2
  double clocks_of_slice_write = 0.899;               // the same of stores that do not write rows
  double updates_of_multiprocessor = 0.982;           // a clock
  double l1_part = 0.9408;                            // of a pass of 128 bytes for each clock
  double line_clocks = 0.3851;                        // of a line that the L1 looks up
  double partial_store_clocks = kPartialStoreClocks;  // twice that where the neighbouring one stores, too
  double code_fetch_us = 0.9184;                      // the first instructions, from DRAM
  double shared_part = 0.887;
  double swap_round_clocks = 11.01;    // of a loop around a compare-and-swap in shared memory
  double swap_pass_clocks = 1.202;     // of each lane that has to wait in it
  double spill_wait_part = 1.816;      // of a spilled register's way back that nothing hides
  double barriers_per_clock = 0.576;   // of warps, a multiprocessor
  double constants_per_clock = 0.496;  // different words
  double texture_requests_per_clock = 0.106;
  double tensor_products_per_clock = 0.563;  // of 16x8x16 halves
  double memory_instructions_per_clock = 2;
  double flush_part = 0.7035;  // of what older data costs that the launch drives out
  // Beyond a sector's own cost, where each lane asks for a sector of its own:
  double scattered_l2_part = 1.107;
  double scattered_dram_part = 0.4298;  // a row of the memory is opened for one sector
  double fill_part = 1.978;            // to complete a sector that is written in part and was not read before
  double scattered_fill_part = 8.248;  // the same where rows are opened for it
  double block_start_clocks = 801.8;   // from the end of a block until the next one in its place computes
  double atomic_latency_clocks = 1164;
  // From one block to another that asks again and again: until a load brings the value, and an atomic.
  double hand_over_clocks = 650;
  double swap_clocks = 600;
  double answer_clocks = 500;    // of an atomic there, on a word that others have just used
  double retry_clocks = 480;     // until who failed to swap a word has swapped its new value
  double swap_lane_clocks = 40;  // for each further lane of the warp that wants the same word
  double hop_clocks = 640;       // a question of who looks back
  // Requests that a part of the L2 serves of those who ask for one word again and again.
  double asked_by_load_clocks = 1.95;
  double asked_by_atomic_clocks = 4.5;
  double served_clocks = 2.2;         // an atomic whose result is used, on the same word
  double asked_by_lane_clocks = 0.2;  // each further lane
  // The same of loops around a compare-and-swap: of the first lane that wants a word, and of each further
  // one; of each word of a request, if that is more.
  double tried_clocks = 0.7;
  double tried_by_lane_clocks = 0.6;
  double tried_by_word_clocks = 0.2;
  double tried_anywhere_clocks = 0.05;  // of each lane, by the L2 as a whole
};

struct ModelConstantField {
  std::string_view name;
  double ModelConstants::*value;
};
std::span<const ModelConstantField> model_constant_fields();

// In the order of DESIGN's list: one entry a resource, with the clocks that it would take alone.
struct ResourceTime {
  std::string_view resource, unit;
  double amount = 0, clocks = 0;
};
std::vector<ResourceTime> resource_times(const Card& card, int resident_blocks,
                                         const LaunchFeatures& features, const ModelConstants& constants);

// What a launch whose blocks wait for each other is followed with.
HandOverClocks hand_over_clocks(const Card& card, const ModelConstants& constants = {});

// Until the first warp computes.
double started_us(const Card& card, const LaunchFeatures& features, const ModelConstants& constants = {});

double predicted_us(const Card& card, int resident_blocks, const LaunchFeatures& features,
                    const ModelConstants& constants = {});

// Fills in all but the occupancy, which it reads.
void predict(const Card& card, const LaunchFeatures& features, Prediction& prediction);

}  // namespace cudalab::vgpu
