// Tests which values ptxas 13.0 knows to be uniform, according to its treatment of reductions at such
// addresses.
#include "vgpu/counters/uniformity.h"

#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// One warp adds to p0[index]. ptxas aggregates the addition (one sector) only if it knows the index to be
// uniform. %r1: thread, %r2: a parameter, %r3: block, %r4: loaded by each thread separately. All values are 0
// or 1.
double sectors(const std::string& index, const std::string& after = "") {
  KernelHarness harness(
      KernelHarness::kernel(".shared .align 4 .b8 s[64];\nld.param.u64 %rd1, [p0];\n"
                            "ld.param.u32 %r2, [p1];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, %ctaid.x;\n"
                            "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\n"
                            "ld.global.u32 %r4, [%rd2+64];\nst.shared.u32 [s], %r3;\n" +
                            index +
                            "\nmul.wide.u32 %rd3, %r9, 4;\nadd.s64 %rd3, %rd3, %rd1;\n"
                            "red.global.add.u32 [%rd3], %r4;\n" +
                            after + "DONE:"));
  harness.check_memory = harness.check_races = false;
  const auto result =
      harness.run({1, 1, 1}, {32, 1, 1}, harness.buffer(std::vector<std::uint32_t>(128)), std::uint64_t{1});
  return *result.counters->get(Counter::kGlobalReductionSectors);
}
constexpr double kOneLane = 1, kEachLane = 32;  // all addresses are equal here, whether ptxas knows it or not

TEST(Uniformity, IsThatOfParametersBlocksVotesAndLoadsFromOnePlace) {
  for (const char* index :
       {"mov.u32 %r9, %r2;", "mov.u32 %r9, %r3;", "mad.lo.u32 %r9, %r3, %r2, %r2;", "mov.u32 %r9, %ntid.y;",
        "ld.global.u32 %r9, [%rd1];", "ld.shared.u32 %r9, [s];",
        "activemask.b32 %r9;\nmul.lo.u32 %r9, %r9, 0;", "shfl.sync.idx.b32 %r9, %r1, 0, 31, -1;",
        "setp.gt.u32 %p1, %r2, 5;\nselp.b32 %r9, 1, %r3, %p1;"})
    EXPECT_EQ(sectors(index), kOneLane) << index;
}

TEST(Uniformity, IsNotThatOfThreadsAndWhatTheyLoad) {
  for (const char* index :
       {"shr.u32 %r9, %r1, 5;", "mov.u32 %r9, %tid.y;", "mov.u32 %r9, %r4;",
        "shfl.sync.idx.b32 %r9, %r1, 0, 6175, -1;\nshr.u32 %r9, %r9, 6;",
        "setp.gt.u32 %p1, %r1, 50;\nselp.b32 %r9, 1, %r3, %p1;", "atom.global.min.u32 %r9, [%rd2+128], 0;"})
    EXPECT_EQ(sectors(index), kEachLane) << index;
}

TEST(Uniformity, EndsWhereABranchThatLanesTakeDifferentlyDecides) {
  const std::string either = "mov.u32 %r9, %r3;\n@%p1 bra L;\nadd.u32 %r9, %r9, 0;\nL:";
  EXPECT_EQ(sectors("setp.gt.u32 %p1, %r2, 5;\n" + either), kOneLane);
  EXPECT_EQ(sectors("setp.gt.u32 %p1, %r1, 50;\n" + either), kEachLane);
  const std::string loop = "mov.u32 %r9, 0;\nL:\nsetp.lt.u32 %p1, %r9, ",
                    again = ";\n@%p1 add.u32 %r9, %r9, 1;\n@%p1 bra L;";
  EXPECT_EQ(sectors(loop + "%r2" + again), kOneLane);
  EXPECT_EQ(sectors(loop + "%r4" + again), kEachLane);
  // A value of such a loop that is used after it.
  EXPECT_EQ(sectors("mov.u32 %r8, 0;\nL:\nld.volatile.global.u32 %r9, [%rd1];\nadd.u32 %r8, %r8, 1;\n"
                    "setp.lt.u32 %p1, %r8, %r4;\n@%p1 bra L;"),
            kEachLane);
}

// Blocks of 4 x 8 threads: in one warp, eight threads have x = 0. ptxas does not consider this.
TEST(Uniformity, CodeOfOneThreadIsLeftAsItIs) {
  const auto sectors_of_column = [](const std::string& condition) {
    KernelHarness harness(KernelHarness::kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\n" +
                                                    condition +
                                                    "\n@%p1 bra DONE;\nred.global.add.u32 [%rd1], 1;\nDONE:",
                                                1));
    harness.check_memory = harness.check_races = false;
    const auto result = harness.run({1, 1, 1}, {4, 8, 1}, harness.buffer(std::vector<std::uint32_t>(128)));
    return *result.counters->get(Counter::kGlobalReductionSectors);
  };
  EXPECT_EQ(sectors_of_column("setp.ne.u32 %p1, %r1, 0;"), 8);
  EXPECT_EQ(sectors_of_column("setp.ge.u32 %p1, %r1, 1;"), 1);
}

}  // namespace
}  // namespace cudalab::vgpu
