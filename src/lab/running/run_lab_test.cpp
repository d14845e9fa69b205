// How a lab is run, on a device whose kernels are functions: what passes, what fails and why, what is timed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/temporary_folder_testing.h"
#include "lab/fake_device_testing.h"
#include "lab/lab.h"

namespace cudalab::lab {
namespace {

using Row = Row;  // inside a test, Run is a member function of GoogleTest

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kCount = 1000;

// The lab under test doubles numbers; a test writes its run function and its kernels.
class RunLab : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root / "double");
    write("double/1_good.cu", "good");
    write("double/2_bad.cu", "bad");
    lab.name = "double";
    lab.stages = {"cpu", "good", "bad"};
    lab.options = {integer("count", "elements", 1000, 2000, 1, 10000)};
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(root / name) << text; }

  // Writes 2 * in, apart from what a test breaks.
  static FakeDevice::Kernel doubling(std::size_t elements = kCount) {
    return [=](FakeDevice& device, const device::Launch& launch, LaunchResult&) {
      const auto in = device.at<float>(launch.arguments[0]), out = device.at<float>(launch.arguments[1]);
      for (std::size_t i = 0; i < elements; ++i) out[i] = 2 * in[i];
    };
  }
  struct Arrays {
    ArrayOf<float>& in;
    ArrayOf<float>& out;
    std::vector<float> expected;
  };
  static Arrays arrays(LabRun& run) {
    Arrays made{run.random_input<float>("in", kCount), run.output<float>("out", kCount), {}};
    for (const float value : made.in.host()) made.expected.push_back(2 * value);
    return made;
  }
  static KernelStage stage(const std::string& name, const std::string& file, const Arrays& use) {
    KernelStage made;
    made.name = name;
    made.file = file;
    made.launch = {name, {4}, {256}, 0, {use.in.device(), use.out.device()}};
    return made;
  }
  // CPU version, then the stages good and bad.
  void plain_lab() {
    lab.run = [](LabRun& run) {
      Arrays use = arrays(run);
      run.set_work({8.0 * kCount, 0});
      run.set_check([&] { return same_bits<float>(use.out.host(), use.expected); });
      run.cpu({.run = [&](int) {
        std::transform(use.in.host().begin(), use.in.host().end(), use.out.host().begin(),
                       [](float x) { return 2 * x; });
      }});
      run.kernel(stage("good", "1_good.cu", use));
      run.kernel(stage("bad", "2_bad.cu", use));
    };
  }
  Result run_on(FakeDevice& device) {
    return run_lab(lab, request, Machine{device, FakeDevice::compile, root, {"a processor", 2, 1u << 30}});
  }
  static std::vector<std::string> names(const Result& result) {
    std::vector<std::string> all;
    for (const Row& run : result.rows) all.push_back(run.name);
    return all;
  }
  static const Row& named(const Result& result, const std::string& name) {
    for (const Row& run : result.rows)
      if (run.name == name) return run;
    throw std::out_of_range(name);
  }
  std::string message() {
    FakeDevice device(false);
    try {
      run_on(device);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder;
  const fs::path& root = folder.path();
  Lab lab;
  RunRequest request;
};

TEST_F(RunLab, RightVersionsPass) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling()}};
  const Result result = run_on(device);
  EXPECT_THAT(names(result), ElementsAre("cpu-1-thread", "cpu-all-threads", "good", "bad"));
  for (const Row& row : result.rows) EXPECT_EQ(row.verdict, Verdict::kPass) << row.name << ": " << row.reason;
  EXPECT_EQ(result.verdict, Verdict::kPass);
  const Row& good = result.rows[2];
  EXPECT_EQ(good.source, "labs/double/1_good.cu");
  EXPECT_EQ(good.kernel, "good");
  EXPECT_EQ(good.grid, (Dim3{4, 1, 1}));
  EXPECT_EQ(good.check->compared, kCount);
  EXPECT_EQ(good.check->digest, result.rows[0].check->digest);
  EXPECT_EQ(good.useful_bytes, 8000);
  EXPECT_EQ(result.rows[1].threads, 2);
  EXPECT_TRUE(device.all_freed());
}

