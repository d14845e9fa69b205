// Tests clusters: blocks that run together, their barrier, and distributed shared memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr unsigned kClusterThreads = 64, kBlocks = 4;

// %r1: thread; %r2: rank; %r3: its word of `tile`; %r5: the same word in the next block of the cluster; %rd2:
// its word of `out`.
constexpr const char* kClusterPrologue = R"(
.shared .align 16 .b8 tile[256];
ld.param.u64 %rd1, [p0];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %cluster_ctarank;
mov.u32 %r3, tile;
mad.lo.u32 %r3, %r1, 4, %r3;
mov.u32 %r10, %cluster_nctarank;
add.u32 %r4, %r2, 1;
rem.u32 %r4, %r4, %r10;
mapa.shared::cluster.u32 %r5, %r3, %r4;
mov.u32 %r11, %ctaid.x;
mov.u32 %r12, %ntid.x;
mad.lo.u32 %r13, %r11, %r12, %r1;
mul.wide.u32 %rd3, %r13, 4;
add.u64 %rd2, %rd1, %rd3;
mad.lo.u32 %r14, %r11, 100, %r1;
)";
constexpr const char* kSync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
constexpr const char* kFillOwnTile = "st.shared.u32 [%r3], %r14;\n";
constexpr const char* kReadNext = "ld.shared::cluster.u32 %r9, [%r5];\nst.global.u32 [%rd2], %r9;\n";

struct ClusterOutcome {
  LaunchResult result;
  std::vector<std::uint32_t> out;
};

ClusterOutcome run_cluster(const std::string& body, unsigned cluster = 2, unsigned host_threads = 2) {
  KernelHarness harness(KernelHarness::kernel(kClusterPrologue + body, 1), host_threads);
  harness.cluster = {cluster, 1, 1};
  const auto out = harness.buffer(std::vector<std::uint32_t>(kBlocks * kClusterThreads), "out");
  ClusterOutcome outcome{harness.run({kBlocks, 1, 1}, {kClusterThreads, 1, 1}, out), {}};
  outcome.out = harness.read<std::uint32_t>(out, kBlocks * kClusterThreads);
  return outcome;
}

void expect_race(const ClusterOutcome& outcome, std::string_view id) {
  std::vector<Message> races;
  for (const Hazard& hazard : outcome.result.hazards)
    if (hazard.kind == HazardKind::kSharedRace) races.push_back(hazard.what);
  EXPECT_THAT(races, testing::Contains(IsMessage(std::string(id))));
}

std::string hazards_of(const ClusterOutcome& outcome) {
  std::string all;
  for (const Hazard& hazard : outcome.result.hazards) all += with_ids(hazard.what) + "\n";
  return all;
}

TEST(Cluster, BlocksReadEachOthersSharedMemory) {
  for (const unsigned cluster : {1u, 2u, 4u})
    for (const unsigned host_threads : {1u, 3u}) {
      const ClusterOutcome outcome =
          run_cluster(all_of_text({kFillOwnTile, kSync, kReadNext, kSync}), cluster, host_threads);
      EXPECT_THAT(outcome.result.hazards, IsEmpty());
      for (unsigned block = 0; block < kBlocks; ++block)
        EXPECT_EQ(outcome.out[block * kClusterThreads + 5],
                  5 + 100 * (block / cluster * cluster + (block + 1) % cluster));
    }
}

TEST(Cluster, GenericAddressesAndAtomicsReachOtherBlocksToo) {
  const ClusterOutcome outcome =
      run_cluster(all_of_text({kFillOwnTile, kSync, R"(
    cvt.u64.u32 %rd4, %r3;
    cvta.shared.u64 %rd4, %rd4;
    mapa.u64 %rd5, %rd4, %r4;
    atom.add.u32 %r9, [%rd5], 1000;
    red.shared::cluster.add.u32 [%r5], 2000;
    )",
                               kSync, "ld.shared.u32 %r9, [%r3];\nst.global.u32 [%rd2], %r9;\n"}));
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_EQ(outcome.out[kClusterThreads + 1], 3101u);
}

