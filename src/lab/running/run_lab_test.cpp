// Tests how a lab runs on a fake device: what passes, what fails and why, what is timed.
#include "lab/running/run_lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/diagnostics/message_testing.h"
#include "lab/running/run_lab_testing.h"
#include "messages/lab.h"

namespace cudalab::lab {

// Tests of the ticker: what is shown at once, later, and no longer.

namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;

TEST(Ticker, SaysAtOnceWhatIsDoneAndLaterForHowLong) {
  std::vector<Message> shown;
  {
    Ticker ticker([&](const Message& what) { shown.push_back(what); }, milliseconds(20));
    ticker.say(msg::progress_compiling("1_good.cu"));
    ticker.say(msg::progress_running("good"));
    std::this_thread::sleep_for(milliseconds(150));
  }
  const std::size_t count = shown.size();
  ASSERT_GE(count, 3u);
  EXPECT_EQ(shown[0], msg::progress_compiling("1_good.cu"));
  EXPECT_EQ(shown[1], msg::progress_running("good"));
  EXPECT_THAT(shown[2], AllOf(IsMessage("progress_with_age"),
                              HasArgument("what", Argument(msg::progress_running("good"))),
                              HasArgument("seconds", Argument(0))));
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(shown.size(), count) << "nothing is said after the end";
}

TEST(Ticker, AQuickRunSaysNoTimes) {
  std::vector<Message> shown;
  {
    Ticker ticker([&](const Message& what) { shown.push_back(what); });
    ticker.say(msg::progress_compiling("1_good.cu"));
    ticker.say(msg::progress_running("good"));
  }
  EXPECT_THAT(shown, ElementsAre(IsMessage("progress_compiling"), IsMessage("progress_running")));
}

TEST(Ticker, WithoutAnybodyToTellItIsSilent) {
  Ticker ticker({});
  ticker.say(msg::progress_running("good"));
}

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
  EXPECT_EQ(good.spec.grid, (Dim3{4, 1, 1}));
  EXPECT_EQ(good.check->compared, kCount);
  EXPECT_EQ(good.check->digest, result.rows[0].check->digest);
  EXPECT_EQ(good.useful_bytes, 8000);
  EXPECT_EQ(result.rows[1].threads, 2);
  EXPECT_TRUE(device.all_freed());
}

// 2 of the 4 blocks run without a check; then all blocks run at the lab's check size, without a CPU version.
TEST_F(RunLab, ASampleOfTheBlocksIsCheckedAtASmallerSize) {
  plain_lab();
  lab.check_size = {{"count", 100}};
  std::vector<std::int64_t> counts;
  lab.run = [&counts, run_plain = lab.run](LabRun& run) {
    counts.push_back(run.options().integer("count"));
    run_plain(run);
  };
  std::vector<std::uint64_t> blocks;
  FakeDevice device(false);
  device.kernels = {{"good",
                     [&](FakeDevice& on, const device::Launch& launch, LaunchResult& result) {
                       blocks.push_back(launch.options.most_blocks);
                       if (launch.options.most_blocks == 0) doubling()(on, launch, result);
                     }},
                    {"bad", [](FakeDevice&, const device::Launch&, LaunchResult&) {}}};
  request.settings.launch.most_blocks = 2;
  const Result result = run_on(device);
  EXPECT_THAT(counts, ElementsAre(1000, 100));
  EXPECT_THAT(blocks, ElementsAre(2, 0));
  EXPECT_THAT(names(result), ElementsAre("cpu-1-thread", "cpu-all-threads", "good", "bad"));
  const Row& good = named(result, "good");
  ASSERT_TRUE(good.sample);
  EXPECT_EQ(good.sample->blocks, 2);
  EXPECT_EQ(good.sample->of, 4);
  EXPECT_EQ(good.verdict, Verdict::kPass);
  EXPECT_EQ(good.counters->get(Counter::kGlobalLoadRequests), 20) << "scaled to all blocks";
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kFail);
  EXPECT_EQ(result.checked_at.size(), 1);
  EXPECT_THAT(result.notes, ElementsAre(IsMessage("note_sampled")));
}

