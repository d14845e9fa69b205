// Tests cp.async, bulk copies and mbarriers: their results, when data arrives, what is counted, and what the
// checks report if a wait is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {

// mbarrier objects, and the bulk copies and other asynchronous operations that they count.

namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kBulkThreads = 64, kWords = 64;

// %r1: thread; %rd1: its word of `in`; %rd2: its word of `out`; %r2: bar; %r3: tile; %r4: its word of tile;
// %p1: thread 0.
constexpr const char* kBulkPrologue = R"(
.shared .align 128 .b8 tile[512];
.shared .align 8 .b64 bar;
ld.param.u64 %rd3, [p0];
ld.param.u64 %rd4, [p1];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd5, %r1, 4;
add.u64 %rd1, %rd3, %rd5;
add.u64 %rd2, %rd4, %rd5;
mov.u32 %r2, bar;
mov.u32 %r3, tile;
mad.lo.u32 %r4, %r1, 4, %r3;
setp.eq.u32 %p1, %r1, 0;
)";
constexpr const char* kInit = "@%p1 mbarrier.init.shared::cta.b64 [%r2], 1;\nbar.sync 0;\n";
constexpr const char* kCopyIn = R"(
@%p1 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd10, [%r2], 256;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd3], 256, [%r2];
)";
constexpr const char* kWait = R"(
WAIT:
mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r2], 0;
@!%p2 bra WAIT;
)";
constexpr const char* kOut = "ld.shared.u32 %r9, [%r4];\nst.global.u32 [%rd2], %r9;\n";

struct BulkOutcome {
  LaunchResult result;
  std::vector<std::uint32_t> in, out;
};

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> values(kWords);
  for (std::uint32_t i = 0; i < kWords; ++i) values[i] = 100 + i;
  return values;
}

BulkOutcome run_bulk(const std::string& body, unsigned threads = kBulkThreads,
                     std::uint64_t max_steps = 50'000'000) {
  KernelHarness harness(KernelHarness::kernel(kBulkPrologue + body, 2));
  harness.max_steps = max_steps;
  const auto in = harness.buffer(numbers(), "in"),
             out = harness.buffer(std::vector<std::uint32_t>(kWords), "out");
  BulkOutcome outcome{harness.run({1, 1, 1}, {threads, 1, 1}, in, out), {}, {}};
  outcome.in = harness.read<std::uint32_t>(in, kWords);
  outcome.out = harness.read<std::uint32_t>(out, kWords);
  return outcome;
}

void expect_hazard(const BulkOutcome& outcome, HazardKind kind, const testing::Matcher<Message>& what) {
  ASSERT_THAT(outcome.result.hazards, SizeIs(1));
  EXPECT_EQ(outcome.result.hazards[0].kind, kind) << outcome.result.hazards[0].what;
  EXPECT_THAT(outcome.result.hazards[0].what, what);
}

// ---- bulk copies -------------------------------------------------------------------------------------
TEST(BulkCopy, ArrivesForWhoWaits) {
  const BulkOutcome outcome = run_bulk(all_of_text({kInit, kCopyIn, kWait, kOut}));
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_EQ(outcome.out, numbers());
}

TEST(BulkCopy, ThatNobodyWaitedForIsARace) {
  const BulkOutcome outcome = run_bulk(all_of_text({kInit, kCopyIn, "bar.sync 0;\n", kOut}));
  ASSERT_FALSE(outcome.result.hazards.empty());
  EXPECT_EQ(outcome.result.hazards[0].kind, HazardKind::kSharedRace);
  EXPECT_THAT(outcome.result.hazards[0].what,
              AllOf(IsMessage("race_bulk_destination"), MentionsMessage("verb_reads"),
                    HasArgument("element", cudalab::Element{"tile", {0}}),
                    HasArgument("address", Address{0x10000000000})));
}

TEST(BulkCopy, IsARaceForTheOneThreadThatIssuedItToo) {
  const BulkOutcome outcome =
      run_bulk(all_of_text({kInit, kCopyIn, "@!%p1 bra END;\nld.shared.u32 %r9, [%r3];\nEND:\n"}));
  expect_hazard(outcome, HazardKind::kSharedRace, IsMessage("race_bulk_destination"));
}

