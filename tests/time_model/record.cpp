// Times every launch of launches.txt on the GPU, says what the virtual GPU finds out about it, and predicts.
// See README.md.
//
//     cudalab_time_model compile FOLDER          writes the PTX of all sources there
//     cudalab_time_model gpu FOLDER [NAME…]      one line of JSON a launch, with times
//     cudalab_time_model once FOLDER [NAME…]     runs each launch once, for a profiler to watch
//     cudalab_time_model virtual FOLDER [NAME…]  one line of JSON a launch, with what the time model is fed
//     with cudalab_time_model predict CARD FILE       reads lines of constants, writes a line of microseconds
//     for each
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "calibration_testing.h"
#include "core/files.h"
#include "device/device.h"
#include "lab/any_kernel/bound_arguments.h"
#include "vgpu/time/feature_names.h"
#include "vgpu/time/time_model.h"

namespace cudalab::calibration {
namespace {

constexpr double kSeconds = 0.15;  // of samples, each way

class Programs {
 public:
  Programs(device::Device& device, std::filesystem::path folder)
      : device_(device), folder_(std::move(folder)) {}
  const device::Program& of(const CalibrationLaunch& launch) {
    auto& program = programs_[ptx_name(launch)];
    if (program) return *program;
    compile::CompiledSource source;
    source.ptx = read_bytes(folder_ / ptx_name(launch));
    source.file_name = launch.file;
    program = device_.load(source);
    return *program;
  }

 private:
  device::Device& device_;
  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<device::Program>> programs_;
};

nlohmann::json summary(const std::optional<TimeSummary>& time) {
  if (!time) return nullptr;
  return {{"median", time->median}, {"min", time->min}, {"max", time->max}, {"samples", time->samples}};
}

device::Launch prepared(const CalibrationLaunch& wanted, const device::Kernel& kernel,
                        lab::BoundArguments& arguments) {
  for (const std::string& text : wanted.arguments) arguments.add(lab::parse_argument(text), "arg");
  arguments.fill();
  device::Launch launch;
  launch.kernel = &kernel;
  launch.grid = wanted.grid;
  launch.block = wanted.block;
  launch.shared_bytes = wanted.shared_bytes;
  launch.arguments = arguments.arguments();
  launch.checks = device::Checks::kNone;
  return launch;
}

void add_times(device::Device& device, const device::Launch& launch, nlohmann::json& record) {
  device::TimingPlan plan;
  plan.max_seconds = kSeconds;
  plan.cold = true;
  record["cold_ms"] = summary(device.time_launch(launch, plan));
  plan.cold = false;
  record["warm_ms"] = summary(device.time_launch(launch, plan));
  record["registers"] = launch.kernel->registers.value_or(0);
  record["local_bytes"] = launch.kernel->local_bytes.value_or(0);
}

nlohmann::json run(device::Device& device, Programs& programs, const CalibrationLaunch& wanted,
                   bool is_timed) {
  const device::Kernel& kernel = programs.of(wanted).kernel(wanted.kernel);
  lab::BoundArguments arguments(device);
  const device::Launch launch = prepared(wanted, kernel, arguments);
  nlohmann::json record{{"name", wanted.name}};
  const LaunchResult result = device.launch(launch);
  if (!result.completed) {
    record["failed"] = result.hazards.empty() ? "?" : result.hazards.back().what;
  } else if (result.prediction) {
    for (const auto& [name, value] : result.prediction->inputs) record["inputs"][name] = value;
    record["resident_blocks"] = result.prediction->occupancy.blocks;
  } else if (is_timed) {
    add_times(device, launch, record);
  }
  return record;
}

// One launch that fails does not end the recording.
nlohmann::json record_of(device::Device& device, Programs& programs, const CalibrationLaunch& wanted,
                         bool is_timed) {
  try {
    return run(device, programs, wanted, is_timed);
  } catch (const Error& error) {
    return {{"name", wanted.name}, {"failed", error.what()}};
  }
}

int run_all(device::Device& device, bool is_timed, const std::string& folder,
            const std::vector<std::string>& names) {
  Programs programs(device, folder);
  for (const CalibrationLaunch& launch : calibration_launches()) {
    if (!names.empty() && std::ranges::find(names, launch.name) == names.end()) continue;
    fmt::print("{}\n", record_of(device, programs, launch, is_timed).dump());
    std::fflush(stdout);
  }
  return 0;
}

int compile_all(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const CalibrationLaunch& launch : calibration_launches()) {
    const auto path = folder / ptx_name(launch);
    if (!std::filesystem::exists(path)) std::ofstream(path) << compiled(launch).ptx;
  }
  return 0;
}

// ---- predictions -------------------------------------------------------------------------------------
int predict(const std::string& card_name, const std::string& file) {
  const vgpu::Card* card = vgpu::find_card(card_name);
  if (!card) throw usage_error("there is no card `{}`", card_name);
  const std::vector<RecordedLaunch> launches = recorded_launches(file);
  for (const auto& field : vgpu::model_constant_fields())
    fmt::print("{} {} ", field.name, vgpu::ModelConstants{}.*field.value);
  fmt::print("\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream numbers(line);
    vgpu::ModelConstants constants;
    for (const auto& field : vgpu::model_constant_fields()) numbers >> constants.*field.value;
    for (const RecordedLaunch& launch : launches)
      fmt::print("{:.5g} ", vgpu::predicted_us(*card, launch.resident_blocks, launch.features, constants));
    fmt::print("\n");
    std::fflush(stdout);
  }
  return 0;
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() >= 2 && words[0] == "compile") return compile_all(words[1]);
  if (words.size() == 3 && words[0] == "predict") return predict(words[1], words[2]);
  if (words.size() >= 2 && (words[0] == "gpu" || words[0] == "once" || words[0] == "virtual")) {
    const auto device = words[0] == "virtual" ? device::open_virtual_device()
                                              : device::open_device(device::DeviceChoice::kGpu);
    return run_all(*device, words[0] == "gpu", words[1], {words.begin() + 2, words.end()});
  }
  std::fputs("cudalab_time_model compile|gpu|once|virtual FOLDER [NAME...], or predict CARD FILE\n", stderr);
  return 2;
}

}  // namespace
}  // namespace cudalab::calibration

int main(int argc, char** argv) {
  try {
    return cudalab::calibration::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cudalab_time_model: %s\n", error.what());
    return 1;
  }
}
