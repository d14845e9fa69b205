// Tests which stages of a lab run, with which options, and which stage a user's kernel replaces.
#include <gmock/gmock.h>

#include "core/diagnostics/message_testing.h"
#include "lab/running/run_lab_testing.h"

namespace cudalab::lab {
namespace {

using testing::ElementsAre;

TEST_F(RunLab, StageChoosesAndRefusesUnknownOnes) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling()}};
  request.stages = {"bad"};
  EXPECT_THAT(names(run_on(device)), ElementsAre("bad"));
  request.stages = {"best"};
  EXPECT_THAT(message(), IsMessage("stage_unknown",
                                   {{"stage", "best"}, {"lab", "double"}, {"stages", "cpu, good, bad"}}));
}

TEST_F(RunLab, DefaultStagesYieldToTheUsersChoice) {
  lab.run = [](LabRun& run) {
    run.default_stages({"good"});
    run.note(Message::verbatim(fmt::format("{} {}", run.wants("good"), run.wants("bad"))));
  };
  FakeDevice device(false);
  EXPECT_THAT(run_on(device).notes, ElementsAre(Message::verbatim("true false")));
  request.stages = {"bad"};
  EXPECT_THAT(run_on(device).notes, ElementsAre(Message::verbatim("false true")));
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
  EXPECT_THAT(message(), IsMessage("option_out_of_range",
                                   {{"option", "count"}, {"value", 0}, {"from", 1}, {"to", 10000}}));
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
  EXPECT_THAT(named(run_on(device), "yours").reason,
              IsMessage("file_lacks_kernel", {{"kernel", "good"}, {"kernels", "my_kernel, other"}}));
  write("mine.cu", "");
  EXPECT_THAT(named(run_on(device), "yours").reason, IsMessage("file_has_no_kernels"));
  request.stages = {"cpu"};
  EXPECT_THAT(names(run_on(device)), ElementsAre("yours"));
  request.kernel_file = (root / "absent.cu").string();
  EXPECT_THAT(message(), IsMessage("error_file_not_readable", {{"file", request.kernel_file}}));
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
  EXPECT_EQ(named(result, "good").extra.size(), 1u);  // the vector of rows grew while a row was referenced
  request.stages = {"bad"};
  EXPECT_THAT(names(run_on(device)), ElementsAre("yours", "bad"));
  request.kernel_alone = true;
  result = run_on(device);
  EXPECT_THAT(names(result), ElementsAre("yours"));
  EXPECT_EQ(result.rows[0].extra.size(), 1u);
}

// If one stage is chosen, the user's kernel replaces it. The lab's own columns are filled for both.
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
  EXPECT_THAT(message(), IsMessage("stage_runs_no_kernel",
                                   {{"option", "--stage bad"}, {"lab", "double"}, {"stage", "bad"}}));
}

TEST_F(RunLab, ThePlaceOfAUsersKernelMustBeAStageThatRuns) {
  lab.run = [](LabRun&) {};
  request.kernel_stage = "good";
  EXPECT_THAT(message(), IsMessage("as_without_kernel", {{"stage", "good"}}));
  request.kernel_file = (root / "mine.cu").string();
  write("mine.cu", "my_kernel");
  EXPECT_THAT(message(), IsMessage("stage_runs_no_kernel",
                                   {{"option", "--as good"}, {"lab", "double"}, {"stage", "good"}}));
  for (const char* stage : {"best", "cpu"}) {
    request.kernel_stage = stage;
    EXPECT_THAT(message(), IsMessage("as_stage_unknown",
                                     {{"stage", stage}, {"lab", "double"}, {"stages", "cpu, good, bad"}}));
  }
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
      gpu.launch({.kernel = "good", .spec = {.grid = {1}, .block = {1}}});
      gpu.launch({.kernel = "bad", .spec = {.grid = {1}, .block = {1}}});
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

}  // namespace
}  // namespace cudalab::lab