TEST(Cluster, AddressesTellTheirRank) {
  const ClusterOutcome outcome = run_cluster(R"(
    getctarank.shared::cluster.u32 %r20, %r5;
    getctarank.shared::cluster.u32 %r21, %r3;
    cvt.u64.u32 %rd4, %r5;
    cvta.shared::cluster.u64 %rd4, %rd4;
    getctarank.u64 %r22, %rd4;
    isspacep.shared::cta %p1, %rd4;
    isspacep.shared::cluster %p2, %rd4;
    selp.u32 %r23, 10, 0, %p1;
    selp.u32 %r24, 1, 0, %p2;
    mad.lo.u32 %r20, %r20, 10000, %r23;
    mad.lo.u32 %r21, %r21, 1000, %r24;
    mad.lo.u32 %r22, %r22, 100, %r21;
    add.u32 %r20, %r20, %r22;
    st.global.u32 [%rd2], %r20;
    )");
  EXPECT_EQ(outcome.out[0], 10101u);
  EXPECT_EQ(outcome.out[kClusterThreads], 1001u);
}

TEST(Cluster, SpecialRegistersSayWhere) {
  const ClusterOutcome outcome = run_cluster(R"(
    mov.u32 %r20, %clusterid.x;
    mov.u32 %r21, %nclusterid.x;
    mov.u32 %r22, %cluster_ctaid.x;
    mov.u32 %r23, %cluster_nctaid.x;
    mov.pred %p1, %is_explicit_cluster;
    selp.u32 %r24, 1, 0, %p1;
    mad.lo.u32 %r24, %r24, 10, %r20;
    mad.lo.u32 %r24, %r24, 10, %r21;
    mad.lo.u32 %r24, %r24, 10, %r22;
    mad.lo.u32 %r24, %r24, 10, %r23;
    st.global.u32 [%rd2], %r24;
    )");
  EXPECT_EQ(outcome.out[0], 10202u);
  EXPECT_EQ(outcome.out[3 * kClusterThreads], 11212u);
}

TEST(Cluster, AccessesThatNoBarrierOrdersRace) {
  expect_race(run_cluster(all_of_text({kSync, kFillOwnTile, kReadNext, kSync})), "race_cluster");
  expect_race(run_cluster(all_of_text({kFillOwnTile, kReadNext, kSync})), "race_block_not_begun");
  expect_race(run_cluster(all_of_text({kFillOwnTile, kSync, kReadNext})), "access_block_ended");
  expect_race(run_cluster(all_of_text({kFillOwnTile, kSync, kReadNext, "st.shared.u32 [%r3], 1;\n", kSync})),
              "race_cluster");
}

TEST(Cluster, ARelaxedArrivalOrdersNothing) {
  expect_race(
      run_cluster(all_of_text(
          {kFillOwnTile, "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n", kReadNext, kSync})),
      "race_cluster");
}

TEST(Cluster, TheBarrierOrdersTheBlockItself) {
  const ClusterOutcome outcome = run_cluster(
      all_of_text({kFillOwnTile, kSync,
                   "xor.b32 %r6, %r3, 128;\nld.shared.u32 %r9, [%r6];\nst.global.u32 [%rd2], %r9;\n"}));
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
}

TEST(Cluster, TheBarrierOrdersGlobalMemory) {
  const std::string next =
      "mad.lo.u32 %r15, %r2, -2, 1;\nadd.u32 %r15, %r15, %r11;\nmad.lo.u32 %r15, %r15, %r12, %r1;\n"
      "mul.wide.u32 %rd5, %r15, 4;\nadd.u64 %rd5, %rd1, %rd5;\n";
  const std::string write = "st.global.u32 [%rd2], %r14;\n", read = "ld.global.u32 %r9, [%rd5];\n";
  EXPECT_THAT(run_cluster(next + write + kSync + read).result.hazards, IsEmpty());
  const ClusterOutcome unordered = run_cluster(next + write + read + kSync);
  ASSERT_FALSE(unordered.result.hazards.empty());
  EXPECT_EQ(unordered.result.hazards[0].kind, HazardKind::kGlobalRace);
}

TEST(Cluster, ABarrierThatSomeBlockMissesIsADeadlock) {
  const ClusterOutcome outcome = run_cluster(
      "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nLOOP:\nbar.sync 1, 128;\nWAIT:\n" + std::string(kSync));
  ASSERT_THAT(outcome.result.hazards, SizeIs(1));
  EXPECT_EQ(outcome.result.hazards[0].kind, HazardKind::kDeadlock);
}

TEST(Cluster, ABlockThatHasEndedIsNotWaitedFor) {
  const ClusterOutcome outcome = run_cluster("setp.eq.u32 %p1, %r2, 0;\n@%p1 ret;\n" + std::string(kSync) +
                                             "st.global.u32 [%rd2], 7;\n");
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_EQ(outcome.out[kClusterThreads], 7u);
}