TEST_F(RunLab, WithoutDeviceTimeThereIsSimulationTimeAlone) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling()}};
  const Row good = named(run_on(device), "good");
  EXPECT_FALSE(good.time_ms);
  EXPECT_FALSE(good.transfer_ms);
  EXPECT_EQ(good.simulation_ms, 1);
  EXPECT_EQ(good.counters->get(Counter::kGlobalLoadRequests), 10);
}

TEST_F(RunLab, ADeviceThatMeasuresTimeGivesTimesRatesAndSpeedups) {
  plain_lab();
  FakeDevice device(true);
  device.kernels = {{"good", doubling()}, {"bad", doubling()}};
  const Row good = named(run_on(device), "good");
  EXPECT_EQ(good.time_ms->median, 2);
  EXPECT_EQ(good.transfer_ms->median, 7);
  EXPECT_DOUBLE_EQ(*good.gb_s, 8000 / 2e-3 / 1e9);
  EXPECT_TRUE(good.speedup_1_thread);
  EXPECT_TRUE(good.speedup_all_threads);
}

TEST_F(RunLab, ASkippedTailFailsBecauseOutputsArePoisoned) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling(kCount - 1)}};
  const Result result = run_on(device);
  EXPECT_EQ(named(result, "good").verdict, Verdict::kPass);
  const Row bad = named(result, "bad");
  EXPECT_EQ(bad.verdict, Verdict::kFail);
  EXPECT_THAT(bad.reason, HasSubstr("1 of 1000 elements is wrong; the first is [999]: never written"));
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

TEST_F(RunLab, AKernelThatIsWrongOnlyWhenRepeatedFails) {
  plain_lab();
  FakeDevice device(true);
  int calls = 0;
  device.kernels = {{"good", doubling()},
                    {"bad", [&](FakeDevice& d, const device::Launch& launch, LaunchResult& r) {
                       doubling()(d, launch, r);
                       if (++calls == 3) d.at<float>(launch.arguments[1])[5] = 0;
                     }}};
  device.repetitions = 2;
  EXPECT_THAT(named(run_on(device), "bad").reason,
              HasSubstr("right at first, but after the timed repetitions 1 of"));
}

TEST_F(RunLab, AHazardFailsARunWhoseNumbersAreRight) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good", doubling()},
                    {"bad", [](FakeDevice& d, const device::Launch& launch, LaunchResult& r) {
                       doubling()(d, launch, r);
                       Hazard race;
                       race.kind = HazardKind::kSharedRace;
                       race.where = {"2_bad.cu", 7};
                       race.what = "two threads write tile[3]";
                       r.hazards = {race, race};
                     }}};
  const Row bad = named(run_on(device), "bad");
  EXPECT_EQ(bad.verdict, Verdict::kFail);
  EXPECT_EQ(bad.reason, "2_bad.cu:7: two threads write tile[3] (and 1 more)");
  EXPECT_EQ(bad.check->mismatches, 0u);
}

TEST_F(RunLab, ACheckThatComparesNothingIsNoPass) {
  lab.run = [](LabRun& run) {
    Arrays use = arrays(run);
    run.set_check([] { return same_bits<float>(std::span<const float>(), std::span<const float>()); });
    run.cpu({.run = [](int) {}});
    run.kernel(stage("good", "1_good.cu", use));
  };
  for (const bool measures_time : {false, true}) {
    FakeDevice device(measures_time);
    device.kernels = {{"good", doubling()}};
    const Result result = run_on(device);
    for (const Row& run : result.rows) {
      EXPECT_EQ(run.verdict, Verdict::kNotAssessed) << run.name;
      EXPECT_EQ(run.reason, "nothing was compared") << run.name;
    }
    EXPECT_EQ(result.verdict, Verdict::kNotAssessed);
  }
}

