#include "vgpu/time/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vgpu/time/launch_features.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

constexpr double kLanes = kWarpSize, kBytesOfSector = kSectorBytes;

double used(const LaunchFeatures& features, Unit unit) {
  return features.use[static_cast<std::size_t>(unit)];
}
double waited(const LaunchFeatures& features, Source source) {
  return features.waits[static_cast<std::size_t>(source)];
}

// Waits of a warp for its own results; waits for other blocks.
constexpr std::string_view kLatency = "latency", kWaiting = "waiting";

// The distribution of the grid over the SMs.
struct Spread {
  double multiprocessors = 1;
  double resident = 1;  // blocks resident per SM
  double turns = 1;     // waves: sets of resident blocks, one after the other
  double busiest = 1;   // share of all work on the busiest SM
};

// A warp that has ended frees its slot and registers while other warps of its block continue. New blocks are
// then limited by block slots and shared memory only. With two or more barriers, the warps of a block are
// assumed to end together.
double blocks_at_once(double resident, const LaunchFeatures& features) {
  const double barriers = features.barriers / std::max(1.0, features.blocks * features.warps);
  if (barriers >= 2) return resident;
  return std::clamp(resident * features.longest_warp, resident, std::max(resident, features.block_places));
}

Spread spread_of(const Card& card, int resident_blocks, const LaunchFeatures& features) {
  Spread spread;
  spread.multiprocessors = card.multiprocessors;
  const double own = std::ceil(features.blocks / spread.multiprocessors);  // blocks per SM
  spread.resident = std::clamp<double>(blocks_at_once(resident_blocks, features), 1, own);
  // Blocks of the first waves end together. After several waves their ends are spread out and new blocks
  // start continuously.
  constexpr double kTogether = 4;
  spread.turns = own / spread.resident;
  if (spread.turns <= kTogether) spread.turns = std::ceil(spread.turns);
  // Later blocks go to the first free slot, so only the last wave is uneven.
  const double turns_of_card = features.blocks / (spread.multiprocessors * std::max(resident_blocks, 1));
  double uneven = features.busiest_multiprocessor;
  if (turns_of_card > 1) uneven = std::min(uneven, 1 + 0.5 / turns_of_card);
  spread.busiest = uneven / std::min(features.blocks, spread.multiprocessors);
  return spread;
}

// ---- scattered accesses ------------------------------------------------------------------------------
// How scattered loads or stores are: 0 if a request's sectors are contiguous, 1 if each lies in a different
// 256-byte segment, for which a DRAM row is opened.
double scattered_part(double sectors, double pieces, double requests) {
  constexpr double kSectorsOfPiece = 8;
  if (sectors <= requests) return 0;
  const double apart = (pieces - requests) / (sectors - requests);
  return std::clamp((apart - 1 / kSectorsOfPiece) / (1 - 1 / kSectorsOfPiece), 0.0, 1.0);
}

// Number of partly written sectors that the L2 completes from DRAM. Sectors whose bytes are all written in
// the end need no completion.
double filled_sectors(const LaunchFeatures& features) {
  const double bytes = features.partial_bytes / std::max(1.0, features.filled_sectors);
  return features.filled_sectors * std::max(0.0, 1 - bytes / kBytesOfSector);
}

// DRAM rows opened by scattered partial stores and by atomics that touch a sector first.
double opened_rows(const LaunchFeatures& features) {
  return filled_sectors(features) *
             scattered_part(features.l2_write_sectors, features.store_pieces, features.store_requests) +
         features.updated_sectors *
             scattered_part(features.l2_updates, features.update_pieces, features.update_requests);
}

// ---- resources ---------------------------------------------------------------------------------------
// The GPU's file gives the cycles of a pointer-chasing step in shared or constant memory, which includes a
// 32-bit address computation. A critical path counts its address instructions itself.
double without_address(double clocks_of_step) {
  constexpr double kAddress = 6;  // a shift and an addition
  return std::max(0.0, clocks_of_step - kAddress);
}

// Latency of a texel that hits in the L1. If the GPU's file has none: the difference from the L1 as measured
// on the H200.
double texture_latency_clocks(const Card& card) {
  constexpr double kBehindL1 = 62;
  return card.texture_latency_clocks > 0 ? card.texture_latency_clocks : card.l1_latency_clocks + kBehindL1;
}

