// Tests which launches a GPU rejects, and that results do not depend on the number of host threads.
#include "vgpu/launch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::AllOf;

// ---- limits ------------------------------------------------------------------------------------------
// A model whose limits all differ, so the tests can tell them apart.
Card small_card() {
  Card card = cards().front();
  card.max_threads_per_block = 96;
  card.max_block_x = 64;
  card.max_block_y = 32;
  card.max_block_z = 16;
  card.max_grid_x = 50;
  card.max_grid_y = 40;
  card.max_grid_z = 30;
  card.shared_per_block_optin = 4096;
  return card;
}

// Like ptxas.
TEST(Load, RefusesMoreThan48KilobytesOfSharedVariables) {
  const auto load = [](int bytes) {
    KernelHarness harness(KernelHarness::kernel(
        ".shared .align 4 .b8 s[" + std::to_string(bytes) + "];\nst.shared.u32 [s], 1;", 0));
  };
  EXPECT_NO_THROW(load(48 * 1024));
  EXPECT_THAT(refused([&] { load(48 * 1024 + 4); }),
              AllOf(IsMessage("kernel_static_shared_too_large"), HasArgument("kernel", Code{"test"}),
                    HasArgument("bytes", 49156)));
}

// The message of the refused launch; empty if it is accepted.
Message refusal_of_launch(Dim3 grid, Dim3 block, std::size_t dynamic_shared = 0,
                          const std::string& body = "") {
  const Card card = small_card();
  KernelHarness harness(KernelHarness::kernel(body, 0), 1, &card);
  harness.dynamic_shared = dynamic_shared;
  const LaunchResult result = harness.run(grid, block);
  if (result.hazards.empty()) return {};
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kInvalidLaunch);
  EXPECT_FALSE(result.completed);
  return result.hazards[0].what;
}

TEST(Launch, ARefusalIsKnownWithoutRunning) {
  KernelHarness harness(KernelHarness::kernel("ld.param.u64 %rd1, [p0];\nst.global.u32 [%rd1], 7;", 1));
  const auto out = harness.buffer(std::vector<std::uint32_t>(1));
  EXPECT_FALSE(harness.refusal({1, 1, 1}, {1024, 1, 1}, out));
  const auto hazard = harness.refusal({1, 1, 1}, {1025, 1, 1}, out);
  ASSERT_TRUE(hazard);
  EXPECT_EQ(hazard->kind, HazardKind::kInvalidLaunch);
  EXPECT_EQ(harness.read<std::uint32_t>(out, 1)[0], 0u);
}

TEST(LaunchLimits, EachSideOfABlock) {
  for (const Dim3 block : {Dim3{64, 1, 1}, {1, 32, 1}, {1, 1, 16}})
    EXPECT_TRUE(refusal_of_launch({1, 1, 1}, block).empty());
  EXPECT_THAT(refusal_of_launch({1, 1, 1}, {65, 1, 1}),
              AllOf(IsMessage("launch_block_shape"), HasArgument("x", 65), HasArgument("limit_x", 64),
                    HasArgument("limit_y", 32), HasArgument("limit_z", 16)));
  EXPECT_THAT(refusal_of_launch({1, 1, 1}, {1, 33, 1}),
              AllOf(IsMessage("launch_block_shape"), HasArgument("y", 33)));
  EXPECT_THAT(refusal_of_launch({1, 1, 1}, {1, 1, 17}),
              AllOf(IsMessage("launch_block_shape"), HasArgument("z", 17)));
}

TEST(LaunchLimits, TheThreadsOfABlock) {
  EXPECT_TRUE(refusal_of_launch({1, 1, 1}, {48, 2, 1}).empty());
  EXPECT_TRUE(refusal_of_launch({1, 1, 1}, {4, 3, 8}).empty());
  EXPECT_THAT(
      refusal_of_launch({1, 1, 1}, {97, 1, 1}),
      AllOf(IsMessage("launch_block_too_large"), HasArgument("threads", 97), HasArgument("limit", 96)));
  EXPECT_THAT(refusal_of_launch({1, 1, 1}, {49, 2, 1}), HasArgument("threads", 98));
  EXPECT_THAT(refusal_of_launch({1, 1, 1}, {4, 5, 5}), HasArgument("threads", 100));
}

