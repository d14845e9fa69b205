// The device as a stage's body sees it: launches once or repeatedly, and summarizes the measured times.
#include "lab/running/stage_gpu.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "core/measurement.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

double milliseconds_of(const std::function<void()>& work, const std::function<double()>& clock) {
  const double start = clock();
  work();
  return (clock() - start) * 1000;
}

}  // namespace

TimeSummary summarize(std::vector<double> samples_ms) {
  std::sort(samples_ms.begin(), samples_ms.end());
  const std::size_t count = samples_ms.size();
  const double median = (samples_ms[(count - 1) / 2] + samples_ms[count / 2]) / 2;
  return {median, samples_ms.front(), samples_ms.back(), static_cast<int>(count)};
}

TimeSummary time_cpu(const std::function<void()>& work, const CpuTimingPlan& plan,
                     const std::function<void()>& after_warm_up, const std::function<double()>& clock) {
  const double budget_ms = plan.max_seconds * 1000;
  const double warm_up_ms = milliseconds_of(work, clock);
  if (after_warm_up) after_warm_up();
  const double longest_ms = budget_ms * plan.min_samples;
  if (warm_up_ms > longest_ms) return summarize({warm_up_ms});
  std::vector<double> samples;
  double age_ms = 0;
  const auto goes_on = [&] {
    const auto count = static_cast<int>(samples.size());
    if (count == 0) return true;
    return count < plan.min_samples ? age_ms < longest_ms : count < plan.max_samples && age_ms < budget_ms;
  };
  while (goes_on()) {
    samples.push_back(milliseconds_of(work, clock));
    age_ms += samples.back();
  }
  return summarize(std::move(samples));
}

TimeSummary in_sequence(const TimeSummary& first, const TimeSummary& second) {
  return {first.median + second.median, first.min + second.min, first.max + second.max,
          std::min(first.samples, second.samples)};
}

namespace {

std::string names_of(std::span<const device::Kernel> kernels) {
  std::string names;
  for (const device::Kernel& kernel : kernels) names += (names.empty() ? "" : ", ") + kernel.name;
  return names;
}

}  // namespace

const device::Kernel& find_kernel(const device::Program& program, const std::string& name, bool is_users,
                                  const std::string& file) {
  const std::span<const device::Kernel> kernels = program.kernels();
  for (const device::Kernel& kernel : kernels)
    if (kernel.name == name || kernel.symbol == name) return kernel;
  if (kernels.empty()) throw usage_error(msg::file_has_no_kernels(file, name));
  if (is_users && kernels.size() == 1) return kernels.front();
  throw usage_error(msg::file_lacks_kernel(file, name, names_of(kernels)));
}

constexpr std::uint64_t kProbedBlocks = 8, kFewBlocks = 256;

std::uint64_t blocks_to_run(const LaunchProbed& probed) {
  if (probed.warp_instructions <= kMostInSeconds) return 0;
  const double share = kInASample / probed.warp_instructions;
  return std::max(kProbedBlocks,
                  static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(probed.blocks))));
}

std::optional<BlockSample> StageGpu::sample() const {
  return blocks_.blocks < blocks_.of ? std::optional(blocks_) : std::nullopt;
}

// The output of the probed blocks is discarded: the stage runs again.
void StageGpu::probe(const device::Launch& launch) {
  device::Launch few = launch;
  few.options.most_blocks = kProbedBlocks;
  few.options.checks = Checks::kNone;
  few.options.predict = few.options.record = false;
  few.options.pace = nullptr;
  few.onlooker = nullptr;
  const LaunchResult result = setup_.device.launch(few);
  const double executed = result.counters ? result.counters->value_or_zero(Counter::kWarpInstructions) : 0;
  const std::uint64_t blocks = launch.spec.grid.volume();
  throw LaunchProbed{blocks, executed / kProbedBlocks * static_cast<double>(blocks)};
}

device::Program& StageGpu::program() {
  if (!setup_.program) throw std::logic_error("a stage without a file has no kernels and no variables");
  return *setup_.program;
}

void StageGpu::launch(const KernelLaunch& launch) {
  const device::Kernel& kernel = find_kernel(program(), launch.kernel, setup_.is_users, setup_.file);
  if (!first_launch_) {
    first_launch_ = launch;
    first_launch_->kernel = kernel.name;
  }
  ++launches_;
  LaunchOptions options = setup_.options;
  options.record = options.record && !result_.recording;
  const std::uint64_t blocks = launch.spec.grid.volume();
  const bool is_sample = options.most_blocks > 0 && options.most_blocks < blocks;
  if (is_sample)
    options.checks = Checks::kNone;  // checks would report the data that the missing blocks did not write
  const device::Launch started{.kernel = &kernel,
                               .spec = launch.spec,
                               .arguments = launch.arguments,
                               .options = options,
                               .onlooker = setup_.onlooker};
  const auto zero = [this, &launch] {
    for (const Array* array : launch.zeroed) fill(*array, 0);
  };
  if (setup_.probes && blocks >= kFewBlocks) {
    zero();
    probe(started);
  }
  blocks_.blocks += is_sample ? options.most_blocks : blocks;
  blocks_.of += blocks;
  call(
      [&] {
        zero();
        LaunchResult result = setup_.device.launch(started);
        if (is_sample)
          scale_counts(result, static_cast<double>(blocks) / static_cast<double>(options.most_blocks));
        return result;
      },
      [&](device::TimingPlan plan) {
        if (!launch.zeroed.empty()) plan.before_each = zero;
        return setup_.device.time_launch(started, plan);
      });
}

void StageGpu::call(const std::function<LaunchResult()>& once,
                    const std::function<std::optional<TimeSummary>(const device::TimingPlan&)>& timed) {
  if (!setup_.timing) {
    if (once) add_launch(result_, with_children(once()));
    if (!result_.completed) throw LaunchStopped{};
    return;
  }
  if (const auto time_ms = timed(*setup_.timing))
    time_ms_ = time_ms_ ? in_sequence(*time_ms_, *time_ms) : *time_ms;
}

void StageGpu::set_variable_bytes(const std::string& name, std::span<const std::byte> bytes) {
  const auto [address, size] = program().variable(name);
  if (bytes.size() > size) throw usage_error(msg::variable_too_small(setup_.file, name, size, bytes.size()));
  setup_.device.upload(address, bytes);
}

}  // namespace cudalab::lab