// In cycles per wait; waits for arithmetic already are in cycles.
Waits latencies_of(const Card& card, const ModelConstants& constants) {
  Waits latencies{};
  const auto set = [&](Source source, double clocks) {
    latencies[static_cast<std::size_t>(source)] = clocks;
  };
  set(Source::kArithmetic, 1);
  set(Source::kShared, without_address(card.shared_latency_clocks));
  set(Source::kL1, card.l1_latency_clocks);
  set(Source::kL2, card.l2_latency_clocks);
  set(Source::kDram, card.dram_latency_clocks);
  set(Source::kConstant, without_address(card.constant_latency_clocks));
  set(Source::kAtomic, constants.atomic_latency_clocks);
  set(Source::kTexture, texture_latency_clocks(card));
  return latencies;
}

// Latencies on a path through waiting blocks: the words that they change are in the L2.
Waits latencies_on_the_way(const Card& card, const ModelConstants& constants) {
  Waits latencies = latencies_of(card, constants);
  latencies[static_cast<std::size_t>(Source::kAtomic)] = constants.answer_clocks;
  return latencies;
}

class Resources {
 public:
  Resources(const Card& card, const Spread& spread, const LaunchFeatures& features,
            const ModelConstants& constants)
      : card_(card),
        spread_(spread),
        features_(features),
        constants_(constants),
        scattered_loads_(scattered_part(features.l1_sectors, features.load_pieces, features.load_requests)) {}

  std::vector<ResourceTime> times() const {
    return {
        {"dram", "bytes", dram_bytes(),
         dram_bytes() / (card_.dram_gb_per_second * constants_.dram_part) * clocks_per_ns()},
        {"l2", "bytes", l2_bytes(),
         std::max({l2_bytes() / (card_.l2_bytes_per_clock * constants_.l2_part),
                   own(l2_bytes()) / constants_.l2_bytes_of_multiprocessor,
                   features_.slice_writes * constants_.clocks_of_slice_write})},
        {"l1", "wavefronts", features_.l1_wavefronts + spills(), l1_clocks()},
        {"shared", "wavefronts", features_.shared_wavefronts, shared_clocks()},
        {"issue", "instructions", used(features_, Unit::kIssue) + spills(),
         own(used(features_, Unit::kIssue) + spills()) / (card_.schedulers * constants_.issue_part)},
        {"fp32", "instructions", used(features_, Unit::kFp32),
         own(used(features_, Unit::kFp32) + used(features_, Unit::kMultiply) +
             used(features_, Unit::kThreeReads) * clocks_of_reading(constants_.single_chain_part)) /
             lanes(card_.fp32_lanes)},
        {"fp64", "instructions", used(features_, Unit::kFp64),
         own(used(features_, Unit::kFp64) +
             used(features_, Unit::kThreeReads64) * clocks_of_reading(constants_.single_chain_part64)) /
             lanes(card_.fp64_lanes)},
        {"sfu", "instructions", used(features_, Unit::kSpecial),
         own(used(features_, Unit::kSpecial)) / lanes(card_.sfu_lanes)},
        {"int", "instructions", used(features_, Unit::kLogic) + used(features_, Unit::kMultiply),
         own(std::max(used(features_, Unit::kLogic), used(features_, Unit::kMultiply))) /
             lanes(card_.int_lanes)},
        {"tensor", "products", used(features_, Unit::kTensor),
         own(used(features_, Unit::kTensor)) / tensor_products_per_clock()},
        {"atomics", "updates", features_.l2_updates, atomic_clocks()},
        {"constant", "passes", features_.constant_passes,
         own(features_.constant_passes) / constants_.constants_per_clock},
        {kLatency, "clocks", chain_clocks(),
         features_.path.is_known() && !is_longest_way() ? path_clocks() : latency_clocks()},
        {kWaiting, "hand-overs",
         features_.path.hand_overs + features_.path.swaps + features_.path.retries + features_.path.hops,
         is_longest_way() ? path_clocks() : 0},
        {"launch", "blocks", features_.blocks, features_.blocks * constants_.dispatch_clocks},
    };
  }

 private:
  double clocks_per_ns() const { return card_.clock_mhz * 1e-3; }
  double own(double amount) const { return amount * spread_.busiest; }
  double tensor_products_per_clock() const {
    constexpr double kMultiplyAdds = 16 * 8 * 16;  // of a product
    return constants_.tensor_part * card_.tensor_f16_fma / kMultiplyAdds;
  }
  static double lanes(double lanes) { return std::max(lanes, 1.0) / kLanes; }  // instructions per cycle