TEST(LaunchLimits, EachSideOfAGrid) {
  for (const Dim3 grid : {Dim3{50, 1, 1}, {1, 40, 1}, {1, 1, 30}})
    EXPECT_TRUE(refusal_of_launch(grid, {1, 1, 1}).empty());
  EXPECT_THAT(refusal_of_launch({51, 1, 1}, {1, 1, 1}),
              AllOf(IsMessage("launch_grid_too_large"), HasArgument("x", 51), HasArgument("limit_x", 50),
                    HasArgument("limit_y", 40), HasArgument("limit_z", 30)));
  EXPECT_THAT(refusal_of_launch({1, 41, 1}, {1, 1, 1}),
              AllOf(IsMessage("launch_grid_too_large"), HasArgument("y", 41)));
  EXPECT_THAT(refusal_of_launch({1, 1, 31}, {1, 1, 1}),
              AllOf(IsMessage("launch_grid_too_large"), HasArgument("z", 31)));
}

TEST(LaunchLimits, NoSideIsEmpty) {
  for (const Dim3 empty : {Dim3{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}) {
    EXPECT_THAT(refusal_of_launch(empty, {1, 1, 1}), IsMessage("launch_empty_grid"));
    EXPECT_THAT(refusal_of_launch({1, 1, 1}, empty), IsMessage("launch_empty_block"));
  }
}

TEST(LaunchLimits, SharedMemoryStaticAndDynamicTogether) {
  const std::string half = ".shared .align 16 .b8 s[2048];\nst.shared.u32 [s], 1;",
                    odd = ".shared .align 4 .b8 s[20];\nst.shared.u32 [s], 1;";
  EXPECT_TRUE(refusal_of_launch({1, 1, 1}, {1, 1, 1}, 4096).empty());
  EXPECT_THAT(refusal_of_launch({1, 1, 1}, {1, 1, 1}, 4097),
              AllOf(IsMessage("launch_shared_too_large"), HasArgument("bytes", 4097)));
  EXPECT_TRUE(refusal_of_launch({1, 1, 1}, {1, 1, 1}, 2048, half).empty());
  EXPECT_THAT(refusal_of_launch({1, 1, 1}, {1, 1, 1}, 2049, half), HasArgument("bytes", 4097));
  EXPECT_TRUE(refusal_of_launch({1, 1, 1}, {1, 1, 1}, 4096 - 32, odd)
                  .empty());  // dynamic memory begins at a multiple of 16
  EXPECT_THAT(refusal_of_launch({1, 1, 1}, {1, 1, 1}, 4096 - 31, odd), HasArgument("bytes", 4097));
}

TEST(LaunchLimits, StaticSharedMemoryAlone) {
  EXPECT_TRUE(
      refusal_of_launch({1, 1, 1}, {1, 1, 1}, 0, ".shared .align 4 .b8 s[4096];\nst.shared.u32 [s], 1;")
          .empty());
  EXPECT_THAT(
      refusal_of_launch({1, 1, 1}, {1, 1, 1}, 0, ".shared .align 4 .b8 s[4100];\nst.shared.u32 [s], 1;"),
      HasArgument("bytes", 4100));
}

TEST(LaunchLimits, OfTheCards) {
  for (const Card& card : cards()) {
    KernelHarness harness(KernelHarness::kernel("", 0), 1, &card);
    harness.max_steps = 1000;
    EXPECT_TRUE(harness.run({1, 1, 1}, {1024, 1, 1}).completed) << card.id;
    EXPECT_TRUE(harness.run({1, 1, 1}, {1, 16, 64}).completed) << card.id;
    EXPECT_FALSE(harness.run({1, 1, 1}, {1025, 1, 1}).completed) << card.id;
    EXPECT_FALSE(harness.run({1, 1, 1}, {1, 1, 65}).completed) << card.id;
    EXPECT_EQ(harness.run({1, 65536, 1}, {1, 1, 1}).hazards.at(0).kind, HazardKind::kInvalidLaunch)
        << card.id;
    EXPECT_EQ(harness.run({1, 1, 65536}, {1, 1, 1}).hazards.at(0).kind, HazardKind::kInvalidLaunch)
        << card.id;
    EXPECT_EQ(harness.run({0x7fffffff, 1, 1}, {1, 1, 1}).hazards.at(0).kind, HazardKind::kStepLimit)
        << card.id;
    EXPECT_EQ(harness.run({0x80000000, 1, 1}, {1, 1, 1}).hazards.at(0).kind, HazardKind::kInvalidLaunch);
  }
}

// ---- steps -------------------------------------------------------------------------------------------
TEST(StepLimit, HoldsToTheInstruction) {
  KernelHarness harness(KernelHarness::kernel("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;", 0), 1);
  const auto steps = static_cast<std::uint64_t>(
      harness.run({2, 1, 1}, {64, 1, 1}).counters->get(Counter::kWarpInstructions).value());
  harness.max_steps = steps;
  EXPECT_TRUE(harness.run({2, 1, 1}, {64, 1, 1}).completed);
  harness.max_steps = steps - 1;
  const LaunchResult stopped = harness.run({2, 1, 1}, {64, 1, 1});
  ASSERT_EQ(stopped.hazards.size(), 1u);
  EXPECT_EQ(stopped.hazards[0].kind, HazardKind::kStepLimit);
}

// Some limits are reached at the end of a warp while other warps still run.
TEST(StepLimit, HoldsAtEveryInstruction) {
  KernelHarness harness(KernelHarness::kernel(R"(
    mov.u32 %r0, %tid.x;
    setp.gt.u32 %p1, %r0, 40;
    @%p1 bra LAST;
    bar.sync 0, 64;
    mov.u32 %r1, 3;
LOOP:
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p2, %r1, 0;
    @%p2 bra LOOP;
    ret;
LAST:
    bar.sync 0, 64;
)",
                                              0),
                        1);
  const auto steps = static_cast<std::uint64_t>(
      harness.run({1, 1, 1}, {64, 1, 1}).counters->get(Counter::kWarpInstructions).value());
  for (std::uint64_t limit = 1; limit < steps; ++limit) {
    harness.max_steps = limit;
    const LaunchResult stopped = harness.run({3, 1, 1}, {64, 1, 1});
    ASSERT_FALSE(stopped.hazards.empty()) << limit;
    EXPECT_EQ(stopped.hazards[0].kind, HazardKind::kStepLimit) << limit;
  }
}