TEST_F(RunLab, WithoutACheckThereIsNoPass) {
  lab.run = [](LabRun& run) { run.kernel(stage("good", "1_good.cu", arrays(run))); };
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}};
  const Result result = run_on(device);
  EXPECT_EQ(result.rows.at(0).verdict, Verdict::kNotAssessed);
  EXPECT_EQ(result.rows[0].reason, "measured; it has nothing to check");
}

TEST_F(RunLab, AWrongCpuVersionFailsTheWhole) {
  lab.run = [](LabRun& run) {
    Arrays use = arrays(run);
    run.set_check([&] { return same_bits<float>(use.out.host(), use.expected); });
    run.cpu(
        {.run = [&](int) { std::copy(use.in.host().begin(), use.in.host().end(), use.out.host().begin()); }});
  };
  FakeDevice device(false);
  const Result result = run_on(device);
  EXPECT_EQ(result.rows.at(0).verdict, Verdict::kFail);
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

TEST_F(RunLab, WhatFailsIsNotTimed) {
  plain_lab();
  FakeDevice device(true);
  device.kernels = {{"good", doubling()}, {"bad", doubling(10)}};
  const Result result = run_on(device);
  EXPECT_TRUE(named(result, "good").time_ms);
  EXPECT_FALSE(named(result, "bad").time_ms);
}

// What a kernel left over would otherwise pass for the next one's result.
TEST_F(RunLab, OutputsArePoisonedBeforeEachStage) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling(0)}};
  EXPECT_THAT(named(run_on(device), "bad").reason, HasSubstr("1000 of 1000 elements are wrong"));
}

TEST_F(RunLab, AStoppedKernelFailsAndTheNextStagesRun) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good",
                     [](FakeDevice&, const device::Launch&, LaunchResult& r) {
                       Hazard limit;
                       limit.kind = HazardKind::kStepLimit;
                       limit.what = "ran 1000 steps";
                       r.hazards = {limit};
                       r.completed = false;
                     }},
                    {"bad", doubling()}};
  const Result result = run_on(device);
  EXPECT_EQ(named(result, "good").verdict, Verdict::kFail);
  EXPECT_EQ(named(result, "good").reason, "ran 1000 steps");
  EXPECT_TRUE(named(result, "good").check);  // how much of the result is there
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kPass);
}

TEST_F(RunLab, ADeviceThatAKernelTookDownAssessesNothingMore) {
  plain_lab();
  FakeDevice device(true);
  device.kernels = {{"good",
                     [](FakeDevice& d, const device::Launch&, LaunchResult& r) {
                       r.hazards.emplace_back().what = "an illegal address";
                       r.completed = false;
                       d.lost = true;
                     }},
                    {"bad", doubling()}};
  const Result result = run_on(device);
  EXPECT_EQ(named(result, "good").reason, "an illegal address");
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kNotAssessed);
  EXPECT_EQ(named(result, "bad").reason, "not run: `good` took the a fake down with it");
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_FALSE(result.stopped);
}

TEST_F(RunLab, AKernelThatOutlivesItsTimeIsStopped) {
  plain_lab();
  FakeDevice device(true);
  device.kernels = {{"good",
                     [](FakeDevice& d, const device::Launch&, LaunchResult&) {
                       d.lost = true;
                       throw stopped_error("still running after 60 s");
                     }},
                    {"bad", doubling()}};
  const Result result = run_on(device);
  EXPECT_EQ(named(result, "good").reason, "still running after 60 s");
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kNotAssessed);
  EXPECT_TRUE(result.stopped);
}

TEST_F(RunLab, AFileThatDoesNotCompileFailsAndTheNextStagesRun) {
  plain_lab();
  write("double/1_good.cu", "error: expected a ;");
  FakeDevice device(false);
  device.kernels = {{"bad", doubling()}};
  const Result result = run_on(device);
  EXPECT_EQ(named(result, "good").reason, "labs/double/1_good.cu:1: error: expected a ;");
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kPass);
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

