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
                         testing::Values(Stated{"h200", 0.13, 0.65, 95}, Stated{"h100", 0.13, 0.65, 95}),
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

TEST(TimeModelLimits, AnEmptyKernelTakesItsLaunch) {
  LaunchFeatures features;
  features.blocks = features.warps = 1, features.threads = 32;
  EXPECT_NEAR(predicted_us(*find_card("h200"), 32, features), find_card("h200")->launch_us, 0.01);
}

}  // namespace
}  // namespace cudalab::vgpu