TEST(BulkCopy, IsARaceForWarpsThatDidNotWaitThemselves) {
  // The second warp reads data that only the first has waited for.
  const BulkOutcome outcome = run_bulk(all_of_text(
      {kInit, kCopyIn, "setp.ge.u32 %p3, %r1, 32;\n@%p3 bra READ;\n", kWait,
       "@%p1 st.shared.u32 [tile+256], 1;\nREAD:\n@%p3 nanosleep.u32 9;\n", "bar.warp.sync -1;\n", kOut}));
  ASSERT_FALSE(outcome.result.hazards.empty());
  EXPECT_EQ(outcome.result.hazards[0].kind, HazardKind::kSharedRace);
}

TEST(BulkCopy, IsSeenByWarpsThatMeetAWaitingOneAtABarrier) {
  const BulkOutcome outcome = run_bulk(all_of_text(
      {kInit, kCopyIn, "setp.ge.u32 %p3, %r1, 32;\n@%p3 bra MEET;\n", kWait, "MEET:\nbar.sync 0;\n", kOut}));
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_EQ(outcome.out, numbers());
}

TEST(BulkCopy, RacesWithReadsOfWhatItOverwrites) {
  // There is no barrier between the reads of the old contents and the copy.
  const BulkOutcome outcome =
      run_bulk(all_of_text({"st.shared.u32 [%r4], 1;\n", kInit, "xor.b32 %r5, %r4, 128;\n",
                            "ld.shared.u32 %r9, [%r5];\n", kCopyIn, kWait}));
  expect_hazard(outcome, HazardKind::kSharedRace, IsMessage("race_no_barrier"));
}

constexpr const char* kFillTile = "st.shared.u32 [%r4], %r1;\nfence.proxy.async;\nbar.sync 0;\n";
constexpr const char* kCopyOut = R"(
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r3], 256;
@%p1 cp.async.bulk.commit_group;
)";

std::vector<std::uint32_t> threads_in_order() {
  std::vector<std::uint32_t> values(kWords);
  for (std::uint32_t i = 0; i < kWords; ++i) values[i] = i;
  return values;
}

TEST(BulkCopy, ToGlobalMemoryIsThereAtTheEnd) {
  const BulkOutcome outcome = run_bulk(all_of_text({kFillTile, kCopyOut}));
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_EQ(outcome.out, threads_in_order());
}

TEST(BulkCopy, ItsSourceMustStayUntilItWasRead) {
  const std::string again = "bar.sync 0;\nst.shared.u32 [%r4], 7;\n";
  expect_hazard(run_bulk(all_of_text({kFillTile, kCopyOut}) + again), HazardKind::kSharedRace,
                IsMessage("race_bulk_source"));
  const BulkOutcome waited =
      run_bulk(all_of_text({kFillTile, kCopyOut, "@%p1 cp.async.bulk.wait_group.read 0;\n"}) + again);
  EXPECT_THAT(waited.result.hazards, IsEmpty());
  EXPECT_EQ(waited.out, threads_in_order());
}

TEST(BulkCopy, OfTheLatestGroupIsStillOnItsWay) {
  const std::string two = all_of_text({kFillTile, kCopyOut}) + R"(
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r3], 128;
    @%p1 cp.async.bulk.commit_group;
    @%p1 cp.async.bulk.wait_group.read 1;
    bar.sync 0;
    )";
  EXPECT_THAT(run_bulk(two + "@%p1 st.shared.u32 [%r3+128], 7;\n").result.hazards, IsEmpty());
  expect_hazard(run_bulk(two + "@%p1 st.shared.u32 [%r3], 7;\n"), HazardKind::kSharedRace,
                IsMessage("race_bulk_source"));
}

TEST(BulkCopy, Reduces) {
  const BulkOutcome outcome = run_bulk(all_of_text({kFillTile}) + R"(
    @%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd3], [%r3], 256;
    @%p1 cp.async.bulk.commit_group;
    @%p1 cp.async.bulk.wait_group 0;
    )");
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  for (std::uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(outcome.in[i], 100 + 2 * i);
}