  // Machine instructions that spill or reload registers.
  double spills() const { return features_.spill_loads + features_.spill_stores; }

  // Scattered loads cost more only if they miss the caches.
  double dram_bytes() const {
    const double missed = std::min(1.0, features_.dram_read_sectors / std::max(1.0, features_.l1_sectors));
    return kBytesOfSector *
           (features_.dram_read_sectors * (1 + constants_.scattered_dram_part * scattered_loads_ * missed) +
            features_.dram_write_sectors + constants_.flush_part * features_.flushed_sectors +
            constants_.fill_part * filled_sectors(features_) +
            constants_.scattered_fill_part * opened_rows(features_));
  }
  // Spill stores are written through; reloads reach the L2 if they miss the L1.
  double l2_bytes() const {
    constexpr double kSectorsOfSpill = 4;
    const double spilled =
        kSectorsOfSpill * (features_.spill_loads * features_.spill_misses + features_.spill_stores);
    return kBytesOfSector *
           (spilled + features_.l2_read_sectors * (1 + constants_.scattered_l2_part * scattered_loads_) +
            features_.l2_write_sectors + constants_.partial_write_part * features_.partial_writes);
  }
  // Extra time, relative to the instruction's own. Registers lie in two banks: an instruction that reads
  // three of them takes longer, unless the previous instruction came from the same warp and read some of the
  // same registers. In a dependency chain, other warps' instructions come in between.
  double clocks_of_reading(double single_chain) const {
    const double warp = used(features_, Unit::kIssue) / std::max(1.0, features_.blocks * features_.warps);
    constexpr double kFewest = 0.25;  // instructions per cycle of a dependent chain of FMAs
    const double at_once =
        std::clamp(warp / std::max(1.0, waited(features_, Source::kArithmetic)), kFewest, 1.0);
    const double rate = single_chain + (1 - single_chain) * (at_once - kFewest) / (1 - kFewest);
    return 1 / rate - 1;
  }
  double shared_clocks() const {
    return own(features_.shared_wavefronts) / constants_.shared_part +
           own(features_.swap_rounds) * constants_.swap_round_clocks +
           own(features_.swap_passes) * constants_.swap_pass_clocks;
  }
  double l1_clocks() const {
    const double lines = features_.load_lines + features_.store_lines - features_.partial_lines;
    const double passes = own(features_.l1_wavefronts + spills()) * 128 / card_.l1_bytes_per_clock;
    const double partial_stores = own(features_.partial_writes + features_.partial_lines) *
                                  constants_.partial_store_clocks * stores_of_pair();
    return std::max(
        {passes / constants_.l1_part, own(lines) * constants_.line_clocks + partial_stores,
         own(used(features_, Unit::kMemory) + spills()) / constants_.memory_instructions_per_clock,
         own(features_.texture_requests) / constants_.texture_requests_per_clock});
  }
  // Two neighbouring SMs share one port. Returns its load relative to that of one SM.
  double stores_of_pair() const {
    const double pairs = card_.multiprocessors / 2.0;
    return 1 + std::clamp((features_.blocks - pairs) / pairs, 0.0, 1.0);
  }
  double atomic_clocks() const {
    return std::max({features_.l2_updates / constants_.updates_per_clock,
                     features_.most_updates * constants_.clocks_per_update,
                     features_.slice_updates * constants_.clocks_of_slice_update,
                     own(features_.l2_updates) / constants_.updates_of_multiprocessor});
  }
  double spill_clocks() const {
    const double of_warp = features_.spill_loads / std::max(1.0, features_.blocks * features_.warps);
    const double way = card_.l1_latency_clocks +
                       features_.spill_misses * (card_.l2_latency_clocks - card_.l1_latency_clocks);
    return constants_.spill_wait_part * of_warp * way;
  }
  // Critical path of a block's longest warp. Its surplus over the other warps is assumed to hit the caches,
  // because the other warps have brought the data, unless always the same warp waits for DRAM.
  double chain_clocks() const {
    Waits latencies = latencies_of(card_, constants_);
    latencies[static_cast<std::size_t>(Source::kDram)] = 0;
    const double clocks = clocks_of(features_.waits, latencies) + spill_clocks();
    return clocks * features_.longest_warp + waited(features_, Source::kDram) * card_.dram_latency_clocks *
                                                 std::min(features_.dram_warp, features_.longest_warp);
  }
  double longest_block_clocks() const {
    const double clocks = clocks_of(features_.longest_block_waits, latencies_of(card_, constants_));
    return clocks > 0 ? clocks : chain_clocks() * features_.longest_block;
  }
  double latency_clocks() const {
    const double starts = constants_.block_start_clocks * (spread_.turns - 1);
    return std::max({chain_clocks() * spread_.turns + starts, longest_block_clocks(),
                     own(features_.barriers) / constants_.barriers_per_clock});
  }

