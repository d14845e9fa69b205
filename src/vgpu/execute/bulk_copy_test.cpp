// mbarrier objects, and the bulk copies and other asynchronous work that they count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kBulkThreads = 64, kWords = 64;

// %r1: the thread; %rd1: its word of `in`; %rd2: of `out`; %r2: bar; %r3: tile; %r4: its word of it; %p1: is
// thread 0.
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

void expect_hazard(const BulkOutcome& outcome, HazardKind kind, const std::string& text) {
  ASSERT_THAT(outcome.result.hazards, SizeIs(1)) << text;
  EXPECT_EQ(outcome.result.hazards[0].kind, kind) << outcome.result.hazards[0].what;
  EXPECT_THAT(outcome.result.hazards[0].what, HasSubstr(text));
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
              HasSubstr("reads `tile[0]` (0x10000000000), to which a bulk copy is still on its way"));
}

TEST(BulkCopy, IsARaceForTheOneThreadThatIssuedItToo) {
  const BulkOutcome outcome =
      run_bulk(all_of_text({kInit, kCopyIn, "@!%p1 bra END;\nld.shared.u32 %r9, [%r3];\nEND:\n"}));
  expect_hazard(outcome, HazardKind::kSharedRace, "a bulk copy is still on its way");
}

TEST(BulkCopy, IsARaceForWarpsThatDidNotWaitThemselves) {
  // The second warp reads what only the first has waited for.
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
  // No barrier between the reads of the old contents and the copy.
  const BulkOutcome outcome =
      run_bulk(all_of_text({"st.shared.u32 [%r4], 1;\n", kInit, "xor.b32 %r5, %r4, 128;\n",
                            "ld.shared.u32 %r9, [%r5];\n", kCopyIn, kWait}));
  expect_hazard(outcome, HazardKind::kSharedRace, "with no barrier in between");
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
                "from which a bulk copy may still be reading");
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
                "may still be reading");
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
  expect_hazard(run_bulk(copy("%r3", "20")), HazardKind::kMisaligned, "copies 20 bytes in bulk");
  expect_hazard(run_bulk(copy("%r3+8", "32")), HazardKind::kMisaligned, "not a multiple of 16");
  expect_hazard(run_bulk(copy("%r3", "512")), HazardKind::kOutOfBounds, "past its last element");
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
                "before anybody has initialised it, the mbarrier at `bar`");
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
  expect_hazard(arrivals, HazardKind::kDeadlock, "whose phase never ends: 1 of 65 arrivals are missing");
  const BulkOutcome bytes =
      run_bulk(all_of_text({kInit, "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r2], 128;\n", kWait}),
               64, 4'000'000'000);
  expect_hazard(bytes, HazardKind::kDeadlock, "0 of 1 arrivals and 128 bytes are missing");
}

// A loop around a wait that gives up by itself.
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
  constexpr std::uint64_t kSoon = 1'000'000;  // instructions: of a few thousand turns, not of millions
  expect_hazard(run_bulk(kInit + backs_off + "bar.sync 0;\n", 32, kSoon), HazardKind::kDeadlock,
                "whose phase never ends");
}

TEST(Mbarrier, NamesTheEndlessPhaseWhereOthersWaitAtABarrierForWhoWaitsThere) {
  const BulkOutcome outcome = run_bulk(
      all_of_text({kInit, "setp.lt.u32 %p3, %r1, 32;\n@%p3 bra MEET;\n", kWait, "MEET:\nbar.sync 0;\n"}));
  expect_hazard(outcome, HazardKind::kDeadlock, "whose phase never ends");
}

TEST(Mbarrier, RefusesMoreArrivalsThanItCounts) {
  const BulkOutcome outcome = run_bulk(all_of_text({kInit, "mbarrier.arrive.shared.b64 _, [%r2], 2;\n"}));
  expect_hazard(outcome, HazardKind::kTrap, "arrives more often than the 1 times");
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

// Who has its copies arrive at an mbarrier must wait there even for its own.
TEST(Mbarrier, OwnAsyncCopiesAreThereWhenItWasWaitedFor) {
  const std::string copy =
      "@%p1 mbarrier.init.shared.b64 [%r2], 64;\nbar.sync 0;\nst.shared.u32 [%r4+256], 9;\n"
      "cp.async.ca.shared.global [%r4+256], [%rd1], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n";
  const std::string read = "ld.shared.u32 %r9, [%r4+256];\nst.global.u32 [%rd2], %r9;\n";
  const BulkOutcome early = run_bulk(copy + read + kWait);
  expect_hazard(early, HazardKind::kSharedRace, "the thread's cp.async is still on its way");
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
  expect_hazard(missing, HazardKind::kSharedRace,
                "copies `tile[0]` (0x10000000000) in bulk, which thread (0, 0, 0) wrote with no "
                "fence.proxy.async in between");
  EXPECT_THAT(missing.result.hazards[0].fix, HasSubstr("fence.proxy.async behind its stores"));
  for (const BulkOutcome& other :
       {run_bulk(all_of_text({kStore, "fence.proxy.async.global;\nbar.sync 0;\n", kStoreOut})),
        run_bulk(all_of_text({kStore, "membar.cta;\nbar.sync 0;\n", kStoreOut})),
        run_bulk(all_of_text({kFence, kStore, "bar.sync 0;\n", kStoreOut}))})
    EXPECT_THAT(other.result.hazards, SizeIs(1));
  const BulkOutcome by_some =
      run_bulk(all_of_text({kStore, "@%p1 fence.proxy.async;\nbar.sync 0;\n", kStoreOut}));
  expect_hazard(by_some, HazardKind::kSharedRace, "which thread (32, 0, 0) wrote");
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
  expect_hazard(changed, HazardKind::kSharedRace, "no fence.proxy.async");
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
  EXPECT_THAT(harness.module().kernels()[0].refusal, HasSubstr("copies by a tensor map"));
}

}  // namespace
}  // namespace cudalab::vgpu