TEST(BulkCopy, IsCheckedForSizeAlignmentAndBounds) {
  const auto copy = [](const std::string& to, const std::string& bytes) {
    return all_of_text({kInit}) + "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" +
           to + "], [%rd3], " + bytes + ", [%r2];\n";
  };
  expect_hazard(run_bulk(copy("%r3", "20")), HazardKind::kMisaligned,
                AllOf(IsMessage("bulk_copy_size"), HasArgument("bytes", 20)));
  expect_hazard(run_bulk(copy("%r3+8", "32")), HazardKind::kMisaligned,
                AllOf(IsMessage("access_misaligned_in"), HasArgument("bytes", 16)));
  expect_hazard(run_bulk(copy("%r3", "512")), HazardKind::kOutOfBounds,
                testing::AnyOf(IsMessage("access_past_end"), IsMessage("access_one_past_end")));
}

// ---- mbarriers ---------------------------------------------------------------------------------------
TEST(Mbarrier, OrdersWhoArrivesBeforeWhoWaits) {
  const auto exchange = [](const char* arrive) {
    return all_of_text({"@%p1 mbarrier.init.shared.b64 [%r2], 64;\nbar.sync 0;\nst.shared.u32 [%r4], %r1;\n",
                        arrive, kWait,
                        "xor.b32 %r5, %r4, 128;\nld.shared.u32 %r9, [%r5];\nst.global.u32 [%rd2], %r9;\n"});
  };
  const BulkOutcome outcome = run_bulk(exchange("mbarrier.arrive.shared.b64 %rd10, [%r2];\n"));
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_EQ(outcome.out[0], 32u);
  const BulkOutcome relaxed = run_bulk(exchange("mbarrier.arrive.relaxed.cta.shared.b64 %rd10, [%r2];\n"));
  EXPECT_EQ(relaxed.result.hazards.at(0).kind, HazardKind::kSharedRace);
}

TEST(Mbarrier, GivesStatesAndPhases) {
  const BulkOutcome outcome = run_bulk(R"(
    mbarrier.init.shared.b64 [%r2], 2;
    mbarrier.arrive.shared.b64 %rd10, [%r2];
    mbarrier.pending_count.b64 %r10, %rd10;
    mbarrier.test_wait.shared.b64 %p2, [%r2], %rd10;
    selp.u32 %r11, 1, 0, %p2;
    mbarrier.arrive_drop.shared.b64 %rd11, [%r2];
    mbarrier.pending_count.b64 %r12, %rd11;
    mbarrier.test_wait.shared.b64 %p2, [%r2], %rd10;
    selp.u32 %r13, 1, 0, %p2;
    mbarrier.arrive.shared.b64 %rd12, [%r2];
    mbarrier.test_wait.shared.b64 %p2, [%r2], %rd12;
    selp.u32 %r14, 1, 0, %p2;
    mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 1;
    selp.u32 %r15, 1, 0, %p2;
    st.global.v2.u32 [%rd4], {%r10, %r11};
    st.global.v2.u32 [%rd4+8], {%r12, %r13};
    st.global.v2.u32 [%rd4+16], {%r14, %r15};
    )",
                                       1);
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_THAT(std::vector(outcome.out.begin(), outcome.out.begin() + 6), ElementsAre(2, 0, 1, 1, 1, 1));
}

TEST(Mbarrier, MustBeInitialisedByAThreadThatAllHaveSeen) {
  expect_hazard(run_bulk("mbarrier.arrive.shared.b64 %rd10, [%r2];\n"), HazardKind::kUninitialisedRead,
                AllOf(IsMessage("mbarrier_uninitialised"), HasArgument("element", Code{"bar"})));
  const BulkOutcome unordered =
      run_bulk("@%p1 mbarrier.init.shared.b64 [%r2], 64;\nmbarrier.arrive.shared.b64 %rd10, [%r2];\n");
  ASSERT_FALSE(unordered.result.hazards.empty());
  EXPECT_EQ(unordered.result.hazards[0].kind, HazardKind::kSharedRace);
}