TEST_F(RunLab, ALabWithoutACheckSizeTakesNoSample) {
  plain_lab();
  request.settings.launch.most_blocks = 2;
  EXPECT_THAT(message(), IsMessage("lab_takes_no_sample"));
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
  request.settings.repeat = 1;  // one sample has no spread, so a busy machine changes nothing
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
  EXPECT_THAT(bad.reason, AllOf(IsMessage("first_unwritten", {{"element", "[999]"}}),
                                MentionsMessage("elements_wrong", {{"count", 1}, {"compared", 1000}})));
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
              AllOf(IsMessage("wrong_after_repetitions"), MentionsMessage("elements_wrong", {{"count", 1}})));
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
                       race.what = Message::verbatim("two threads write tile[3]");
                       r.hazards = {race, race};
                     }}};
  const Row bad = named(run_on(device), "bad");
  EXPECT_EQ(bad.verdict, Verdict::kFail);
  EXPECT_THAT(bad.reason, AllOf(IsMessage("and_more", {{"count", 1}}),
                                HasArgument("what", "2_bad.cu:7: two threads write tile[3]")));
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
      EXPECT_THAT(run.reason, IsMessage("nothing_compared")) << run.name;
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
  EXPECT_THAT(result.rows[0].reason, IsMessage("nothing_to_check"));
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

// Without poison, output that one kernel left would pass for the next one's result.
TEST_F(RunLab, OutputsArePoisonedBeforeEachStage) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good", doubling()}, {"bad", doubling(0)}};
  EXPECT_THAT(named(run_on(device), "bad").reason,
              MentionsMessage("elements_wrong", {{"count", 1000}, {"compared", 1000}}));
}

TEST_F(RunLab, AStoppedKernelFailsAndTheNextStagesRun) {
  plain_lab();
  FakeDevice device(false);
  device.kernels = {{"good",
                     [](FakeDevice&, const device::Launch&, LaunchResult& r) {
                       Hazard limit;
                       limit.kind = HazardKind::kStepLimit;
                       limit.what = Message::verbatim("ran 1000 steps");
                       r.hazards = {limit};
                       r.completed = false;
                     }},
                    {"bad", doubling()}};
  const Result result = run_on(device);
  EXPECT_EQ(named(result, "good").verdict, Verdict::kFail);
  EXPECT_EQ(named(result, "good").reason.text(), "ran 1000 steps");
  EXPECT_TRUE(named(result, "good").check);  // it shows how much of the result was written
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kPass);
}

TEST_F(RunLab, ADeviceThatAKernelTookDownAssessesNothingMore) {
  plain_lab();
  FakeDevice device(true);
  device.kernels = {{"good",
                     [](FakeDevice& d, const device::Launch&, LaunchResult& r) {
                       r.hazards.emplace_back().what = Message::verbatim("an illegal address");
                       r.completed = false;
                       d.lost = true;
                     }},
                    {"bad", doubling()}};
  const Result result = run_on(device);
  EXPECT_EQ(named(result, "good").reason.text(), "an illegal address");
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kNotAssessed);
  EXPECT_THAT(named(result, "bad").reason,
              IsMessage("device_was_lost", {{"stage", "good"}, {"device", "a fake"}}));
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_FALSE(result.stopped);
}

TEST_F(RunLab, AKernelThatOutlivesItsTimeIsStopped) {
  plain_lab();
  FakeDevice device(true);
  device.kernels = {{"good",
                     [](FakeDevice& d, const device::Launch&, LaunchResult&) {
                       d.lost = true;
                       throw stopped_error(Message::verbatim("still running after 60 s"));
                     }},
                    {"bad", doubling()}};
  const Result result = run_on(device);
  EXPECT_EQ(named(result, "good").reason.text(), "still running after 60 s");
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kNotAssessed);
  EXPECT_TRUE(result.stopped);
}

TEST_F(RunLab, AFileThatDoesNotCompileFailsAndTheNextStagesRun) {
  plain_lab();
  write("double/1_good.cu", "error: expected a ;");
  FakeDevice device(false);
  device.kernels = {{"bad", doubling()}};
  const Result result = run_on(device);
  const lab::Row& good = named(result, "good");
  ASSERT_TRUE(good.diagnosis);
  EXPECT_EQ(good.diagnosis->where, (SourceLine{"labs/double/1_good.cu", 1}));
  EXPECT_EQ(good.diagnosis->said, "expected a ;");
  EXPECT_EQ(good.reason, good.diagnosis->message());
  EXPECT_EQ(named(result, "bad").verdict, Verdict::kPass);
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

TEST_F(RunLab, AMissingCompilerEndsTheLab) {
  plain_lab();
  FakeDevice device(false);
  const auto none = [](const compile::CompileRequest&) -> compile::CompiledSource {
    throw unavailable_error(Message::verbatim("NVRTC is not installed"));
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

// A thousandth of the work takes 0.1 s, so the whole would take 100 s; the user did not ask for it.
TEST_F(RunLab, ACpuVersionThatWouldTakeLongRunsOnOneThreadOnlyWhereItIsAskedFor) {
  lab.run = [](LabRun& run) {
    run.cpu({.run = [](int) {},
             .part =
                 [] {
                   std::this_thread::sleep_for(std::chrono::milliseconds(100));
                   return 0.001;
                 }});
  };
  std::vector<Message> remarks;
  request.settings.remark = [&](const Message& what) { remarks.push_back(what); };
  FakeDevice device(false);
  const Row one_thread = named(run_on(device), "cpu-1-thread");
  EXPECT_EQ(one_thread.verdict, Verdict::kNotAssessed);
  EXPECT_THAT(one_thread.reason, IsMessage("cpu_would_take_long"));
  const double* seconds = one_thread.reason.argument("seconds")->as<double>();
  ASSERT_TRUE(seconds);
  EXPECT_TRUE(*seconds >= 100 && *seconds < 200) << *seconds;
  EXPECT_TRUE(named(run_on(device), "cpu-all-threads").time_ms);
  remarks.clear();
  request.stages = {"cpu"};
  EXPECT_TRUE(named(run_on(device), "cpu-1-thread").time_ms);
  ASSERT_FALSE(remarks.empty());
  EXPECT_THAT(remarks[0], IsMessage("work_takes_long"));
  EXPECT_THAT(remarks[0], AllOf(HasArgument("work", "cpu-1-thread"), HasArgument("minutes", 2)));
}

// Pretends to run blocks of that duration for one second of the launch.
void pretend_to_run(const device::Launch& launch, double seconds_of_a_block) {
  if (!launch.options.pace) return;
  launch.options.pace->begin(launch.spec.grid.volume(), 1);
  for (double age = 0; age < 1; age += seconds_of_a_block) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_of_a_block));
    launch.options.pace->one_more();
  }
}

