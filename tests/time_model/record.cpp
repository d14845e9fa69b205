// Measures every launch of a list (launches.txt, fresh.txt) on the GPU, records the inputs that the virtual
// GPU finds for it, and predicts its time. See README.md.
//
//     cudalab_time_model compile LIST FOLDER               PTX of all sources, and the output of ptxas
//     cudalab_time_model gpu LIST FOLDER [NAME…]           one line of JSON per launch, with times
//     cudalab_time_model once LIST FOLDER [NAME…]          runs each launch once, for a profiler to watch
//     cudalab_time_model virtual LIST FOLDER CARD [NAME…]  a line of JSON per launch, with the model's inputs
//     cudalab_time_model predict CARD FILE                 reads lines of constants, writes one of
//     microseconds each
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "calibration_testing.h"
#include "core/files.h"
#include "device/device.h"
#include "lab/any_kernel/bound_arguments.h"
#include "vgpu/time/launch_features.h"
#include "vgpu/time/time_model.h"

namespace cudalab::calibration {
namespace {

constexpr double kSeconds = 0.15;            // of samples, in each of the two ways
constexpr char kResources[] = ".resources";  // beside the PTX: the output of ptxas for its kernels

// The PTX and resources that `compile` wrote into the folder.
class Programs {
 public:
  Programs(device::Device& device, std::filesystem::path folder)
      : device_(device), folder_(std::move(folder)) {}
  const device::Program& of(const CalibrationLaunch& launch) {
    auto& program = programs_[ptx_name(launch)];
    if (!program) program = device_.load(read(launch));
    return *program;
  }

 private:
  compile::CompiledSource read(const CalibrationLaunch& launch) const {
    compile::CompiledSource source;
    source.ptx = read_bytes(folder_ / ptx_name(launch));
    source.file_name = launch.file;
    std::istringstream lines(read_bytes(folder_ / (ptx_name(launch) + kResources)));
    std::string symbol;
    for (KernelResources of; lines >> symbol >> of.registers >> of.shared_bytes >> of.stack_bytes >>
                             of.spill_store_bytes >> of.spill_load_bytes;)
      source.resources[symbol] = of;
    return source;
  }

  device::Device& device_;
  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<device::Program>> programs_;
};

nlohmann::json summary(const std::optional<TimeSummary>& time) {
  if (!time) return nullptr;
  return {{"median", time->median}, {"min", time->min}, {"max", time->max}, {"samples", time->samples}};
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
    record["failed"] = result.hazards.empty() ? std::string("?") : result.hazards.back().what.text();
  } else if (result.prediction) {
    for (const auto& [name, value] : result.prediction->inputs) record["inputs"][name] = value;
    record["resident_blocks"] = result.prediction->occupancy.blocks;
  } else if (is_timed) {
    add_times(device, launch, record);
  }
  return record;
}

// A launch that fails does not end the recording.
nlohmann::json record_of(device::Device& device, Programs& programs, const CalibrationLaunch& wanted,
                         bool is_timed) {
  try {
    return run(device, programs, wanted, is_timed);
  } catch (const Error& error) {
    return {{"name", wanted.name}, {"failed", error.what()}};
  }
}

using Words = std::span<const std::string>;

// Calls `record` for each launch.
template <class Record>
int print_all(const std::string& list, Words names, Record record) {
  for (const CalibrationLaunch& launch : calibration_launches(list)) {
    if (!names.empty() && std::ranges::find(names, launch.name) == names.end()) continue;
    fmt::print("{}\n", record(launch).dump());
    std::fflush(stdout);
  }
  return 0;
}

int run_on_gpu(bool is_timed, const std::string& list, const std::string& folder, Words names) {
  const auto device = device::open_device(device::DeviceChoice::kGpu);
  Programs programs(*device, folder);
  return print_all(list, names, [&](const CalibrationLaunch& launch) {
    return record_of(*device, programs, launch, is_timed);
  });
}

// Each launch has its own virtual GPU, so its buffers always have the same addresses. The addresses determine
// which lines are in the sample.
int run_virtually(const vgpu::Card& card, const std::string& list, const std::string& folder, Words names) {
  return print_all(list, names, [&](const CalibrationLaunch& launch) {
    const auto device = device::open_virtual_device({.card = card});
    Programs programs(*device, folder);
    return record_of(*device, programs, launch, false);
  });
}

int compile_all(const std::string& list, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const CalibrationLaunch& launch : calibration_launches(list)) {
    const auto path = folder / ptx_name(launch);
    if (std::filesystem::exists(path)) continue;
    const compile::CompiledSource source = compiled(launch);
    std::ofstream(path) << source.ptx;
    std::ofstream resources(path.string() + kResources);
    for (const auto& [symbol, of] : source.resources)
      fmt::print(resources, "{} {} {} {} {} {}\n", symbol, of.registers, of.shared_bytes, of.stack_bytes,
                 of.spill_store_bytes, of.spill_load_bytes);
  }
  return 0;
}

const vgpu::Card& card_named(const std::string& name) {
  if (const vgpu::Card* card = vgpu::find_card(name)) return *card;
  throw usage_error(Message::verbatim("there is no card `" + std::string(name) + "`"));
}

// ---- predictions -------------------------------------------------------------------------------------
int predict(const std::string& card_name, const std::string& file) {
  const vgpu::Card& card = card_named(card_name);
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
      fmt::print("{:.5g} ", vgpu::predicted_us(card, launch.resident_blocks, launch.features, constants));
    fmt::print("\n");
    std::fflush(stdout);
  }
  return 0;
}

int run(int argc, char** argv) {
  const std::vector<std::string> all(argv + 1, argv + argc);
  const Words words(all);
  const auto is = [&](const char* verb, std::size_t least) {
    return words.size() >= least && words[0] == verb;
  };
  if (is("predict", 3)) return predict(words[1], words[2]);
  if (is("compile", 3)) return compile_all(words[1], words[2]);
  if (is("virtual", 4)) return run_virtually(card_named(words[3]), words[1], words[2], words.subspan(4));
  if (is("gpu", 3) || is("once", 3)) return run_on_gpu(is("gpu", 3), words[1], words[2], words.subspan(3));
  std::fputs(
      "cudalab_time_model compile|gpu|once LIST FOLDER, virtual LIST FOLDER CARD, [NAME...], or predict CARD "
      "FILE\n",
      stderr);
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