TEST(Mbarrier, WhosePhaseNeverEndsIsADeadlock) {
  const BulkOutcome arrivals =
      run_bulk(all_of_text({"@%p1 mbarrier.init.shared.b64 [%r2], 65;\nbar.sync 0;\n",
                            "mbarrier.arrive.shared.b64 %rd10, [%r2];\n", kWait}),
               kBulkThreads, 4'000'000'000);
  expect_hazard(arrivals, HazardKind::kDeadlock,
                AllOf(IsMessage("mbarrier_endless"), HasArgument("missing", 1), HasArgument("expected", 65)));
  const BulkOutcome bytes =
      run_bulk(all_of_text({kInit, "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r2], 128;\n", kWait}),
               64, 4'000'000'000);
  expect_hazard(bytes, HazardKind::kDeadlock,
                AllOf(IsMessage("mbarrier_endless_bytes"), HasArgument("missing", 0),
                      HasArgument("expected", 1), HasArgument("bytes", 128)));
}

// A loop around a wait that gives up after a number of rounds.
std::string bounded_wait(const std::string& before, const std::string& count, const std::string& limit) {
  return before + "AGAIN:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@%p2 bra THERE;\n" + count +
         limit + "@%p3 bra AGAIN;\nst.global.u32 [%rd2], 77;\nTHERE:\n";
}

TEST(Mbarrier, WaitedForInALoopThatGivesUpIsNoDeadlock) {
  const std::string counted =
      bounded_wait("mov.u32 %r20, 0;\n", "add.u32 %r20, %r20, 1;\n", "setp.lt.u32 %p3, %r20, 20000;\n");
  const std::string in_memory =
      bounded_wait("st.shared.u32 [tile+256], 0;\nbar.warp.sync -1;\n",
                   "atom.shared.add.u32 %r20, [tile+256], 1;\n", "setp.lt.u32 %p3, %r20, 200000;\n");
  const std::string timed =
      bounded_wait("mov.u64 %rd20, %clock64;\n", "mov.u64 %rd21, %clock64;\nsub.u64 %rd21, %rd21, %rd20;\n",
                   "setp.lt.u64 %p3, %rd21, 2000000000;\n");
  for (const std::string& wait : {counted, in_memory, timed}) {
    const BulkOutcome outcome = run_bulk(kInit + wait, 32, 10'000'000);
    EXPECT_THAT(outcome.result.hazards, IsEmpty()) << wait;
    EXPECT_EQ(outcome.out[3], 77u);
  }
}

TEST(Mbarrier, ReportsAnEndlessWaitThatLooksAtTheClock) {
  const std::string backs_off = R"(
    mov.u64 %rd20, %clock64;
    AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;
    @%p2 bra THERE;
    mov.u64 %rd21, %clock64;
    sub.u64 %rd21, %rd21, %rd20;
    setp.lt.u64 %p3, %rd21, 1000000;
    @%p3 bra AGAIN;
    nanosleep.u32 1000;
    bra AGAIN;
    THERE:
    )";
  constexpr std::uint64_t kSoon = 1'000'000;  // instructions; a few thousand polls instead of millions
  expect_hazard(run_bulk(kInit + backs_off + "bar.sync 0;\n", 32, kSoon), HazardKind::kDeadlock,
                IsMessage("mbarrier_endless"));
}

TEST(Mbarrier, NamesTheEndlessPhaseWhereOthersWaitAtABarrierForWhoWaitsThere) {
  const BulkOutcome outcome = run_bulk(
      all_of_text({kInit, "setp.lt.u32 %p3, %r1, 32;\n@%p3 bra MEET;\n", kWait, "MEET:\nbar.sync 0;\n"}));
  expect_hazard(outcome, HazardKind::kDeadlock, IsMessage("mbarrier_endless"));
}

TEST(Mbarrier, RefusesMoreArrivalsThanItCounts) {
  const BulkOutcome outcome = run_bulk(all_of_text({kInit, "mbarrier.arrive.shared.b64 _, [%r2], 2;\n"}));
  expect_hazard(outcome, HazardKind::kTrap,
                AllOf(IsMessage("mbarrier_extra_arrival"), HasArgument("count", 1)));
}

TEST(Mbarrier, CountsAsyncCopiesOfThreads) {
  for (const bool counted : {false, true}) {
    const std::string init = counted ? "64" : "128", modifier = counted ? ".noinc" : "";
    const BulkOutcome outcome = run_bulk(
        "@%p1 mbarrier.init.shared.b64 [%r2], 64;\nbar.sync 0;\n"
        "cp.async.ca.shared.global [%r4], [%rd1], 4;\n"
        "cp.async.mbarrier.arrive" +
        modifier + ".shared.b64 [%r2];\n" + (counted ? "" : "mbarrier.arrive.shared.b64 %rd10, [%r2];\n") +
        kWait + "xor.b32 %r4, %r4, 128;\n" + kOut);
    EXPECT_THAT(outcome.result.hazards, IsEmpty()) << init;
    EXPECT_EQ(outcome.out[1], numbers()[33]) << modifier;
  }
}

// A thread whose copies arrive at an mbarrier must wait there even for its own copies.
TEST(Mbarrier, OwnAsyncCopiesAreThereWhenItWasWaitedFor) {
  const std::string copy =
      "@%p1 mbarrier.init.shared.b64 [%r2], 64;\nbar.sync 0;\nst.shared.u32 [%r4+256], 9;\n"
      "cp.async.ca.shared.global [%r4+256], [%rd1], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n";
  const std::string read = "ld.shared.u32 %r9, [%r4+256];\nst.global.u32 [%rd2], %r9;\n";
  const BulkOutcome early = run_bulk(copy + read + kWait);
  expect_hazard(early, HazardKind::kSharedRace, IsMessage("race_own_async_copy"));
  EXPECT_EQ(early.out[5], 9u);
  const BulkOutcome right = run_bulk(copy + kWait + read);
  EXPECT_THAT(right.result.hazards, IsEmpty());
  EXPECT_EQ(right.out, numbers());
}

TEST(Mbarrier, AsyncArrivalsCountWhereNobodyAskedBeforeTheNextPhase) {
  const std::string arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n";
  const BulkOutcome outcome = run_bulk("@%p1 mbarrier.init.shared.b64 [%r2], 64;\nbar.sync 0;\n" + arrive +
                                       "bar.sync 0;\nmbarrier.arrive.shared.b64 %rd10, [%r2];\n" +
                                       "mbarrier.arrive.shared.b64 %rd10, [%r2];\n" + kWait);
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
}

// ---- proxies -----------------------------------------------------------------------------------------
constexpr const char* kStore = "st.shared.u32 [%r4], %r1;\n";
constexpr const char* kStoreOut = R"(
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r3], 256;
@%p1 cp.async.bulk.commit_group;
@%p1 cp.async.bulk.wait_group 0;
)";
constexpr const char* kFence = "fence.proxy.async.shared::cta;\n";