TEST_F(RunLab, AStageSaysThatItTakesLongWhenItsFirstBlocksAreDone) {
  lab.run = [&](LabRun& run) {
    KernelStage long_stage = stage("good", "1_good.cu", arrays(run));
    long_stage.launch.spec.grid = {6000};
    run.kernel(long_stage);
  };
  request.stages = {"good"};
  std::vector<Message> remarks;
  request.settings.remark = [&](const Message& what) { remarks.push_back(what); };
  FakeDevice device(false);
  device.kernels = {{"good", [&](FakeDevice&, const device::Launch& launch, LaunchResult&) {
                       pretend_to_run(launch, 0.02);
                     }}};
  run_on(device);
  EXPECT_THAT(remarks, testing::Contains(AllOf(IsMessage("work_takes_long"), HasArgument("work", "good"))));
}

TEST_F(RunLab, TheWholeRunIsTakenToBeAsSlowAsItsFirstStage) {
  lab.run = [&](LabRun& run) {
    const Arrays use = arrays(run);
    for (const char* name : {"good", "bad"}) {
      KernelStage half =
          stage(name, std::string(name == std::string("good") ? "1_good" : "2_bad") + ".cu", use);
      half.launch.spec.grid = {2100};
      run.kernel(half);
    }
  };
  std::vector<Message> remarks;
  request.settings.remark = [&](const Message& what) { remarks.push_back(what); };
  FakeDevice device(false);
  for (const std::string name : {"good", "bad"})
    device.kernels[name] = [&](FakeDevice&, const device::Launch& launch, LaunchResult&) {
      pretend_to_run(launch, 0.02);
    };
  run_on(device);
  EXPECT_THAT(remarks, testing::Contains(HasArgument("work", Argument(msg::whole_run()))));
}

TEST_F(RunLab, ANumberWithoutAHeadingIsAMistakeOfTheLab) {
  lab.run = [](LabRun& run) {
    Arrays use = arrays(run);
    run.set_check([&] { return same_bits<float>(use.out.host(), use.expected); });
    if (Row* row = run.kernel(stage("good", "1_good.cu", use))) row->extra.emplace_back("unknown", 1);
  };
  FakeDevice device(false);
  device.kernels["good"] = doubling();
  EXPECT_THROW(run_on(device), std::logic_error);
  lab.columns.push_back({"unknown", [] { return Message::verbatim("heading"); }});
  EXPECT_EQ(run_on(device).columns.back().key, "unknown");
}

TEST_F(RunLab, SuggestsTheFirstThatItDoesNotAnswer) {
  plain_lab();
  const auto question = [] { return Message::verbatim("what then?"); };
  lab.next = {{question, "--stage good,bad"}, {question, "--count 1000"}, {question, "--count 2000"}};
  FakeDevice device(false);
  device.kernels["good"] = device.kernels["bad"] = doubling();
  EXPECT_EQ(run_on(device).next->options, "--count 2000");
  request.stages = {"good"};
  EXPECT_EQ(run_on(device).next->options, "--stage good,bad");
  request.stages = {};
  device.kernels["bad"] = doubling(0);
  EXPECT_FALSE(run_on(device).next.has_value()) << "what is wrong comes first";
}

}  // namespace
}  // namespace cudalab::lab
