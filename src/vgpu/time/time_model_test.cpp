// Tests the model on all recorded launches, without interpreting them: its error must not grow.
#include "vgpu/time/time_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "vgpu/time/launch_features.h"

namespace cudalab::vgpu {
namespace {

struct Recorded {
  std::string name;
  double measured_us = 0, predicted_us = 0;
  double error() const { return std::max(predicted_us / measured_us, measured_us / predicted_us) - 1; }
};

std::vector<Recorded> replayed(const std::string& id, const std::string& set) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/expected/" + id + "/" + set + ".jsonl");
  std::vector<Recorded> launches;
  for (std::string line; std::getline(file, line);) {
    const auto record = nlohmann::json::parse(line);
    if (!record.contains("inputs")) continue;
    NamedNumbers inputs;
    for (const auto& [name, value] : record.at("inputs").items())
      inputs.emplace_back(name, value.get<double>());
    launches.push_back({record.at("name"), 1e3 * record.at("cold_ms").at("median").get<double>(),
                        predicted_us(*find_card(id), record.at("resident_blocks"), features_from(inputs))});
  }
  std::ranges::sort(launches, {}, &Recorded::error);
  return launches;
}

// Percentage of launch pairs whose predicted order is right, among pairs whose measured times differ by more
// than 20 %.
double ordered_percent(const std::vector<Recorded>& launches) {
  double pairs = 0, right = 0;
  for (const Recorded& a : launches)
    for (const Recorded& b : launches) {
      if (a.measured_us * 1.2 >= b.measured_us) continue;
      ++pairs;
      right += a.predicted_us < b.predicted_us;
    }
  return 100 * right / pairs;
}

// The accuracy that docs/time-model.md states.
struct Stated {
  const char *title, *card, *set;
  std::size_t fewest;
  double median, nine_in_ten, worst, ordered_percent;
};
class TimeModel : public testing::TestWithParam<Stated> {};

TEST_P(TimeModel, ErrsNoMoreThanStated) {
  const std::vector<Recorded> launches = replayed(GetParam().card, GetParam().set);
  ASSERT_GE(launches.size(), GetParam().fewest);
  EXPECT_LE(launches[launches.size() / 2].error(), GetParam().median);
  EXPECT_LE(launches[launches.size() * 9 / 10].error(), GetParam().nine_in_ten)
      << launches[launches.size() * 9 / 10].name;
  EXPECT_LE(launches.back().error() + 1, GetParam().worst) << launches.back().name;
  EXPECT_GE(ordered_percent(launches), GetParam().ordered_percent);
}
INSTANTIATE_TEST_SUITE_P(
    Cards, TimeModel,
    testing::Values(Stated{"h200", "h200", "time_model", 508, 0.08, 0.29, 2.1, 98.7},
                    Stated{"h100", "h100", "time_model", 508, 0.08, 0.29, 2.15, 98.7},
                    Stated{"h200_waiting", "h200", "time_model_waiting", 87, 0.10, 0.57, 2.25, 98.4},
                    Stated{"h100_waiting", "h100", "time_model_waiting", 87, 0.13, 0.51, 2.2, 98.4},
                    Stated{"h200_fresh", "h200", "time_model_fresh", 93, 0.10, 0.32, 2.25, 98.7},
                    Stated{"h200_more", "h200", "time_model_more", 75, 0.14, 0.31, 2.15, 98.0},
                    Stated{"h100_more", "h100", "time_model_more", 75, 0.12, 0.30, 2.15, 98.5},
                    Stated{"h200_unseen", "h200", "time_model_unseen", 66, 0.10, 0.33, 1.6, 98.5},
                    Stated{"h100_unseen", "h100", "time_model_unseen", 66, 0.09, 0.26, 1.5, 98.5},
                    Stated{"h200_further", "h200", "time_model_further", 46, 0.13, 0.48, 2.0, 96.7},
                    Stated{"h100_further", "h100", "time_model_further", 46, 0.12, 0.45, 2.3, 97.0},
                    Stated{"h200_others", "h200", "time_model_others", 68, 0.105, 0.29, 1.7, 98.2},
                    Stated{"h200_public", "h200", "time_model_public", 240, 0.105, 0.44, 6.2, 97.4},
                    Stated{"h100_public", "h100", "time_model_public", 240, 0.095, 0.38, 6.2, 97.8},
                    Stated{"h100_others", "h100", "time_model_others", 68, 0.09, 0.29, 1.7, 98.4}),
    [](const auto& info) { return std::string(info.param.title); });

TEST(FeatureNames, EveryFeatureIsRecordedAndReadBack) {
  LaunchFeatures features;
  features.blocks = 7;
  features.use[1] = 3;
  features.waits[4] = 2;
  features.longest_block_waits[3] = 9;
  features.path.retries = 5;
  EXPECT_EQ(named(features_from(named(features))), named(features));
}

TEST(TimeModelLimits, NameWhatTheLaunchAsksMostOf) {
  LaunchFeatures features;
  features.blocks = 1000, features.threads = 256, features.warps = 8;
  features.shared_wavefronts = 1e7;
  Prediction prediction;
  prediction.occupancy.blocks = 8;
  predict(*find_card("h200"), features, prediction);
  EXPECT_EQ(prediction.limits.front().resource, "shared");
  const double conflicts_ms = prediction.ms;
  features.shared_wavefronts /= 32;
  Prediction padded;
  padded.occupancy.blocks = 8;
  predict(*find_card("h200"), features, padded);
  EXPECT_LT(10 * padded.ms, conflicts_ms);
}

// A launch that only loads; all loads miss the caches.
LaunchFeatures loads(double sectors_of_request) {
  constexpr double kRequests = 32768;
  LaunchFeatures features;
  features.blocks = 4096, features.threads = 256, features.warps = 8;
  features.use[static_cast<std::size_t>(Unit::kMemory)] = kRequests;
  features.l1_sectors = features.l2_read_sectors = features.dram_read_sectors =
      kRequests * sectors_of_request;
  features.l1_wavefronts = features.l1_sectors / 4;
  features.load_requests = features.load_lines = kRequests;
  return features;
}
double dram_clocks(const LaunchFeatures& features) {
  const auto times = resource_times(*find_card("h200"), 8, features, {});
  return std::ranges::find(times, "dram", &ResourceTime::resource)->clocks;
}

// The same launch with its sectors in `pieces_of_request` 256-byte segments per request.
LaunchFeatures scattered_loads(double pieces_of_request) {
  LaunchFeatures features = loads(32);
  features.load_pieces = features.load_requests * pieces_of_request;
  return features;
}

TEST(TimeModelScatter, ASectorThatLiesAloneCostsMoreThanItsBytes) {
  EXPECT_NEAR(dram_clocks(loads(16)), 4 * dram_clocks(loads(4)), 1);
  const double together = dram_clocks(scattered_loads(4)), apart = dram_clocks(scattered_loads(32));
  EXPECT_NEAR(together, 8 * dram_clocks(loads(4)), 1);  // one sector per lane, but contiguous
  EXPECT_GT(apart, 1.3 * together);
  EXPECT_LT(dram_clocks(scattered_loads(16)), apart);
  LaunchFeatures cached = scattered_loads(32);
  cached.dram_read_sectors /= 8;
  EXPECT_LT(dram_clocks(cached), 1.3 * dram_clocks(loads(4)));  // read again from a cache
}

// Stores of `bytes_of_sector` bytes per sector, in `pieces_of_request` 256-byte segments per request.
LaunchFeatures stores(double bytes_of_sector, double pieces_of_request) {
  LaunchFeatures features = loads(32);
  features.l2_write_sectors = features.partial_writes = features.filled_sectors = features.l1_sectors;
  features.partial_bytes = bytes_of_sector * features.filled_sectors;
  features.store_requests = features.load_requests;
  features.store_pieces = features.store_requests * pieces_of_request;
  features.l1_sectors = features.l2_read_sectors = features.dram_read_sectors = 0;
  return features;
}

double l1_clocks(const LaunchFeatures& features) {
  const auto times = resource_times(*find_card("h200"), 1, features, {});
  return std::ranges::find(times, "l1", &ResourceTime::resource)->clocks;
}

// One block, which has an SM to itself: 57 cycles for 32 sectors in 32 lines, 35.5 cycles in eight lines.
TEST(TimeModelScatter, AMultiprocessorWritesPartsOfSectorsOneByOne) {
  LaunchFeatures features;
  features.blocks = features.warps = 1;
  features.threads = 32;
  features.partial_writes = 32 * 1000;
  features.store_lines = features.partial_lines = 32 * 1000;
  EXPECT_NEAR(l1_clocks(features), 57 * 1000, 500);
  features.store_lines = features.partial_lines = 8 * 1000;
  EXPECT_NEAR(l1_clocks(features), 35.5 * 1000, 500);
}

// Two neighbouring SMs share a port: the stores of 132 SMs take twice as long as those of 66 SMs.
TEST(TimeModelScatter, NeighbouringMultiprocessorsWritePartsOfSectorsInTurn) {
  const auto clocks = [](double blocks) {
    LaunchFeatures features;
    features.blocks = blocks;
    features.warps = 1;
    features.threads = 32;
    features.partial_writes = features.partial_lines = features.store_lines = 32 * 1000 * blocks;
    return l1_clocks(features);
  };
  EXPECT_NEAR(clocks(66), clocks(1), 1);
  EXPECT_NEAR(clocks(132), 2 * clocks(1), 1);
}

TEST(TimeModelScatter, SectorsAreFilledByWhatIsNotWritten) {
  EXPECT_EQ(dram_clocks(stores(32, 32)), 0);
  EXPECT_GT(dram_clocks(stores(4, 4)), 1.5 * dram_clocks(stores(16, 4)));
  EXPECT_GT(dram_clocks(stores(4, 32)), 3 * dram_clocks(stores(4, 4)));
}

TEST(TimeModelScatter, AtomicsOpenARowForEachSectorThatTheyTouchFirst) {
  LaunchFeatures updates = loads(32);
  updates.l2_updates = updates.updated_sectors = updates.l1_sectors;
  updates.update_requests = updates.load_requests;
  updates.l1_sectors = 0;
  const double together = dram_clocks(updates);
  updates.update_pieces = 32 * updates.update_requests;
  EXPECT_GT(dram_clocks(updates), 3 * together);
}

double latency_clocks(const LaunchFeatures& features) {
  const auto times = resource_times(*find_card("h200"), 1, features, {});
  return std::ranges::find(times, "latency", &ResourceTime::resource)->clocks;
}

double clocks_of(const LaunchFeatures& features, std::string_view resource) {
  const auto times = resource_times(*find_card("h200"), 8, features, {});
  return std::ranges::find(times, resource, &ResourceTime::resource)->clocks;
}

// A chain of FMAs keeps the pipe busy if each FMA reads two registers, but only half of the time if it reads
// three.
TEST(TimeModelPipes, AThirdRegisterTakesTimeWhereOtherWarpsComeBetween) {
  LaunchFeatures features;
  features.blocks = 1056, features.threads = 256, features.warps = 8;
  constexpr double kOfWarp = 1000, kClocksOfChain = 4;
  const double instructions = features.blocks * features.warps * kOfWarp;
  features.use[static_cast<std::size_t>(Unit::kIssue)] = instructions;
  features.use[static_cast<std::size_t>(Unit::kFp32)] = instructions;
  features.waits[static_cast<std::size_t>(Source::kArithmetic)] = kOfWarp * kClocksOfChain;
  const Card& card = *find_card("h200");
  const double two = predicted_us(card, 8, features);
  features.use[static_cast<std::size_t>(Unit::kThreeReads)] = instructions;
  EXPECT_GT(predicted_us(card, 8, features), 1.6 * two);
  features.waits[static_cast<std::size_t>(Source::kArithmetic)] = kOfWarp;  // four independent chains
  EXPECT_LT(predicted_us(card, 8, features), 1.01 * two);
}

TEST(TimeModelLatency, TheLongestWarpWaitsForDramAsOftenAsTheOthers) {
  LaunchFeatures features;
  features.blocks = 1, features.threads = 256, features.warps = 8;
  features.waits[static_cast<std::size_t>(Source::kDram)] = 1;
  const double alike = latency_clocks(features);
  features.longest_warp = 8;
  EXPECT_EQ(latency_clocks(features), alike);
  features.waits[static_cast<std::size_t>(Source::kL2)] = 1;
  EXPECT_NEAR(latency_clocks(features) - alike, 8 * find_card("h200")->l2_latency_clocks, 1e-6);
}

// The value from the GPU's file, or the L1 latency plus the difference measured on the H200.
TEST(TimeModelLatency, ATexelTakesAsLongAsAWalkThroughTexelsMeasures) {
  LaunchFeatures features;
  features.blocks = 1, features.threads = 32, features.warps = 1;
  features.waits[static_cast<std::size_t>(Source::kTexture)] = 100;
  Card card = *find_card("h200");
  const auto latency_of_card = [&] {
    for (const ResourceTime& time : resource_times(card, 1, features, {}))
      if (time.resource == "latency") return time.clocks;
    return 0.0;
  };
  EXPECT_EQ(latency_of_card(), 100 * card.texture_latency_clocks);
  card.texture_latency_clocks = 0;
  EXPECT_NEAR(latency_of_card(), 100 * find_card("h200")->texture_latency_clocks, 1e-6);
}

// The measured latency of a pointer-chasing step in shared or constant memory includes an address
// computation. A critical path counts that computation separately.
TEST(TimeModelLatency, TheAddressOfAStepIsCountedOnce) {
  constexpr double kSteps = 1000, kAddress = 6;
  for (const auto& [source, clocks] :
       {std::pair(Source::kShared, find_card("h200")->shared_latency_clocks),
        std::pair(Source::kConstant, find_card("h200")->constant_latency_clocks)}) {
    LaunchFeatures features;
    features.blocks = 1, features.threads = 32, features.warps = 1;
    features.waits[static_cast<std::size_t>(source)] = kSteps;
    features.waits[static_cast<std::size_t>(Source::kArithmetic)] = kSteps * kAddress;
    EXPECT_NEAR(latency_clocks(features), kSteps * clocks, 1e-6);
  }
}

TEST(TimeModelLatency, ABlockInThePlaceOfAnotherStartsLater) {
  LaunchFeatures features;
  features.blocks = 132, features.threads = 32, features.warps = 1;
  features.waits[static_cast<std::size_t>(Source::kArithmetic)] = 100;
  const double one_turn = latency_clocks(features);
  features.blocks *= 3;
  EXPECT_NEAR(latency_clocks(features), 3 * one_turn + 2 * ModelConstants{}.block_start_clocks, 1e-6);
}

// Seven of a block's eight warps have ended, and warps of other blocks run in their slots, as far as block
// slots allow.
TEST(TimeModelLatency, WarpsThatHaveEndedMakeRoomForOtherBlocks) {
  LaunchFeatures features;
  features.blocks = 132 * 32, features.threads = 256, features.warps = 8;
  features.waits[static_cast<std::size_t>(Source::kL2)] = 100;
  const double alike = clocks_of(features, "latency");
  features.longest_warp = 8;
  features.waits[static_cast<std::size_t>(Source::kL2)] /= 8;  // of the average warp
  features.block_places = 32;
  EXPECT_LT(3.9 * clocks_of(features, "latency"), alike);
  features.block_places = 16;  // limited by shared memory
  EXPECT_GT(3 * clocks_of(features, "latency"), alike);
  features.barriers = 2 * features.blocks * features.warps;  // all warps continue to the last barrier
  EXPECT_NEAR(clocks_of(features, "latency"), alike, 1e-6 * alike);
}

TEST(TimeModelLatency, AWarpThatAlwaysDoesTheWorkOfOthersWaitsForAllOfIt) {
  LaunchFeatures features;
  features.blocks = 1, features.threads = 256, features.warps = 8;
  features.waits[static_cast<std::size_t>(Source::kDram)] = 1;
  const double alike = latency_clocks(features);
  features.longest_warp = features.dram_warp = 8;
  EXPECT_NEAR(latency_clocks(features), 8 * alike, 1e-6);
}

// The longest block's own waits are more accurate than its instruction count.
TEST(TimeModelLatency, ALongestBlockTakesWhatItWaitsFor) {
  LaunchFeatures features;
  features.blocks = 132, features.threads = 32, features.warps = 1;
  features.waits[static_cast<std::size_t>(Source::kArithmetic)] = 100;
  features.longest_block = 50;
  EXPECT_NEAR(latency_clocks(features), 5000, 1e-6);
  features.longest_block_waits[static_cast<std::size_t>(Source::kL2)] = 100;
  EXPECT_NEAR(latency_clocks(features), 100 * find_card("h200")->l2_latency_clocks, 1e-6);
}

// The path through blocks that wait for each other replaces the critical path of one block.
TEST(TimeModelWaiting, TakesWhatItsHandOversTake) {
  LaunchFeatures features;
  features.blocks = 1000, features.threads = 32, features.warps = 1;
  features.waits[static_cast<std::size_t>(Source::kL2)] = 2;
  const double alone = predicted_us(*find_card("h200"), 8, features);
  features.path.waits[static_cast<std::size_t>(Source::kL2)] = 1000;
  features.path.waits[static_cast<std::size_t>(Source::kArithmetic)] = 1000;
  features.path.hand_overs = 999;
  const double clocks = clocks_of(features, "waiting");
  EXPECT_NEAR(clocks,
              1000 * find_card("h200")->l2_latency_clocks + 1000 + 999 * ModelConstants{}.hand_over_clocks,
              1);
  EXPECT_NEAR(predicted_us(*find_card("h200"), 8, features) - alone, clocks / find_card("h200")->clock_mhz,
              0.1 * clocks / find_card("h200")->clock_mhz);
}

TEST(TimeModelShared, LanesThatSwapOneWordGoOneAfterTheOther) {
  LaunchFeatures features;
  features.blocks = 264, features.threads = 256, features.warps = 8;
  features.swap_rounds = features.swap_passes = 10000;
  const double apart = clocks_of(features, "shared");
  features.swap_rounds *= 32, features.swap_passes *= 32 * 33 / 2;
  EXPECT_GT(clocks_of(features, "shared"), 50 * apart);
}

TEST(TimeModelL1, LinesAreLookedUpAndBanksReadSideBySide) {
  LaunchFeatures row = loads(4), apart = loads(4), column = loads(4);
  apart.load_lines *= 32;  // each lane in its own bank
  column.load_lines *= 32, column.l1_wavefronts *= 32;
  EXPECT_GT(clocks_of(apart, "l1"), 2 * clocks_of(row, "l1"));
  EXPECT_GT(clocks_of(column, "l1"), 1.5 * clocks_of(apart, "l1"));
  EXPECT_NEAR(clocks_of(column, "l1"), 32 * clocks_of(row, "l1"), 1);
}

TEST(TimeModelL2, ScatteredStoresToAFewLinesMeetInOnePart) {
  LaunchFeatures features = loads(4);
  const double spread = clocks_of(features, "l2");
  features.slice_writes = 1e6;
  EXPECT_GT(clocks_of(features, "l2"), 2 * spread);
}

TEST(TimeModelSpills, TakeTheL1AndTheirStoresTheL2) {
  LaunchFeatures features = loads(4);
  const double l1 = clocks_of(features, "l1"), l2 = clocks_of(features, "l2"),
               latency = clocks_of(features, "latency");
  features.spill_loads = features.spill_stores = 1e6;
  EXPECT_GT(clocks_of(features, "l1"), 2 * l1);
  EXPECT_GT(clocks_of(features, "latency"), latency);
  const double fits = clocks_of(features, "l2");
  EXPECT_GT(fits, 2 * l2);
  features.spill_misses = 1;
  EXPECT_NEAR(clocks_of(features, "l2") - l2, 2 * (fits - l2), 1e-3 * fits);
}

TEST(TimeModelLimits, AnEmptyKernelTakesItsLaunch) {
  LaunchFeatures features;
  features.blocks = features.warps = 1, features.threads = 32;
  EXPECT_NEAR(predicted_us(*find_card("h200"), 32, features), find_card("h200")->launch_us, 0.01);
}

}  // namespace
}  // namespace cudalab::vgpu