TEST(BulkCopy, OfWhatWasStoredNeedsAFenceBetweenTheProxies) {
  const BulkOutcome missing = run_bulk(all_of_text({kStore, "bar.sync 0;\n", kStoreOut}));
  expect_hazard(
      missing, HazardKind::kSharedRace,
      AllOf(IsMessage("race_proxy_fence"), HasArgument("element", cudalab::Element{"tile", {0}}),
            HasArgument("address", Address{0x10000000000}), HasArgument("other", ThreadIndex{{0, 0, 0}})));
  EXPECT_THAT(missing.result.hazards[0].fix, IsMessage("advice_proxy_fence"));
  for (const BulkOutcome& other :
       {run_bulk(all_of_text({kStore, "fence.proxy.async.global;\nbar.sync 0;\n", kStoreOut})),
        run_bulk(all_of_text({kStore, "membar.cta;\nbar.sync 0;\n", kStoreOut})),
        run_bulk(all_of_text({kFence, kStore, "bar.sync 0;\n", kStoreOut}))})
    EXPECT_THAT(other.result.hazards, SizeIs(1));
  const BulkOutcome by_some =
      run_bulk(all_of_text({kStore, "@%p1 fence.proxy.async;\nbar.sync 0;\n", kStoreOut}));
  expect_hazard(by_some, HazardKind::kSharedRace,
                AllOf(IsMessage("race_proxy_fence"), HasArgument("other", ThreadIndex{{32, 0, 0}})));
}

TEST(BulkCopy, IsFineWhereWritersOrTheOneThatCopiesHaveFenced) {
  for (const BulkOutcome& outcome :
       {run_bulk(all_of_text({kStore, kFence, "bar.sync 0;\n", kStoreOut})),
        run_bulk(all_of_text({kStore, "fence.proxy.async;\nbar.sync 0;\n", kStoreOut})),
        run_bulk(all_of_text({kStore, "bar.sync 0;\n@%p1 fence.proxy.async;\n", kStoreOut}))}) {
    EXPECT_THAT(outcome.result.hazards, IsEmpty());
    EXPECT_EQ(outcome.out[63], 63u);
  }
}

