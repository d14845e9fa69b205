// Compiles and interprets a sample of the recorded launches again: the inputs of the time model equal those
// that were recorded beside the times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>

#include "tests/time_model/calibration_testing.h"
#include "vgpu/time/launch_features.h"

namespace cudalab::calibration {
namespace {

constexpr char kRecordedWith[] = "13.0";
constexpr std::size_t kEvery = 7;          // one in this many launches is tried
constexpr double kMostInstructions = 6e5;  // of warps, so that it takes milliseconds
constexpr double kRelative = 1e-5;         // recorded numbers have seven digits

// launches.txt names files relative to the root of the tree.
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

// Each launch has its own virtual GPU, as when it was recorded, so its buffers have the same addresses.
std::map<std::string, double> inputs_of(const CalibrationLaunch& launch) {
  const auto device = device::open_virtual_device();
  const auto program = device->load(compiled(launch));
  const device::Kernel& kernel = program->kernel(launch.kernel);
  lab::BoundArguments arguments(*device);
  const LaunchResult result = device->launch(prepared(launch, kernel, arguments));
  if (!result.prediction) return {};
  return {result.prediction->inputs.begin(), result.prediction->inputs.end()};
}

void expect_recorded(const RecordedLaunch& recorded, const std::map<std::string, double>& inputs) {
  for (const auto& [name, value] : vgpu::named(recorded.features)) {
    ASSERT_TRUE(inputs.contains(name)) << recorded.name;
    EXPECT_NEAR(inputs.at(name), value, kRelative * std::max(1.0, std::abs(value)))
        << recorded.name << ' ' << name;
  }
}

TEST(TimeModelInputs, AreWhatWasRecorded) {
  if (compile::compiler_version() != kRecordedWith)
    GTEST_SKIP() << "recorded with the PTX of CUDA " << kRecordedWith;
  const InFolder tree(CUDALAB_SOURCE_DIR);
  const std::vector<CalibrationLaunch> launches = calibration_launches("tests/time_model/launches.txt");
  std::size_t tried = 0, small = 0;
  for (const RecordedLaunch& recorded : recorded_launches("expected/h200/time_model.jsonl")) {
    if (!is_small(recorded) || small++ % kEvery != 0) continue;
    const auto launch = std::ranges::find(launches, recorded.name, &CalibrationLaunch::name);
    ASSERT_NE(launch, launches.end()) << recorded.name;
    expect_recorded(recorded, inputs_of(*launch));
    ++tried;
  }
  EXPECT_GE(tried, 15u);
}

}  // namespace
}  // namespace cudalab::calibration