TEST_F(RunLab, AMissingCompilerEndsTheLab) {
  plain_lab();
  FakeDevice device(false);
  const auto none = [](const compile::CompileRequest&) -> compile::CompiledSource {
    throw unavailable_error("NVRTC is not installed");
  };
  EXPECT_THROW(run_lab(lab, request, Machine{device, none, root, {"a processor", 2, 1u << 30}}), Error);
}

TEST_F(RunLab, InputsThatAWrongKernelChangedArePutBack) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good",
                     [](FakeDevice& d, const device::Launch& launch, LaunchResult&) {
                       for (float& value : d.at<float>(launch.arguments[0])) value = 0;
                     }},
                    {"bad", doubling()}};
  EXPECT_EQ(named(run_on(device), "bad").verdict, Verdict::kPass);
}

TEST_F(RunLab, StageChoosesAndRefusesUnknownOnes) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling()}};
  request.stages = {"bad"};
  EXPECT_THAT(names(run_on(device)), ElementsAre("bad"));
  request.stages = {"best"};
  EXPECT_EQ(message(), "--stage best is no stage of double; it has cpu, good, bad");
}

TEST_F(RunLab, DefaultStagesYieldToTheUsersChoice) {
  lab.run = [](LabRun& run) {
    run.default_stages({"good"});
    run.note(fmt::format("{} {}", run.wants("good"), run.wants("bad")));
  };
  FakeDevice device(false);
  EXPECT_THAT(run_on(device).notes, ElementsAre("true false"));
  request.stages = {"bad"};
  EXPECT_THAT(run_on(device).notes, ElementsAre("false true"));
}

TEST_F(RunLab, OptionsAreCheckedAndReported) {
  lab.run = [](LabRun&) {};
  FakeDevice device(false), gpu(true);
  request.seed = 7;
  const Result result = run_on(device);
  ASSERT_EQ(result.options.size(), 2u);
  EXPECT_EQ(std::get<std::int64_t>(result.options[0].second), 1000);
  EXPECT_EQ(result.options[1].first, "seed");
  EXPECT_EQ(std::get<std::int64_t>(result.options[1].second), 7);
  EXPECT_EQ(std::get<std::int64_t>(run_on(gpu).options[0].second), 2000);
  request.options = {{"count", std::int64_t{0}}};
  EXPECT_EQ(message(), "--count is 0; it must be 1 to 10000");
}

TEST_F(RunLab, AUsersKernelRunsAsTheNominatedStageDoes) {
  lab.run = [](LabRun& run) {
    Arrays use = arrays(run);
    run.set_check([&] { return same_bits<float>(use.out.host(), use.expected); });
    run.kernel(stage("good", "1_good.cu", use));
    run.users_kernel(stage("good", "1_good.cu", use));
  };
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"my_kernel", doubling(10)}, {"other", doubling()}};
  request.kernel_file = (root / "mine.cu").string();
  write("mine.cu", "my_kernel");
  const Result result = run_on(device);
  EXPECT_THAT(names(result), ElementsAre("good", "yours"));
  EXPECT_EQ(result.rows[1].kernel, "my_kernel");
  EXPECT_EQ(result.rows[1].source, request.kernel_file);
  EXPECT_EQ(result.rows[1].verdict, Verdict::kFail);

  write("mine.cu", "other good");
  EXPECT_EQ(named(run_on(device), "yours").kernel, "good");
  write("mine.cu", "my_kernel other");
  EXPECT_THAT(named(run_on(device), "yours").reason, HasSubstr("has no kernel `good` but my_kernel, other"));
  write("mine.cu", "");
  EXPECT_THAT(named(run_on(device), "yours").reason, HasSubstr("has no __global__ function"));
  request.stages = {"cpu"};
  EXPECT_THAT(names(run_on(device)), ElementsAre("yours"));
  request.kernel_file = (root / "absent.cu").string();
  EXPECT_THAT(message(), HasSubstr("absent.cu"));
}