TEST(BulkCopy, OfWhatABulkCopyBroughtNeedsNoFence) {
  EXPECT_THAT(run_bulk(all_of_text({kInit, kCopyIn, kWait, "bar.sync 0;\n", kStoreOut})).result.hazards,
              IsEmpty());
  const BulkOutcome changed =
      run_bulk(all_of_text({kInit, kCopyIn, kWait, kStore, "bar.sync 0;\n", kStoreOut}));
  expect_hazard(changed, HazardKind::kSharedRace, IsMessage("race_proxy_fence"));
}

TEST(AsyncStore, BringsItsBytesWithIt) {
  const BulkOutcome outcome = run_bulk(all_of_text({kInit}) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r2], 20;
    @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r3], {%r1, %r1, %r3, %r1}, [%r2];
    @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3+16], 7, [%r2];
    )" + kWait + "@%p1 ld.shared.u32 %r9, [%r3+16];\n@%p1 st.global.u32 [%rd4], %r9;\n");
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_EQ(outcome.out[0], 7u);
}

TEST(TensorCopy, IsRefusedByName) {
  KernelHarness harness(
      KernelHarness::kernel("", 0,
                            ".visible .entry other() {\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n"
                            "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx"
                            "::bytes [%r1], [%rd1, {%r2}], [%r3];\nret;\n}\n"));
  EXPECT_THAT(harness.module().kernels()[0].refusal, MentionsMessage("opcode_tensor_copy_unsupported"));
}

constexpr char kBefore[] = ".shared .align 16 .b8 tile[1024];\n";

// %r1 = tid; %rd3 = &in[tid], %rd4 = &out[tid]; %r3 = &tile[tid].
std::string copying_kernel(const std::string& body) {
  return KernelHarness::kernel(std::string(kBefore) + R"(
    ld.param.u64 %rd1, [p0];
    ld.param.u64 %rd2, [p1];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd3, %rd1, %rd5;
    add.s64 %rd4, %rd2, %rd5;
    mov.u32 %r2, tile;
    shl.b32 %r4, %r1, 2;
    add.s32 %r3, %r2, %r4;
)" + body);
}

struct CopyOutcome {
  std::vector<std::uint32_t> out;
  LaunchResult result;
};

CopyOutcome run_copies(const std::string& body, std::uint32_t threads = 32) {
  KernelHarness harness(copying_kernel(body));
  std::vector<std::uint32_t> numbers(threads);
  std::iota(numbers.begin(), numbers.end(), 1);
  const std::uint64_t in = harness.buffer(numbers, "in"),
                      out = harness.buffer(std::vector<std::uint32_t>(threads), "out");
  CopyOutcome outcome;
  outcome.result = harness.run({1, 1, 1}, {threads, 1, 1}, in, out);
  outcome.out = harness.read<std::uint32_t>(out, threads);
  return outcome;
}

TEST(AsyncCopy, ArrivesWhenItsThreadWaits) {
  const CopyOutcome outcome = run_copies(R"(
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    cp.async.commit_group;
    cp.async.wait_group 0;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd4], %r5;)");
  EXPECT_TRUE(outcome.result.hazards.empty()) << outcome.result.hazards[0].what;
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(outcome.out[lane], lane + 1);
  EXPECT_EQ(outcome.result.counters->get(Counter::kAsyncCopyRequests), 1);
  EXPECT_EQ(outcome.result.counters->get(Counter::kAsyncCopySectors), 4);
  EXPECT_EQ(outcome.result.counters->get(Counter::kGlobalLoadRequests), 0);
}

TEST(AsyncCopy, AForgottenWaitReadsWhatWasThereAndIsARace) {
  const CopyOutcome outcome = run_copies(R"(
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    cp.async.commit_group;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd4], %r5;)");
  ASSERT_FALSE(outcome.result.hazards.empty());
  EXPECT_EQ(outcome.result.hazards[0].kind, HazardKind::kSharedRace);
  EXPECT_THAT(outcome.result.hazards[0].what, IsMessage("race_own_async_copy"));
  EXPECT_NE(outcome.out[0], 1u);
}