TEST(StepLimit, ComesBeforeWhatElseIsWrong) {
  KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u64 %rd1, [p0];
    mov.u32 %r0, %tid.x;
    st.global.u32 [%rd1], %r0;
LOOP:
    bra.uni LOOP;
)",
                                              1),
                        1);
  harness.max_steps = 100'000;
  const LaunchResult stopped =
      harness.run({1, 1, 1}, {64, 1, 1}, harness.buffer(std::vector<std::uint32_t>(1)));
  ASSERT_GE(stopped.hazards.size(), 2u);
  EXPECT_EQ(stopped.hazards[0].kind, HazardKind::kStepLimit);
}

TEST(StepLimit, OfALaunchWithoutOneIsThatOfABlock) {
  for (const unsigned host_threads : {1u, 4u}) {
    KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u32 %r0, [p1];
LOOP:
    sub.u32 %r0, %r0, 1;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra LOOP;
)",
                                                2),
                          host_threads);
    const auto unused = harness.buffer(std::vector<std::uint32_t>(1));
    harness.max_steps = 0;
    harness.max_steps_of_a_block = 20'000;
    EXPECT_TRUE(harness.run({500, 1, 1}, {64, 1, 1}, unused, 3'000).completed) << "9 million in all";
    const LaunchResult stopped = harness.run({500, 1, 1}, {64, 1, 1}, unused, 4'000);
    ASSERT_FALSE(stopped.completed);
    EXPECT_EQ(stopped.hazards[0].kind, HazardKind::kStepLimit);
    EXPECT_THAT(stopped.hazards[0].what,
                AllOf(IsMessage("limit_block_instructions"), HasArgument("limit", 20000)));
  }
}

TEST(StepLimit, HoldsWhereBlocksWaitForEachOtherInVain) {
  KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u64 %rd1, [p0];
WAIT:
    ld.volatile.global.u32 %r0, [%rd1];
    setp.eq.u32 %p1, %r0, 0;
    @%p1 bra WAIT;
)",
                                              1),
                        1);
  const auto flag = harness.buffer(std::vector<std::uint32_t>(1));
  harness.max_steps = 0;
  harness.max_steps_of_a_block = 1'000'000;
  const LaunchResult stopped = harness.run({50, 1, 1}, {32, 1, 1}, flag);
  ASSERT_FALSE(stopped.completed);
  EXPECT_THAT(stopped.hazards[0].what,
              AllOf(IsMessage("limit_block_instructions"), HasArgument("limit", 1000000)));
  EXPECT_LT(stopped.counters->value_or_zero(Counter::kWarpInstructions), 2e6) << "of all blocks together";
}