TEST_F(RunLab, AUsersKernelRunsInThePlaceOfAnyStage) {
  lab.run = [](LabRun& run) {
    Arrays use = arrays(run);
    run.set_check([&] { return same_bits<float>(use.out.host(), use.expected); });
    run.cpu(
        {.run = [&](int) { std::copy(use.expected.begin(), use.expected.end(), use.out.host().begin()); }});
    Row* good = run.kernel(stage("good", "1_good.cu", use));
    if (good) good->extra.emplace_back("mark", 1);
    KernelStage bad = stage("bad", "2_bad.cu", use);
    bad.kind = RowKind::kCeiling;
    run.kernel(bad);
    run.users_kernel(stage("good", "1_good.cu", use));
  };
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling(10)}, {"my_kernel", doubling()}};
  request.kernel_file = (root / "mine.cu").string();
  write("mine.cu", "my_kernel");
  request.kernel_stage = "bad";
  Result result = run_on(device);
  EXPECT_THAT(names(result), ElementsAre("cpu-1-thread", "cpu-all-threads", "good", "bad", "yours"));
  EXPECT_EQ(named(result, "yours").verdict, Verdict::kPass);
  EXPECT_EQ(named(result, "yours").kind, RowKind::kKernel);
  request.kernel_stage = "good";
  result = run_on(device);
  EXPECT_THAT(names(result), ElementsAre("cpu-1-thread", "cpu-all-threads", "good", "yours", "bad"));
  EXPECT_EQ(named(result, "good").extra.size(), 1u);  // the rows moved while it was held
  request.stages = {"bad"};
  EXPECT_THAT(names(run_on(device)), ElementsAre("yours", "bad"));
  request.kernel_alone = true;
  result = run_on(device);
  EXPECT_THAT(names(result), ElementsAre("yours"));
  EXPECT_EQ(result.rows[0].extra.size(), 1u);
}

// One chosen stage is the user's kernel's place, and the lab's own columns are filled for both.
TEST_F(RunLab, AUsersKernelTakesThePlaceOfTheOnlyStageChosen) {
  lab.run = [](LabRun& run) {
    Arrays use = arrays(run);
    run.set_check([&] { return same_bits<float>(use.out.host(), use.expected); });
    KernelStage bad = stage("bad", "2_bad.cu", use);
    bad.measure = [](Row& row) { row.extra.emplace_back("twice", 2); };
    run.kernel(stage("good", "1_good.cu", use));
    run.kernel(bad);
    run.users_kernel(stage("good", "1_good.cu", use));
  };
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling()}, {"my_kernel", doubling()}};
  request.kernel_file = (root / "mine.cu").string();
  write("mine.cu", "my_kernel");
  request.stages = {"cpu", "bad"};
  const Result result = run_on(device);
  EXPECT_THAT(names(result), ElementsAre("bad", "yours"));
  EXPECT_EQ(result.request.kernel_stage, "bad");
  for (const Row& row : result.rows)
    EXPECT_THAT(row.extra, ElementsAre(std::pair<std::string, double>("twice", 2))) << row.name;
  request.stages = {"good", "bad"};
  EXPECT_EQ(run_on(device).request.kernel_stage, "");
  EXPECT_TRUE(named(run_on(device), "yours").extra.empty());
  lab.run = [](LabRun&) {};
  request.stages = {"bad"};
  EXPECT_THAT(message(), HasSubstr("--stage bad: double runs no kernel as `bad` with these options"));
  EXPECT_THAT(message(), HasSubstr("name another stage with --as"));
}

TEST_F(RunLab, ThePlaceOfAUsersKernelMustBeAStageThatRuns) {
  lab.run = [](LabRun&) {};
  request.kernel_stage = "good";
  EXPECT_THAT(message(), HasSubstr("--as good says in whose place a kernel runs; name the kernel's file"));
  request.kernel_file = (root / "mine.cu").string();
  write("mine.cu", "my_kernel");
  EXPECT_THAT(message(), HasSubstr("--as good: double runs no kernel as `good` with these options"));
  for (const char* stage : {"best", "cpu"}) {
    request.kernel_stage = stage;
    EXPECT_THAT(message(), HasSubstr("is no stage of double with a kernel; it has cpu, good, bad"));
  }
}