// The first of two groups has arrived, the second has not.
TEST(AsyncCopy, WaitGroupLeavesTheLatestGroupsOnTheirWay) {
  const CopyOutcome outcome = run_copies(R"(
    st.shared.u32 [%r3], 100;
    st.shared.u32 [%r3+128], 100;
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r3+128], [%rd3], 4;
    cp.async.commit_group;
    cp.async.wait_group 1;
    ld.shared.u32 %r5, [%r3];
    ld.shared.u32 %r6, [%r3+128];
    cp.async.wait_all;
    ld.shared.u32 %r7, [%r3+128];
    mad.lo.u32 %r5, %r6, 10, %r5;
    mad.lo.u32 %r5, %r7, 10000, %r5;
    st.global.u32 [%rd4], %r5;)");
  EXPECT_EQ(outcome.result.hazards.size(), 1u);  // for the second group, which is read too early
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(outcome.out[lane], 1000 + (lane + 1) * 10001);
}

TEST(AsyncCopy, WhatOtherLanesHaveCopiedIsNoBusinessOfALane) {
  const CopyOutcome outcome = run_copies(R"(
    st.shared.u32 [%r3+128], 100;
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    ld.shared.u32 %r5, [%r3+128];
    st.shared.u32 [%r3+256], 100;
    cp.async.wait_all;
    ld.shared.u32 %r6, [%r3];)");
  EXPECT_TRUE(outcome.result.hazards.empty());
}

TEST(AsyncCopy, BytesBeyondTheGivenNumberAreZero) {
  const CopyOutcome outcome = run_copies(R"(
    shl.b32 %r6, %r1, 2;
    add.s32 %r7, %r3, %r6;
    add.s32 %r7, %r7, %r6;
    add.s32 %r7, %r7, %r6;
    and.b32 %r8, %r1, 3;
    setp.ne.u32 %p1, %r8, 0;
    @%p1 bra $done;
    setp.eq.u32 %p2, %r1, 28;
    selp.u32 %r9, 6, 16, %p2;
    cp.async.cg.shared.global [%r3], [%rd3], 16, %r9;
    cp.async.wait_all;
$done:
    bar.sync 0;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd4], %r5;)");
  EXPECT_TRUE(outcome.result.hazards.empty()) << outcome.result.hazards[0].what;
  EXPECT_EQ(outcome.out[27], 28u);
  EXPECT_EQ(outcome.out[28], 29u);
  EXPECT_EQ(outcome.out[29], 30u);  // its two lower bytes were read
  EXPECT_EQ(outcome.out[30], 0u);
}

TEST(AsyncCopy, NothingIsReadWhereThePredicateHolds) {
  const CopyOutcome outcome = run_copies(R"(
    setp.gt.u32 %p1, %r1, 15;
    cp.async.ca.shared.global [%r3], [%rd3], 4, %p1;
    cp.async.wait_all;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd4], %r5;)");
  EXPECT_EQ(outcome.out[15], 16u);
  EXPECT_EQ(outcome.out[16], 0u);
  EXPECT_EQ(outcome.result.counters->get(Counter::kAsyncCopySectors), 2);
}

TEST(AsyncCopy, OutsideABufferIsAFault) {
  const CopyOutcome outcome = run_copies("cp.async.ca.shared.global [%r3], [%rd3+4], 4;\ncp.async.wait_all;");
  ASSERT_EQ(outcome.result.hazards.size(), 1u);
  EXPECT_EQ(outcome.result.hazards[0].kind, HazardKind::kOutOfBounds);
  EXPECT_EQ(outcome.result.hazards[0].buffer, "in");
}

// Reads a neighbour's element without a barrier after the wait.
TEST(AsyncCopy, OthersNeedABarrierBesides) {
  const std::string copy = "cp.async.ca.shared.global [%r3], [%rd3], 4;\ncp.async.wait_all;\n";
  const std::string read_other = R"(
    xor.b32 %r6, %r4, 128;
    add.s32 %r6, %r6, %r2;
    ld.shared.u32 %r5, [%r6];
    st.global.u32 [%rd4], %r5;)";
  EXPECT_TRUE(run_copies(copy + "bar.sync 0;\n" + read_other, 64).result.hazards.empty());
  EXPECT_FALSE(run_copies(copy + read_other, 64).result.hazards.empty());
}

