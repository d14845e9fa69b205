// The model on all recorded launches, without interpreting them: its error must not grow.
#include "vgpu/time/time_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "vgpu/time/feature_names.h"

namespace cudalab::vgpu {
namespace {

struct Recorded {
  std::string name;
  double measured_us = 0, predicted_us = 0;
  double error() const { return std::max(predicted_us / measured_us, measured_us / predicted_us) - 1; }
};

std::vector<Recorded> replayed(const std::string& id) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/expected/" + id + "/time_model.jsonl");
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

// Of pairs whose measured times differ by more than 20 %, in hundredths.
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

// What docs/time-model.md states.
struct Stated {
  const char* card;
  double median, nine_in_ten, ordered_percent;
};
class TimeModel : public testing::TestWithParam<Stated> {};

TEST_P(TimeModel, ErrsNoMoreThanStated) {
  const std::vector<Recorded> launches = replayed(GetParam().card);
  ASSERT_GT(launches.size(), 480u);
  EXPECT_LE(launches[launches.size() / 2].error(), GetParam().median);
  EXPECT_LE(launches[launches.size() * 9 / 10].error(), GetParam().nine_in_ten)
      << launches[launches.size() * 9 / 10].name;
  EXPECT_GE(ordered_percent(launches), GetParam().ordered_percent);
}
INSTANTIATE_TEST_SUITE_P(Cards, TimeModel,
                         testing::Values(Stated{"h200", 0.10, 0.41, 96.9}, Stated{"h100", 0.10, 0.43, 96.9}),
                         [](const auto& info) { return std::string(info.param.card); });

TEST(FeatureNames, EveryFeatureIsRecordedAndReadBack) {
  LaunchFeatures features;
  features.blocks = 7;
  features.use[1] = 3;
  features.waits[4] = 2;
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

// Loads and nothing else, all of which miss the caches.
LaunchFeatures loads(double sectors_of_request) {
  constexpr double kRequests = 32768;
  LaunchFeatures features;
  features.blocks = 4096, features.threads = 256, features.warps = 8;
  features.use[static_cast<std::size_t>(Unit::kMemory)] = kRequests;
  features.l1_sectors = features.l2_read_sectors = features.dram_read_sectors =
      kRequests * sectors_of_request;
  features.l1_wavefronts = features.l1_sectors / 4;
  return features;
}
double dram_clocks(const LaunchFeatures& features) {
  const auto times = resource_times(*find_card("h200"), 8, features, {});
  return std::ranges::find(times, "dram", &ResourceTime::resource)->clocks;
}

TEST(TimeModelScatter, ASectorForEachLaneCostsMoreThanItsBytes) {
  EXPECT_NEAR(dram_clocks(loads(16)), 4 * dram_clocks(loads(4)), 1);  // 16 bytes a lane: coalesced
  EXPECT_GT(dram_clocks(loads(32)), 2.2 * 8 * dram_clocks(loads(4)));
  LaunchFeatures cached = loads(32);
  cached.dram_read_sectors /= 8;
  EXPECT_LT(dram_clocks(cached), 1.3 * dram_clocks(loads(4)));  // read again from a cache
}

TEST(TimeModelScatter, PartlyWrittenSectorsAreFilledUnlessTheyWereRead) {
  LaunchFeatures written = loads(4);
  written.l2_write_sectors = written.partial_writes = written.l1_sectors;
  written.l1_wavefronts *= 2;
  written.use[static_cast<std::size_t>(Unit::kMemory)] *= 2;
  const double of_read = dram_clocks(written);
  written.flushed_sectors = written.dram_read_sectors;
  const double same_sectors = dram_clocks(written);
  written.flushed_sectors *= 2;
  EXPECT_GT(dram_clocks(written) - same_sectors, 1.5 * (same_sectors - of_read));
}

TEST(TimeModelScatter, ASectorWhoseEightWordsAreWrittenNeedsNoRowOfItsOwn) {
  LaunchFeatures written = loads(32);  // as many stores, and nothing read
  written.l2_write_sectors = written.partial_writes = written.l1_sectors;
  written.l1_sectors = written.l2_read_sectors = written.dram_read_sectors = 0;
  written.flushed_sectors = written.partial_writes / 2;
  const double half = dram_clocks(written);
  written.flushed_sectors = written.partial_writes / 8;
  EXPECT_LT(8 * dram_clocks(written), half);
}

double latency_clocks(const LaunchFeatures& features) {
  const auto times = resource_times(*find_card("h200"), 1, features, {});
  return std::ranges::find(times, "latency", &ResourceTime::resource)->clocks;
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

TEST(TimeModelLatency, ABlockInThePlaceOfAnotherStartsLater) {
  LaunchFeatures features;
  features.blocks = 132, features.threads = 32, features.warps = 1;
  features.waits[static_cast<std::size_t>(Source::kArithmetic)] = 100;
  const double one_turn = latency_clocks(features);
  features.blocks *= 3;
  EXPECT_NEAR(latency_clocks(features), 3 * one_turn + 2 * ModelConstants{}.block_start_clocks, 1e-6);
}

TEST(TimeModelAtomics, FloatsTakeLongerOnlyWhereLanesCollide) {
  LaunchFeatures features;
  features.blocks = 264, features.threads = 256, features.warps = 8;
  features.use[static_cast<std::size_t>(Unit::kMemory)] = 20000;  // of 10,000 atomics
  features.l2_updates = 20000, features.most_updates = 48000;     // 2.4 times, of floats
  const auto clocks = [&] {
    const auto times = resource_times(*find_card("h200"), 8, features, {});
    return std::ranges::find(times, "atomics", &ResourceTime::resource)->clocks;
  };
  EXPECT_NEAR(clocks(), 20000 * ModelConstants{}.clocks_per_update, 1e-6);
  features.l2_updates *= 8, features.most_updates *= 8;  // 16 of a request, one word
  EXPECT_NEAR(clocks(), 2.4 * 160000 * ModelConstants{}.clocks_per_update, 1e-6);
}

TEST(TimeModelLimits, AnEmptyKernelTakesItsLaunch) {
  LaunchFeatures features;
  features.blocks = features.warps = 1, features.threads = 32;
  EXPECT_NEAR(predicted_us(*find_card("h200"), 32, features), find_card("h200")->launch_us, 0.01);
}

}  // namespace
}  // namespace cudalab::vgpu