TEST(Cluster, RanksBeyondItAreOutOfBounds) {
  const ClusterOutcome outcome =
      run_cluster("mapa.shared::cluster.u32 %r5, %r3, 5;\n" + std::string(kReadNext));
  ASSERT_THAT(outcome.result.hazards, SizeIs(1));
  EXPECT_EQ(outcome.result.hazards[0].kind, HazardKind::kOutOfBounds);
  EXPECT_THAT(outcome.result.hazards[0].what,
              AllOf(IsMessage("access_rank_outside"), HasArgument("rank", 5), HasArgument("blocks", 2)));
}

TEST(Cluster, AnMbarrierOfAnotherBlockCounts) {
  // Block 0 of each cluster waits until block 1 has written to block 0's shared memory.
  const ClusterOutcome outcome = run_cluster(R"(
    .shared .align 8 .b64 bar;
    mov.u32 %r20, bar;
    setp.eq.u32 %p1, %r1, 0;
    setp.eq.u32 %p3, %r2, 0;
    @%p1 mbarrier.init.shared.b64 [%r20], 64;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.relaxed;
    barrier.cluster.wait;
    @%p3 bra WAIT;
    mapa.shared::cluster.u32 %r21, %r20, 0;
    st.shared::cluster.u32 [%r5], %r14;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r21];
    bra END;
    WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r20], 0;
    @!%p2 bra WAIT;
    ld.shared.u32 %r9, [%r3];
    st.global.u32 [%rd2], %r9;
    END:
    )" + std::string(kSync));
  EXPECT_THAT(outcome.result.hazards, IsEmpty());
  EXPECT_EQ(outcome.out[2 * kClusterThreads + 9], 309u);
}

TEST(Cluster, BulkCopiesGoToEveryBlockOfTheMask) {
  const ClusterOutcome outcome = run_cluster(R"(
    .shared .align 8 .b64 bar;
    mov.u32 %r20, bar;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [%r20], 1;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r20], 128;
    setp.eq.and.u32 %p3, %r2, 0, %p1;
    st.global.u32 [%rd2], %r14;
    mov.u32 %r21, tile;
    mov.u16 %rs1, 3;
    )" + std::string(kSync) + R"(
    @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
        [%r21], [%rd2], 128, [%r20], %rs1;
    WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0;
    @!%p2 bra WAIT;
    and.b32 %r3, %r3, 127;
    ld.shared.u32 %r9, [%r3];
    )" + std::string(kSync) + "add.u32 %r9, %r9, 5000;\nst.global.u32 [%rd2], %r9;\n");
  EXPECT_EQ(hazards_of(outcome), "");
  EXPECT_EQ(outcome.out[kClusterThreads + 3], 5003u);
  EXPECT_EQ(outcome.out[3 * kClusterThreads + 3], 5203u);
}

// ---- launches ----------------------------------------------------------------------------------------
Message refusal_of(Dim3 grid, Dim3 cluster, const Card* card = nullptr, const std::string& directive = "") {
  std::string ptx = KernelHarness::kernel("", 0);
  if (!directive.empty()) ptx.replace(ptx.find("{"), 1, directive + "\n{");
  KernelHarness harness(ptx, 1, card);
  harness.cluster = cluster;
  const LaunchResult result = harness.run(grid, {32, 1, 1});
  if (result.completed) return {};
  EXPECT_EQ(result.hazards.at(0).cuda_error, "CUDA_ERROR_INVALID_CLUSTER_SIZE");
  return result.hazards.at(0).what;
}

TEST(ClusterLaunch, FollowsTheCardsRules) {
  EXPECT_TRUE(refusal_of({4, 2, 1}, {2, 2, 1}).empty());
  EXPECT_THAT(refusal_of({6, 1, 1}, {4, 1, 1}),
              AllOf(IsMessage("launch_cluster_indivisible"), HasArgument("x", 4), HasArgument("grid_x", 6)));
  EXPECT_THAT(refusal_of({16, 1, 1}, {16, 1, 1}),
              AllOf(IsMessage("launch_cluster_size"), HasArgument("limit", 8)));
  EXPECT_THAT(refusal_of({4, 1, 1}, {2, 1, 1}, find_card("a100")),
              AllOf(IsMessage("launch_cluster_unsupported"), HasArgument("device", "NVIDIA A100")));
  EXPECT_THAT(refusal_of({4, 1, 1}, {2, 1, 1}, nullptr, ".reqnctapercluster 4, 1, 1"),
              AllOf(IsMessage("launch_cluster_differs"), HasArgument("declared_x", 4)));
  EXPECT_TRUE(
      refusal_of({4, 1, 1}, {0, 0, 0}, nullptr, ".explicitcluster\n.reqnctapercluster 4, 1, 1").empty());
}

}  // namespace
}  // namespace cudalab::vgpu