// There is only a barrier: the copies were issued before it, but may not have arrived.
TEST(AsyncCopy, WhatOthersHaveYetToBringIsARaceBehindABarrierToo) {
  const std::string issue = "cp.async.ca.shared.global [%r3], [%rd3], 4;\ncp.async.commit_group;\n";
  const std::string touch_other = "bar.sync 0;\nxor.b32 %r6, %r4, 128;\nadd.s32 %r6, %r6, %r2;\n";
  const std::string read = "ld.shared.u32 %r5, [%r6];\n", write = "st.shared.u32 [%r6], 7;\n";
  const std::string wait = "cp.async.wait_group 0;\n";
  for (const std::string& access : {read, write}) {
    const auto hazards = run_copies(issue + touch_other + access + "bar.sync 0;\n" + wait, 64).result.hazards;
    ASSERT_FALSE(hazards.empty()) << access;
    EXPECT_EQ(hazards[0].kind, HazardKind::kSharedRace);
    EXPECT_THAT(hazards[0].what,
                AllOf(IsMessage("race_other_async_copy"), HasArgument("other", ThreadIndex{{32, 0, 0}})));
    EXPECT_EQ(run_copies(issue + wait + touch_other + access, 64).result.hazards.size(), 0u) << access;
  }
}

// Pending copies of another thread to other elements are no race.
TEST(AsyncCopy, OtherElementsMayBeOnTheirWay) {
  const auto hazards = run_copies(R"(
    st.shared.u32 [%r3+512], 3;
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    bar.sync 0;
    xor.b32 %r6, %r4, 128;
    add.s32 %r6, %r6, %r2;
    ld.shared.u32 %r5, [%r6+512];
    cp.async.wait_all;)",
                                  64)
                           .result.hazards;
  EXPECT_TRUE(hazards.empty()) << hazards[0].what.text();
}

TEST(AsyncCopy, OtherFormsAreRefusedByName) {
  const auto refusal = [](const std::string& instruction) {
    return refused([&] { KernelHarness harness(copying_kernel(instruction)); });
  };
  EXPECT_THAT(refusal("cp.async.mbarrier.arrive.b32 [%rd1];"),
              HasArgument("opcode", Code{"cp.async.mbarrier.arrive.b32"}));
  EXPECT_THAT(refusal("cp.async.ca.shared.global [%r3], [%rd3], 12;"),
              HasArgument("opcode", Code{"cp.async.ca.shared.global"}));
}

// ---- isspacep ----------------------------------------------------------------------------------------
TEST(IsSpace, TellsTheWindowsApart) {
  const CopyOutcome outcome = run_copies(R"(
    .local .align 4 .b8 own[16];
    cvta.shared.u64 %rd10, %rd0;
    mov.u64 %rd11, tile;
    cvta.shared.u64 %rd11, %rd11;
    mov.u64 %rd12, own;
    cvta.local.u64 %rd12, %rd12;
    isspacep.shared %p1, %rd11;
    isspacep.local %p2, %rd12;
    isspacep.global %p3, %rd1;
    isspacep.global %p4, %rd11;
    isspacep.shared %p5, %rd1;
    isspacep.const %p6, %rd1;
    selp.u32 %r5, 1, 0, %p1;
    selp.u32 %r6, 2, 0, %p2;
    selp.u32 %r7, 4, 0, %p3;
    selp.u32 %r8, 8, 0, %p4;
    selp.u32 %r9, 16, 0, %p5;
    selp.u32 %r10, 32, 0, %p6;
    or.b32 %r5, %r5, %r6;
    or.b32 %r5, %r5, %r7;
    or.b32 %r5, %r5, %r8;
    or.b32 %r5, %r5, %r9;
    or.b32 %r5, %r5, %r10;
    st.global.u32 [%rd4], %r5;)");
  EXPECT_EQ(outcome.out[3], 7u);
}

TEST(Harmless, HintsAndMarksDoNothing) {
  const CopyOutcome outcome = run_copies(R"(
    createpolicy.fractional.L2::evict_last.b64 %rd7, 1.0;
    griddepcontrol.wait;
    griddepcontrol.launch_dependents;
    setmaxnreg.inc.sync.aligned.u32 40;
    nanosleep.u32 100;
    prefetch.global.L2 [%rd3];
    discard.global.L2 [%rd3], 128;
    ld.global.L2::cache_hint.u32 %r5, [%rd3], %rd7;
    mov.u32 %r6, %clock;
    mov.u64 %rd8, %globaltimer;
    st.global.u32 [%rd4], %r5;)");
  EXPECT_TRUE(outcome.result.completed);
  EXPECT_EQ(outcome.out[5], 6u);
}

}  // namespace
}  // namespace cudalab::vgpu