// Two launches and a sum on the host, as reductions have.
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
      gpu.launch({"good", {2}, {2}, 0, {in.device(), partial.device()}});
      gpu.launch({"good", {2}, {2}, 0, {partial.device(), partial.device()}});
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
      for (int i : {0, 1}) out[i] = std::min(2 * in[i], 7 * in[0] - 7);  // 3, 7 to 6, 14: wrong when repeated
  };
  FakeDevice device(false), gpu(true);
  device.kernels = gpu.kernels = {{"good", pairs}};
  const Row run = run_on(device).rows.at(0);
  EXPECT_EQ(run.verdict, Verdict::kPass) << run.reason;
  EXPECT_EQ(run.counters->get(Counter::kGlobalLoadRequests), 20);
  EXPECT_THAT(run.extra, ElementsAre(std::pair<std::string, double>("parts", 2)));
  const Row timed = run_on(gpu).rows.at(0);
  EXPECT_EQ(timed.time_ms->median, 4);
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
        gpu.launch({"good", {1}, {1}, 0, {out.device()}});
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
  EXPECT_THAT(result.rows[1].reason, HasSubstr("`factors` has 8 bytes, and 12 were to be put into it"));
}

// A thousandth of the work takes a tenth of a second: a hundred seconds, of which nobody spoke.
TEST_F(RunLab, ACpuVersionThatWouldTakeLongRunsOnOneThreadOnlyWhereItIsAskedFor) {
  lab.run = [](LabRun& run) {
    run.cpu({.run = [](int) {},
             .part =
                 [] {
                   std::this_thread::sleep_for(std::chrono::milliseconds(100));
                   return 0.001;
                 }});
  };
  std::vector<std::string> remarks;
  request.settings.remark = [&](const std::string& text) { remarks.push_back(text); };
  FakeDevice device(false);
  const Row one_thread = named(run_on(device), "cpu-1-thread");
  EXPECT_EQ(one_thread.verdict, Verdict::kNotAssessed);
  EXPECT_THAT(one_thread.reason,
              testing::MatchesRegex("not run: it would take about 1[0-9][0-9] s, an estimate "
                                    "from a small part; --stage cpu runs it"));
  EXPECT_TRUE(named(run_on(device), "cpu-all-threads").time_ms);
  remarks.clear();
  request.stages = {"cpu"};
  EXPECT_TRUE(named(run_on(device), "cpu-1-thread").time_ms);
  ASSERT_FALSE(remarks.empty());
  EXPECT_THAT(remarks[0], HasSubstr("cpu-1-thread will take about 2 minutes, an estimate"));
}

// A block takes a millisecond on this device, whatever it is given.
TEST_F(RunLab, AStageSaysBeforeItStartsThatItTakesLong) {
  std::uint32_t blocks = 100;
  lab.run = [&](LabRun& run) {
    KernelStage long_stage = stage("good", "1_good.cu", arrays(run));
    long_stage.launch.grid = {8 * blocks, 1000};
    long_stage.blocks_are_alike = true;
    run.kernel(long_stage);
  };
  std::vector<std::string> remarks;
  request.settings.remark = [&](const std::string& text) { remarks.push_back(text); };
  std::vector<Dim3> grids;
  FakeDevice device(false), gpu(true);
  device.kernels =
      gpu.kernels = {{"good", [&](FakeDevice&, const device::Launch& launch, LaunchResult& result) {
                        grids.push_back(launch.grid);
                        result.simulation_ms = 1;
                      }}};
  run_on(device);
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(grids[0], (Dim3{8, 1, 1}));  // four for each of two threads
  EXPECT_EQ(grids[1], (Dim3{800, 1000, 1}));
  EXPECT_THAT(remarks, ElementsAre(HasSubstr("good will take about 2 minutes, an estimate")));
  remarks.clear();
  blocks = 10;  // ten seconds
  run_on(device);
  EXPECT_TRUE(remarks.empty());
  blocks = 100;
  grids.clear();
  run_on(gpu);
  EXPECT_THAT(remarks, testing::IsEmpty());
}