// One block at a time, several host threads, and blocks that wait for each other.
TEST(Pace, IsToldOfEveryBlock) {
  for (const char* body :
       {"add.u32 %r1, %r1, 1;", "ld.param.u64 %rd1, [p0];\nld.volatile.global.u32 %r1, [%rd1];"})
    for (const unsigned host_threads : {1u, 4u}) {
      KernelHarness harness(KernelHarness::kernel(body, 1), host_threads);
      const auto out = harness.buffer(std::vector<std::uint32_t>(1));
      std::atomic<int> told = 0;
      Pace pace([&](double) { ++told; }, 0);
      harness.pace = &pace;
      EXPECT_TRUE(harness.run({50, 1, 1}, {32, 1, 1}, out).completed);
      EXPECT_GE(told, 1) << body << host_threads;
    }
}

// The blocks end together, so an estimate from the first one would be too long by the number of blocks.
TEST(Pace, IsNotToldOfBlocksThatWaitForAllOthers) {
  KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u64 %rd1, [p0];
    red.global.add.u32 [%rd1], 1;
WAIT:
    ld.volatile.global.u32 %r0, [%rd1];
    setp.lt.u32 %p1, %r0, 20;
    @%p1 bra WAIT;
)",
                                              1),
                        1);
  std::atomic<int> told = 0;
  Pace pace([&](double) { ++told; }, 0);
  harness.pace = &pace;
  EXPECT_TRUE(harness.run({20, 1, 1}, {1, 1, 1}, harness.buffer(std::vector<std::uint32_t>(1))).completed);
  EXPECT_EQ(told, 0);
}

