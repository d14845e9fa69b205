// The device as a stage's body sees it: launches once or repeatedly, and summarizes the measured times.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "core/work_budget.h"
#include "lab/stage.h"

namespace cudalab::lab {

// Timing of CPU versions, and summaries of samples.

struct CpuTimingPlan {
  int min_samples = 5;
  int max_samples = 11;
  double max_seconds = 0.1;  // sampling stops after this time if min_samples are there, and after min_samples
                             // times it in any case
};

// Runs `work` once to warm up, then repeatedly. If the warm-up alone takes longer than max_seconds *
// min_samples, it is the only sample, and `samples` is 1. `after_warm_up` is called once, before the samples.
// `clock` returns seconds.
TimeSummary time_cpu(const std::function<void()>& work, const CpuTimingPlan& plan,
                     const std::function<void()>& after_warm_up = {},
                     const std::function<double()>& clock = now_seconds);

// The median of an even number of samples is the mean of the middle two. Needs at least one sample.
TimeSummary summarize(std::vector<double> samples_ms);

// Two steps in sequence: the sum of each figure, and the smaller number of samples.
TimeSummary in_sequence(const TimeSummary& first, const TimeSummary& second);

// The device as a stage's body sees it: one run makes each launch once, another repeats and times it.

// Thrown through a body if a launch did not complete, because later steps would use undefined data.
struct LaunchStopped {};

// Thrown through a body by the first large launch if the setup asks for an estimate: the blocks of the
// launch, and the warp instructions that they would execute.
struct LaunchProbed {
  std::uint64_t blocks = 0;
  double warp_instructions = 0;
};

// A stage that would execute more than kMostInSeconds warp instructions runs a sample of blocks that executes
// about kInASample: a few seconds and a fraction of a second, respectively, on one host thread.
inline constexpr double kMostInSeconds = 1 << 27, kInASample = 1 << 24;

// The number of blocks of the probed launch to run; 0: all.
std::uint64_t blocks_to_run(const LaunchProbed& probed);

// The kernel of that name; in a user's file, else the only kernel. Throws Error(kUsage), which lists the
// kernels there are.
const device::Kernel& find_kernel(const device::Program& program, const std::string& name, bool is_users,
                                  const std::string& file);

class StageGpu : public Gpu {
 public:
  struct Setup {
    device::Device& device;
    device::Program* program = nullptr;  // null if the stage has no file
    std::string file;
    bool is_users = false;
    LaunchOptions options{};  // `record`: the first launch
    const device::Onlooker* onlooker = nullptr;
    std::optional<device::TimingPlan> timing;  // set in the run that measures time
    bool probes = false;                       // the first large launch throws LaunchProbed
  };
  explicit StageGpu(Setup setup) : setup_(std::move(setup)) {}

  void launch(const KernelLaunch& launch) override;
  void call(const std::function<LaunchResult()>& once,
            const std::function<std::optional<TimeSummary>(const device::TimingPlan&)>& timed) override;
  using Gpu::call;
  device::Device& device() override { return setup_.device; }
  device::Program& program() override;

  std::size_t launches() const { return launches_; }
  const LaunchResult& result() const { return result_; }  // the total of all launches so far
  // The same, in the run that measures time.
  const std::optional<TimeSummary>& time() const { return time_ms_; }
  const std::optional<KernelLaunch>& first_launch() const { return first_launch_; }
  // The blocks of all launches so far; empty if all of them ran.
  std::optional<BlockSample> sample() const;

 private:
  void set_variable_bytes(const std::string& name, std::span<const std::byte> bytes) override;

  void probe(const device::Launch& launch);

  Setup setup_;
  BlockSample blocks_;
  LaunchResult result_;
  std::optional<TimeSummary> time_ms_;
  std::size_t launches_ = 0;
  std::optional<KernelLaunch> first_launch_;  // with the kernel's name as found
};

}  // namespace cudalab::lab
