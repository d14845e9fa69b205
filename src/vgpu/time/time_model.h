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
  double same_norm = 20;            // the same among the pipes of a multiprocessor
  double single_chain_part = 0.5;   // of the FMA pipe's rate where each instruction waits for the one before
  double partial_write_part = 1.8;  // what a partly written sector costs the L2, beyond a whole one
  double norm = 2.3;  // resources that take alike overlap less: times add up as the norm of this order
  double dispatch_clocks = 1.11;  // until the next block of the grid begins
  double issue_part = 0.95;       // of the data sheet's rates, as far as they can be reached
  double dram_part = 0.95;
  double l2_part = 0.585;
  double l2_bytes_of_multiprocessor = 90;  // a clock
  double updates_per_clock = 53;           // of words by atomics, the whole card
  double clocks_per_update = 1.3;          // of one word, one after the other
  double updates_of_multiprocessor = 1;    // a clock
  double l1_part = 0.41;
  double code_fetch_us = 0.7;  // the first instructions, from DRAM
  double shared_part = 0.69;
  double barriers_per_clock = 0.63;   // of warps, a multiprocessor
  double constants_per_clock = 0.68;  // different words
  double texture_requests_per_clock = 0.25;
  double tensor_products_per_clock = 1.0;  // of 16x8x16 halves
  double memory_instructions_per_clock = 1;
  double flush_part = 0.5;  // of what older data costs that the launch drives out
  double atomic_latency_clocks = 1000;
  double texture_latency_clocks = 500;
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

double predicted_us(const Card& card, int resident_blocks, const LaunchFeatures& features,
                    const ModelConstants& constants = {});

// Fills in all but the occupancy, which it reads.
void predict(const Card& card, const LaunchFeatures& features, Prediction& prediction);

}  // namespace cudalab::vgpu