TEST(ProcessorTime, EndsALaunchThatTakesTooMuchOfIt) {
  KernelHarness harness(KernelHarness::kernel("LOOP:\nbra.uni LOOP;", 0), 2);
  ProcessorBudget budget(0.1);
  harness.budget = &budget;
  harness.max_steps = 1ull << 60;
  const LaunchResult stopped = harness.run({4, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(stopped.hazards.empty());
  EXPECT_EQ(stopped.hazards[0].kind, HazardKind::kStepLimit);
  EXPECT_THAT(stopped.hazards[0].what, AllOf(IsMessage("limit_processor_time"), HasArgument("seconds", 0.1)));
  EXPECT_FALSE(harness.run({1, 1, 1}, {32, 1, 1}).completed);  // nothing is left for the next launch
}

// The number of host threads does not change the steps of a launch, and therefore not whether it ends within
// its budget.
TEST(StepsOfABudget, AreTheSameHoweverManyHostThreadsThereAre) {
  std::set<std::uint64_t> taken;
  for (const unsigned host_threads : {1u, 2u, 4u}) {
    KernelHarness harness(KernelHarness::kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %ctaid.x;\n"
                                                "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                                                "st.global.u32 [%rd3], %r1;",
                                                1),
                          host_threads);
    const auto out = harness.buffer(std::vector<std::uint32_t>(50));
    ProcessorBudget budget(ProcessorBudget::kAnyTime, 1'000'000);
    harness.budget = &budget;
    EXPECT_TRUE(harness.run({50, 1, 1}, {1, 1, 1}, out).completed);
    taken.insert(budget.steps_taken());
  }
  EXPECT_EQ(taken.size(), 1u);
  EXPECT_GT(*taken.begin(), 50u * 5);  // more than the instructions alone
}

TEST(StepsOfABudget, EndALaunchThatTakesMoreAndLeaveNothingToTheNext) {
  KernelHarness harness(KernelHarness::kernel("LOOP:\nbra.uni LOOP;", 0), 2);
  ProcessorBudget budget(ProcessorBudget::kAnyTime, 100'000);
  harness.budget = &budget;
  harness.max_steps = 1ull << 60;
  const LaunchResult stopped = harness.run({4, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(stopped.hazards.empty());
  EXPECT_EQ(stopped.hazards[0].kind, HazardKind::kStepLimit);
  EXPECT_THAT(stopped.hazards[0].what,
              AllOf(IsMessage("limit_steps_of_launches"), HasArgument("limit", 100000)));
  EXPECT_FALSE(harness.run({1, 1, 1}, {32, 1, 1}).completed);
}

// The steps of the first run are not charged if the launch is repeated for exact checks.
TEST(StepsOfABudget, AreGivenBackForALaunchThatIsRepeated) {
  constexpr const char* kAllWriteOneWord =
      "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], %r1;";
  std::set<std::uint64_t> taken;
  for (const unsigned host_threads : {1u, 4u}) {
    KernelHarness harness(KernelHarness::kernel(kAllWriteOneWord, 1), host_threads);
    const auto out = harness.buffer(std::vector<std::uint32_t>(1));
    ProcessorBudget budget(ProcessorBudget::kAnyTime, 1'000'000);
    harness.budget = &budget;
    EXPECT_FALSE(harness.run({8, 1, 1}, {1, 1, 1}, out).hazards.empty());
    taken.insert(budget.steps_taken());
  }
  EXPECT_EQ(taken.size(), 1u);
}

TEST(ProcessorTime, LeavesALaunchAloneThatKeepsWithinIt) {
  KernelHarness harness(KernelHarness::kernel("mov.u32 %r1, 1;", 0), 2);
  ProcessorBudget budget(60);
  harness.budget = &budget;
  EXPECT_TRUE(harness.run({4, 1, 1}, {64, 1, 1}).completed);
}

// ---- repeatability -----------------------------------------------------------------------------------
struct LaunchOutcome {
  LaunchResult result;
  std::vector<std::uint32_t> out;
};

// `out` has 64 words of 0 for each of 64 blocks; `unwritten` has as many unwritten words. %r3: block; %rd4,
// %rd5: the thread's words in both.
LaunchOutcome run(const std::string& body, unsigned host_threads, bool check_races = true) {
  KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u64 %rd1, [p0];
    ld.param.u64 %rd2, [p1];
    mov.u32 %r0, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r4, %r3, 64, %r0;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
)" + body),
                        host_threads);
  harness.check_races = check_races;
  const auto out = harness.buffer(std::vector<std::uint32_t>(64 * 64), "out");
  const auto unwritten = harness.gpu().allocate("unwritten", 64 * 64 * 4);
  LaunchOutcome outcome;
  outcome.result = harness.run({64, 1, 1}, {64, 1, 1}, out, unwritten);
  outcome.out = harness.read<std::uint32_t>(out, 64 * 64);
  return outcome;
}

std::string text_of(const LaunchResult& result) {
  std::string text = result.completed ? "completed\n" : "stopped\n";
  for (const Hazard& hazard : result.hazards)
    text += fmt::format("{} {} ({}) ({}) x{}\n", static_cast<int>(hazard.kind), with_ids(hazard.what),
                        hazard.block.x, hazard.thread.x, hazard.occurrences);
  for (const LineExecution& line : result.executions)
    text += fmt::format("{} {} {}\n", line.where.line, line.warp_instructions, line.thread_instructions);
  return text + result.printed;
}

void expect_the_same_for_any_number_of_host_threads(const std::string& body) {
  const LaunchOutcome expected = run(body, 1);
  for (const unsigned host_threads : {2u, 3u, 8u, 8u, 8u}) {
    const LaunchOutcome found = run(body, host_threads);
    EXPECT_EQ(text_of(found.result), text_of(expected.result)) << host_threads;
    EXPECT_EQ(found.result.counters, expected.result.counters) << host_threads;
    EXPECT_EQ(found.out, expected.out) << host_threads;
  }
}

// Blocks 40 and higher write far beyond the end, after they have written to `out`.
constexpr char kFault[] =
    "st.global.u32 [%rd4], %r4;\nsetp.ge.u32 %p1, %r3, 40;\n@%p1 st.global.u32 [%rd4+65536], 1;\n";

TEST(Repeatability, AFaultIsTheFirstInBlockOrder) {
  for (const unsigned host_threads : {1u, 2u, 8u}) {
    const LaunchResult result = run(kFault, host_threads).result;
    ASSERT_EQ(result.hazards.size(), 1u);
    EXPECT_EQ(result.hazards[0].kind, HazardKind::kOutOfBounds);
    EXPECT_EQ(result.hazards[0].block.x, 40u);
    EXPECT_EQ(result.hazards[0].thread.x, 0u);
  }
}

TEST(Repeatability, AFaultIsTheFirstInBlockOrderWithoutChecksToo) {
  for (int repetition = 0; repetition < 30; ++repetition) {
    const LaunchResult result = run(kFault, 8, false).result;
    ASSERT_EQ(result.hazards.size(), 1u);
    EXPECT_EQ(result.hazards[0].block.x, 40u);
  }
}

TEST(Repeatability, CountersAndMemoryAfterAFault) { expect_the_same_for_any_number_of_host_threads(kFault); }

TEST(Repeatability, BlocksBehindAFaultHaveWrittenNothing) {
  const std::vector<std::uint32_t> out = run(kFault, 8).out;
  EXPECT_EQ(out[40 * 64 - 1], 40u * 64 - 1);
  for (std::size_t i = 41 * 64; i < out.size(); ++i) ASSERT_EQ(out[i], 0u);
}

// Block 0 reaches its fault when all other blocks have long written.
TEST(Repeatability, BlocksThatRanWhileAnEarlierOneCameToItsFaultHaveWrittenNothing) {
  const std::vector<std::uint32_t> out =
      run("setp.ne.u32 %p1, %r3, 0;\n@%p1 bra WRITE;\nmov.u32 %r5, 100000;\nAGAIN:\nsub.u32 %r5, %r5, 1;\n"
          "setp.ne.u32 %p1, %r5, 0;\n@%p1 bra AGAIN;\nst.global.u32 [%rd1+65536], 1;\nWRITE:\n"
          "st.global.u32 [%rd4], 3;\n",
          2)
          .out;
  for (const std::uint32_t word : out) ASSERT_EQ(word, 0u);
}

TEST(Repeatability, LanesThatPartAndHazardsOfAllBlocksAddUp) {
  const std::string body =
      "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra ON;\nadd.u32 %r4, %r4, 1;\nON:\nst.global.u32 [%rd4], %r4;\n"
      "ld.global.u32 %r9, [%rd5];\n";
  expect_the_same_for_any_number_of_host_threads(body);
  const LaunchResult result = run(body, 8).result;
  EXPECT_EQ(result.counters->get(Counter::kDivergentBranches), 64);
  EXPECT_EQ(result.hazards.at(0).occurrences, 64u * 64);
}

TEST(Repeatability, AHazardBeforeAFault) {
  expect_the_same_for_any_number_of_host_threads("ld.global.u32 %r9, [%rd5];\nst.global.u32 [%rd4], 3;\n" +
                                                 std::string(kFault));
}

// A launch with a race is repeated: memory written by the first run is unwritten again.
TEST(Repeatability, ReadsOfUnwrittenMemoryInARace) {
  const std::string race =
      "ld.global.u32 %r9, [%rd5];\nst.global.u32 [%rd5], %r4;\nst.global.u32 [%rd1], %r4;\n";
  expect_the_same_for_any_number_of_host_threads(race);
  const LaunchResult result = run(race, 8).result;
  EXPECT_EQ(result.hazards.size(), 2u);
}

TEST(Repeatability, WhatALaunchWithARacePrintsAndCountsIsOfOneTry) {
  const std::string text =
      KernelHarness::kernel(R"(
    ld.param.u64 %rd1, [p0];
    mov.u32 %r1, %ctaid.x;
    mov.u64 %rd3, text;
    cvta.global.u64 %rd4, %rd3;
    mov.u64 %rd5, 0;
    {
    .param .b64 a;
    .param .b64 b;
    .param .b32 r;
    st.param.b64 [a], %rd4;
    st.param.b64 [b], %rd5;
    call.uni (r), vprintf, (a, b);
    ld.param.b32 %r3, [r];
    }
    st.global.u32 [%rd1], %r1;)",
                            1,
                            ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                            ".global .align 1 .b8 text[3] = {120, 10, 0};\n");
  for (const unsigned host_threads : {1u, 2u, 8u}) {
    KernelHarness harness(text, host_threads);
    const LaunchResult result =
        harness.run({4, 1, 1}, {1, 1, 1}, harness.buffer(std::vector<std::uint32_t>(1)));
    EXPECT_EQ(result.hazards.at(0).kind, HazardKind::kGlobalRace);
    EXPECT_EQ(result.printed, "x\nx\nx\nx\n");
    EXPECT_EQ(result.counters->get(Counter::kGlobalStoreRequests), 4);
  }
}

// Block 1 faults long after block 0, when both run at the same time.
TEST(Repeatability, AFaultOfALaterBlockThatComesLaterIsNotReported) {
  const LaunchOutcome outcome =
      run("setp.gt.u32 %p1, %r3, 1;\n@%p1 exit;\nadd.u32 %r5, %r3, 1;\nmul.lo.u32 %r5, %r5, 100000;\nAGAIN:\n"
          "sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra AGAIN;\nst.global.u32 [%rd1+65536], 1;",
          2, false);
  ASSERT_EQ(outcome.result.hazards.size(), 1u);
  EXPECT_EQ(outcome.result.hazards[0].block.x, 0u);
}

TEST(Repeatability, TheStepsOfTheFirstTryDoNotCount) {
  KernelHarness harness(KernelHarness::kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %ctaid.x;\n"
                                              "st.global.u32 [%rd1], %r1;\nmov.u32 %r2, 2;",
                                              1),
                        2);
  const auto out = harness.buffer(std::vector<std::uint32_t>(1));
  const LaunchResult first = harness.run({2, 1, 1}, {1, 1, 1}, out);
  ASSERT_EQ(first.hazards.size(), 1u);
  harness.max_steps = static_cast<std::uint64_t>(first.counters->get(Counter::kWarpInstructions).value());
  EXPECT_EQ(harness.run({2, 1, 1}, {1, 1, 1}, out).hazards.at(0).kind, HazardKind::kGlobalRace);
}

}  // namespace
}  // namespace cudalab::vgpu
