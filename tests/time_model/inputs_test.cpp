// A sample of the recorded launches, compiled and interpreted anew: what the time model is fed with is what
// was recorded beside the times.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>

#include "tests/time_model/calibration_testing.h"
#include "vgpu/time/feature_names.h"

namespace cudalab::calibration {
namespace {

constexpr char kRecordedWith[] = "13.0";
constexpr std::size_t kEvery = 7;          // launch is tried
constexpr double kMostInstructions = 6e5;  // of warps, so that it takes milliseconds

// Where buffers lie decides which lines are in the sample, and which part of the L2 holds them.
struct Tolerance {
  std::string_view begins;
  double relative;
};
constexpr Tolerance kTolerances[] = {{"slice_", 1}, {"wait_", 0.05},   {"dram_", 0.05},
                                     {"l2_", 0.05}, {"flushed", 0.05}, {"", 5e-3}};

double tolerance_of(std::string_view name) {
  return std::ranges::find_if(kTolerances, [&](const Tolerance& one) { return name.starts_with(one.begins); })
      ->relative;
}

// launches.txt names files from the top of the tree.
class InFolder {
 public:
  explicit InFolder(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~InFolder() { std::filesystem::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::filesystem::path before_;
};

bool is_small(const RecordedLaunch& launch) {
  return launch.features.use[static_cast<std::size_t>(vgpu::Unit::kIssue)] < kMostInstructions;
}

std::map<std::string, double> inputs_of(device::Device& device, const CalibrationLaunch& launch) {
  const auto program = device.load(compiled(launch));
  const device::Kernel& kernel = program->kernel(launch.kernel);
  lab::BoundArguments arguments(device);
  const LaunchResult result = device.launch(prepared(launch, kernel, arguments));
  if (!result.prediction) return {};
  return {result.prediction->inputs.begin(), result.prediction->inputs.end()};
}

// Of a few lines that all touch again and again, few or none are in the sample, by their addresses: how many
// they stand for is not compared.
bool is_of_few_lines(const RecordedLaunch& recorded) {
  constexpr double kAgain = 1000;
  const vgpu::LaunchFeatures& features = recorded.features;
  const double touched = std::max(features.l2_read_sectors, features.load_lines);
  return features.dram_read_sectors > 0 && touched > kAgain * features.dram_read_sectors;
}
bool is_sampled(std::string_view name) {
  return std::ranges::any_of(std::array{"dram_", "l2_read", "updated_", "filled_", "flushed", "wait_"},
                             [&](const char* begin) { return name.starts_with(begin); });
}

void expect_recorded(const RecordedLaunch& recorded, const std::map<std::string, double>& inputs) {
  for (const auto& [name, value] : vgpu::named(recorded.features)) {
    ASSERT_TRUE(inputs.contains(name)) << recorded.name;
    if (is_of_few_lines(recorded) && is_sampled(name)) continue;
    EXPECT_NEAR(inputs.at(name), value, tolerance_of(name) * std::max(1.0, std::abs(value)))
        << recorded.name << ' ' << name;
  }
}

TEST(TimeModelInputs, AreWhatWasRecorded) {
  if (compile::compiler_version() != kRecordedWith)
    GTEST_SKIP() << "recorded with the PTX of CUDA " << kRecordedWith;
  const InFolder tree(CUDALAB_SOURCE_DIR);
  const auto device = device::open_virtual_device();
  const std::vector<CalibrationLaunch> launches = calibration_launches("tests/time_model/launches.txt");
  std::size_t tried = 0, small = 0;
  for (const RecordedLaunch& recorded : recorded_launches("expected/h200/time_model.jsonl")) {
    if (!is_small(recorded) || small++ % kEvery != 0) continue;
    const auto launch = std::ranges::find(launches, recorded.name, &CalibrationLaunch::name);
    ASSERT_NE(launch, launches.end()) << recorded.name;
    expect_recorded(recorded, inputs_of(*device, *launch));
    ++tried;
  }
  EXPECT_GE(tried, 15u);
}

}  // namespace
}  // namespace cudalab::calibration