  // Path through blocks that wait for each other, from the first to the last.
  double path_clocks() const {
    const HandOverPath& path = features_.path;
    if (!path.is_known()) return 0;
    return clocks_of(path.waits, latencies_on_the_way(card_, constants_)) + path.queue +
           path.hand_overs * constants_.hand_over_clocks + path.swaps * constants_.swap_clocks +
           path.retries * constants_.retry_clocks + path.hops * constants_.hop_clocks +
           path.starts * constants_.block_start_clocks;
  }

  bool is_longest_way() const { return features_.path.is_waited() && path_clocks() > chain_clocks(); }

  const Card& card_;
  const Spread& spread_;
  const LaunchFeatures& features_;
  const ModelConstants& constants_;
  double scattered_loads_;
};

// Between the maximum and the sum.
double together(std::span<const double> clocks, double order) {
  const double longest = clocks.empty() ? 0 : std::ranges::max(clocks);
  if (longest <= 0) return 0;
  double sum = 0;
  for (const double one : clocks) sum += std::pow(one / longest, order);
  return longest * std::pow(sum, 1 / order);
}

// Resources that overlap almost completely: the pipes of an SM, and its memory pipelines.
constexpr std::array<std::string_view, 6> kPipes{"issue", "fp32", "fp64", "sfu", "int", "tensor"};
constexpr std::array<std::string_view, 3> kWaysOut{"l1", "shared", "constant"};

}  // namespace

// Launch overhead, plus an instruction fetch from DRAM if the code has more than a few instructions.
double started_us(const Card& card, const LaunchFeatures& features, const ModelConstants& constants) {
  constexpr double kFewInstructions = 8;
  const bool has_code = used(features, Unit::kIssue) > kFewInstructions * features.blocks * features.warps;
  return card.launch_us + (has_code ? constants.code_fetch_us : 0);
}

namespace {

double together(std::span<const ResourceTime> times, const ModelConstants& constants) {
  std::vector<double> pipes, ways, all;
  const bool blocks_wait = std::ranges::any_of(
      times, [](const ResourceTime& time) { return time.resource == kWaiting && time.clocks > 0; });
  for (const ResourceTime& time : times) {
    if (blocks_wait && time.resource == kLatency) continue;  // contained in the waiting time
    const auto is_one_of = [&](const auto& names) {
      return std::ranges::find(names, time.resource) != names.end();
    };
    (is_one_of(kPipes) ? pipes : is_one_of(kWaysOut) ? ways : all).push_back(time.clocks);
  }
  all.push_back(together(pipes, constants.same_norm));
  all.push_back(together(ways, constants.same_norm));
  return together(all, constants.norm);
}

}  // namespace