TEST_F(RunLab, AKernelOfAnotherFileRunsInAStageThatPutsItBeforeItsOwn) {
  std::vector<std::string> launched;
  FakeDevice device(false);
  for (const std::string name : {"good", "bad"})
    device.kernels[name] = [&launched, name](FakeDevice&, const device::Launch&, LaunchResult&) {
      launched.push_back(name);
    };
  lab.run = [](LabRun& run) {
    KernelStage two;
    two.name = "good";
    two.file = "1_good.cu";
    two.preamble = run.source("2_bad.cu");
    EXPECT_EQ(two.preamble, "#line 1 \"labs/double/2_bad.cu\"\nbad");
    two.body = [](Gpu& gpu) {
      gpu.launch({.kernel = "good", .grid = {1}, .block = {1}});
      gpu.launch({.kernel = "bad", .grid = {1}, .block = {1}});
    };
    run.kernel(two);
  };
  run_on(device);
  EXPECT_THAT(launched, ElementsAre("good", "bad"));
}

TEST_F(RunLab, EqualSourcesAreCompiledOnce) {
  lab.run = [](LabRun& run) {
    Arrays use = arrays(run);
    KernelStage swept = stage("good", "1_good.cu", use);
    for (int offset = 0; offset < 5; ++offset) {
      swept.name = fmt::format("offset-{}", offset);
      swept.stage = "good";
      swept.defines = {{"TILE", offset / 3}};
      run.kernel(swept);
    }
  };
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}};
  EXPECT_EQ(run_on(device).rows.size(), 5u);
  EXPECT_EQ(device.loads, 2);
}

TEST_F(RunLab, SizesBeyondMemoryAreRefusedBeforeAnythingIsAllocated) {
  lab.run = [](LabRun& run) { run.require_memory(8e12, 100, "--rows and --cols"); };
  EXPECT_THAT(message(), HasSubstr("needs 8000.0 GB (8000000000000 bytes) of device memory and 1.1 GB"));
  lab.run = [](LabRun& run) { run.require_memory(100, 8e12, "--rows and --cols"); };
  EXPECT_THAT(message(), HasSubstr("of host memory"));
  lab.run = [](LabRun& run) { run.require_memory(100, 100, "--rows"); };
  EXPECT_EQ(message(), "no error");
}

TEST_F(RunLab, ADeviceInTheHostsMemoryCountsThere) {
  lab.run = [](LabRun& run) { run.require_memory(5e8, 5e8, "--rows"); };
  FakeDevice device(false);
  EXPECT_NO_THROW(run_on(device));
  device.details.host_bytes_per_byte = 2;
  EXPECT_THROW(run_on(device), Error);
}

TEST_F(RunLab, ASkippedStageSaysWhyAndIsNoPass) {
  lab.run = [](LabRun& run) { run.skip("overlap", RowKind::kCopy, "the virtual GPU has no streams"); };
  FakeDevice device(false);
  const Result result = run_on(device);
  EXPECT_EQ(result.rows[0].verdict, Verdict::kNotAssessed);
  EXPECT_EQ(result.rows[0].reason, "the virtual GPU has no streams");
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

TEST(Registry, LabsAreInTheOrderOfTheCourseAndFoundByAlias) {
  Lab second, first;
  second.name = "b";
  second.order = 20;
  first.name = "z";
  first.alias = "zed";
  first.order = 10;
  RegisterLab a(second), b(first);
  ASSERT_EQ(labs().size(), 2u);
  EXPECT_EQ(labs()[0].name, "z");
  EXPECT_EQ(find_lab("zed"), &labs()[0]);
  EXPECT_EQ(find_lab("b"), &labs()[1]);
  EXPECT_EQ(find_lab("q"), nullptr);
  EXPECT_EQ(find_lab(""), nullptr);
}

}  // namespace
}  // namespace cudalab::lab
