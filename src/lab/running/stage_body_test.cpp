// Tests what a stage may do besides one launch, and where its arrays, time and share of peak come from.
#include <gmock/gmock.h>

#include "core/diagnostics/message_testing.h"
#include "lab/running/run_lab_testing.h"

namespace cudalab::lab {
namespace {

using testing::AllOf;
using testing::ElementsAre;

// Two launches and a sum on the host, as in a reduction.
TEST_F(RunLab, ABodyMakesSeveralLaunchesAndFinishesOnTheHost) {
  lab.run = [](LabRun& run) {
    ArrayOf<float>& in = run.input<float>("in", {1, 2, 3, 4});
    ArrayOf<float>& partial = run.scratch<float>("partial", 2);
    ArrayOf<float>& total = run.result<float>("total");
    const std::vector<float> expected{20};
    run.set_check([&] { return same_bits<float>(total.host(), expected); });
    KernelStage stage;
    stage.name = "good";
    stage.file = "1_good.cu";
    stage.body = [&](Gpu& gpu) {
      gpu.launch({"good", {{2}, {2}}, {in.device(), partial.device()}});
      gpu.launch({"good", {{2}, {2}}, {partial.device(), partial.device()}});
      total.host()[0] = 0;
      for (const float part : gpu.download(partial)) total.host()[0] += part;
    };
    if (Row* row = run.kernel(stage)) row->extra.emplace_back("parts", 2);
  };
  const FakeDevice::Kernel pairs = [](FakeDevice& d, const device::Launch& launch, LaunchResult&) {
    const auto in = d.at<float>(launch.arguments[0]), out = d.at<float>(launch.arguments[1]);
    if (in.size() == 4)
      for (int i : {0, 1}) out[i] = in[2 * i] + in[2 * i + 1];
    else
      for (int i : {0, 1})
        out[i] = std::min(2 * in[i], 7 * in[0] - 7);  // 3, 7 becomes 6, 14: wrong if repeated
  };
  FakeDevice device(false), gpu(true);
  device.kernels = gpu.kernels = {{"good", pairs}};
  const Row run = run_on(device).rows.at(0);
  EXPECT_EQ(run.verdict, Verdict::kPass) << run.reason;
  EXPECT_EQ(run.counters->get(Counter::kGlobalLoadRequests), 20);
  EXPECT_THAT(run.extra, ElementsAre(std::pair<std::string, double>("parts", 2)));
  const Row timed = run_on(gpu).rows.at(0);
  EXPECT_EQ(timed.time_ms->median, 4);
  lab.columns.clear();
  EXPECT_THROW(run_on(device), std::logic_error) << "the lab must declare `parts`";
}

TEST_F(RunLab, AStageThatAddsUpIsRunAfreshAfterTiming) {
  const auto lab_with = [this](bool accumulates) {
    lab.run = [accumulates](LabRun& run) {
      ArrayOf<int>& out = run.output<int>("out", 1);
      const std::vector<int> expected{1};
      KernelStage stage;
      stage.name = "good";
      stage.file = "1_good.cu";
      stage.accumulates = accumulates;
      stage.check = [&] { return same_bits<int>(out.host(), expected); };
      stage.body = [&](Gpu& gpu) {
        gpu.fill(out, 0);
        gpu.launch({"good", {{1}, {1}}, {out.device()}});
      };
      run.kernel(stage);
    };
  };
  FakeDevice gpu(true);
  gpu.kernels = {{"good", [](FakeDevice& d, const device::Launch& launch, LaunchResult&) {
                    ++d.at<int>(launch.arguments[0])[0];
                  }}};
  lab_with(true);
  EXPECT_EQ(run_on(gpu).rows[0].verdict, Verdict::kPass);
  lab_with(false);
  EXPECT_EQ(run_on(gpu).rows[0].verdict, Verdict::kFail);
}

TEST_F(RunLab, ZeroedArraysHoldZerosBeforeEveryRepetition) {
  lab.run = [](LabRun& run) {
    ArrayOf<int>& out = run.output<int>("out", 1);
    const std::vector<int> expected{1};
    KernelStage stage;
    stage.name = "good";
    stage.file = "1_good.cu";
    stage.check = [&] { return same_bits<int>(out.host(), expected); };
    stage.launch = {"good", {{1}, {1}}, {out.device()}, {&out}};
    run.kernel(stage);
  };
  FakeDevice gpu(true);
  gpu.kernels = {{"good", [](FakeDevice& d, const device::Launch& launch, LaunchResult&) {
                    ++d.at<int>(launch.arguments[0])[0];
                  }}};
  EXPECT_EQ(run_on(gpu).rows[0].verdict, Verdict::kPass);
}

TEST_F(RunLab, VariablesAreFilledUpToTheirSize) {
  lab.run = [](LabRun& run) {
    KernelStage stage;
    stage.name = "good";
    stage.file = "1_good.cu";
    for (const int count : {2, 3}) {
      stage.body = [=](Gpu& gpu) { gpu.set_variable<float>("factors", std::vector<float>(count, 1.5f)); };
      run.kernel(stage);
    }
  };
  FakeDevice device(false);
  device.variables["factors"].resize(8);
  const Result result = run_on(device);
  EXPECT_EQ(result.rows[0].verdict, Verdict::kNotAssessed);
  EXPECT_EQ(reinterpret_cast<const float*>(device.variables["factors"].data())[1], 1.5f);
  EXPECT_THAT(result.rows[1].reason,
              IsMessage("variable_too_small", {{"variable", "factors"}, {"size", 8}, {"count", 12}}));
}

TEST_F(RunLab, SizesBeyondMemoryAreRefusedBeforeAnythingIsAllocated) {
  lab.run = [](LabRun& run) { run.require_memory(8e12, 100, "--rows and --cols"); };
  EXPECT_THAT(message(), AllOf(IsMessage("size_needs_memory", {{"needed", "8000.0 GB"},
                                                               {"needed_bytes", 8e12},
                                                               {"available", "1.1 GB"},
                                                               {"options", "--rows and --cols"}}),
                               MentionsMessage("word_device")));
  lab.run = [](LabRun& run) { run.require_memory(100, 8e12, "--rows and --cols"); };
  EXPECT_THAT(message(), MentionsMessage("word_host"));
  lab.run = [](LabRun& run) { run.require_memory(100, 100, "--rows"); };
  EXPECT_TRUE(message().empty());
}

TEST_F(RunLab, ADeviceInTheHostsMemoryCountsThere) {
  lab.run = [](LabRun& run) { run.require_memory(5e8, 5e8, "--rows"); };
  FakeDevice device(false);
  EXPECT_NO_THROW(run_on(device));
  device.details.host_bytes_per_byte = 2;
  EXPECT_THROW(run_on(device), Error);
}

TEST_F(RunLab, ASkippedStageSaysWhyAndIsNoPass) {
  lab.run = [](LabRun& run) { run.skip("overlap", RowKind::kCopy, Message::verbatim("no streams")); };
  FakeDevice device(false);
  const Result result = run_on(device);
  EXPECT_EQ(result.rows[0].verdict, Verdict::kNotAssessed);
  EXPECT_EQ(result.rows[0].reason, Message::verbatim("no streams"));
  EXPECT_EQ(result.verdict, Verdict::kNotAssessed);
}

TEST_F(RunLab, TheCopyCeilingNeedsADeviceThatMeasuresTime) {
  lab.run = [](LabRun& run) { run.copy_ceiling(1000); };
  FakeDevice device(false), gpu(true);
  EXPECT_TRUE(run_on(device).rows.empty());
  const Result result = run_on(gpu);
  EXPECT_EQ(result.rows.at(0).time_ms->median, 1);
  EXPECT_EQ(result.rows.at(0).useful_bytes, 2000);
  EXPECT_EQ(result.rows.at(0).verdict, Verdict::kNotAssessed);
}

}  // namespace
}  // namespace cudalab::lab