std::span<const ModelConstantField> model_constant_fields() {
  static constexpr ModelConstantField kConstantFields[]{
      {"norm", &ModelConstants::norm},
      {"same_norm", &ModelConstants::same_norm},
      {"single_chain_part", &ModelConstants::single_chain_part},
      {"single_chain_part64", &ModelConstants::single_chain_part64},
      {"partial_write_part", &ModelConstants::partial_write_part},
      {"partial_store_clocks", &ModelConstants::partial_store_clocks},
      {"dispatch_clocks", &ModelConstants::dispatch_clocks},
      {"issue_part", &ModelConstants::issue_part},
      {"dram_part", &ModelConstants::dram_part},
      {"l2_part", &ModelConstants::l2_part},
      {"l2_bytes_of_multiprocessor", &ModelConstants::l2_bytes_of_multiprocessor},
      {"updates_per_clock", &ModelConstants::updates_per_clock},
      {"clocks_per_update", &ModelConstants::clocks_per_update},
      {"clocks_of_slice_update", &ModelConstants::clocks_of_slice_update},
      {"clocks_of_slice_write", &ModelConstants::clocks_of_slice_write},
      {"updates_of_multiprocessor", &ModelConstants::updates_of_multiprocessor},
      {"l1_part", &ModelConstants::l1_part},
      {"code_fetch_us", &ModelConstants::code_fetch_us},
      {"shared_part", &ModelConstants::shared_part},
      {"barriers_per_clock", &ModelConstants::barriers_per_clock},
      {"constants_per_clock", &ModelConstants::constants_per_clock},
      {"texture_requests_per_clock", &ModelConstants::texture_requests_per_clock},
      {"tensor_part", &ModelConstants::tensor_part},
      {"memory_instructions_per_clock", &ModelConstants::memory_instructions_per_clock},
      {"flush_part", &ModelConstants::flush_part},
      {"line_clocks", &ModelConstants::line_clocks},
      {"swap_round_clocks", &ModelConstants::swap_round_clocks},
      {"swap_pass_clocks", &ModelConstants::swap_pass_clocks},
      {"spill_wait_part", &ModelConstants::spill_wait_part},
      {"scattered_l2_part", &ModelConstants::scattered_l2_part},
      {"scattered_dram_part", &ModelConstants::scattered_dram_part},
      {"fill_part", &ModelConstants::fill_part},
      {"scattered_fill_part", &ModelConstants::scattered_fill_part},
      {"block_start_clocks", &ModelConstants::block_start_clocks},
      {"atomic_latency_clocks", &ModelConstants::atomic_latency_clocks},
      {"hand_over_clocks", &ModelConstants::hand_over_clocks},
      {"swap_clocks", &ModelConstants::swap_clocks},
      {"answer_clocks", &ModelConstants::answer_clocks},
      {"retry_clocks", &ModelConstants::retry_clocks},
      {"hop_clocks", &ModelConstants::hop_clocks},
  };
  return kConstantFields;
}

std::vector<ResourceTime> resource_times(const Card& card, int resident_blocks,
                                         const LaunchFeatures& features, const ModelConstants& constants) {
  const Spread spread = spread_of(card, resident_blocks, features);
  return Resources(card, spread, features, constants).times();
}

HandOverClocks hand_over_clocks(const Card& card, const ModelConstants& constants) {
  return {.latencies = latencies_on_the_way(card, constants),
          .hand_over = constants.hand_over_clocks,
          .swap = constants.swap_clocks,
          .retry = constants.retry_clocks,
          .swap_lane = constants.swap_lane_clocks,
          .load_hop = constants.hop_clocks,
          .atomic_hop = constants.hop_clocks,
          .start = constants.block_start_clocks,
          .dispatch = constants.dispatch_clocks,
          .asked_by_load = constants.asked_by_load_clocks,
          .asked_by_atomic = constants.asked_by_atomic_clocks,
          .asked_by_lane = constants.asked_by_lane_clocks,
          .tried = constants.tried_clocks,
          .tried_by_lane = constants.tried_by_lane_clocks,
          .tried_by_word = constants.tried_by_word_clocks,
          .tried_anywhere = constants.tried_anywhere_clocks,
          .served = constants.served_clocks};
}

double predicted_us(const Card& card, int resident_blocks, const LaunchFeatures& features,
                    const ModelConstants& constants) {
  return started_us(card, features, constants) +
         together(resource_times(card, resident_blocks, features, constants), constants) / card.clock_mhz;
}

void predict(const Card& card, const LaunchFeatures& features, Prediction& prediction) {
  const ModelConstants constants;
  prediction.card = card.id;
  prediction.inputs = named(features);
  const std::vector<ResourceTime> times =
      resource_times(card, prediction.occupancy.blocks, features, constants);
  const double us = started_us(card, features, constants) + together(times, constants) / card.clock_mhz;
  prediction.ms = us * 1e-3;
  for (const ResourceTime& time : times) {
    if (time.clocks <= 0) continue;
    const double own_us = time.clocks / card.clock_mhz + (time.resource == "launch" ? card.launch_us : 0);
    prediction.limits.push_back({std::string(time.resource), own_us / us, time.amount,
                                 time.amount / (own_us * 1e-6), std::string(time.unit)});
  }
  std::ranges::stable_sort(prediction.limits, std::ranges::greater{}, &Limit::share);
}

}  // namespace cudalab::vgpu
