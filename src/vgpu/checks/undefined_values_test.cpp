// Tests reads of unwritten memory in each memory space: which are reported, and which must not be.
#include "vgpu/checks/undefined_values.h"

#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {

namespace {

// Two buffers of 64 words: p0 is written, p1 is not. %rd1, %rd2: their addresses; %r0: thread; %r3: block.
std::string reading_kernel(const std::string& body, const std::string& before = "") {
  return KernelHarness::kernel(
      "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nmov.u32 %r0, %tid.x;\nmov.u32 %r3, %ctaid.x;\n" +
          body,
      2, before);
}

std::vector<Hazard> hazards_of_reads(const std::string& text, unsigned blocks = 1,
                                     unsigned host_threads = 1) {
  KernelHarness harness(text, host_threads);
  harness.check_races = false;
  const auto written = harness.buffer(std::vector<std::uint32_t>(64), "written");
  const auto unwritten = harness.gpu().allocate("unwritten", 256);
  return harness.run({blocks, 1, 1}, {64, 1, 1}, written, unwritten).hazards;
}

void expect_report(const std::string& body, std::uint64_t occurrences, unsigned blocks = 1) {
  const std::vector<Hazard> hazards = hazards_of_reads(reading_kernel(body), blocks);
  ASSERT_EQ(hazards.size(), 1u) << body;
  EXPECT_EQ(hazards[0].kind, HazardKind::kUninitialisedRead) << body;
  EXPECT_EQ(hazards[0].occurrences, occurrences) << body;
}
void expect_no_report(const std::string& body, unsigned blocks = 1) {
  const std::vector<Hazard> hazards = hazards_of_reads(reading_kernel(body), blocks);
  EXPECT_TRUE(hazards.empty()) << body << hazards[0].what;
}

// ---- global ------------------------------------------------------------------------------------------
TEST(UnwrittenGlobal, AWordThatOnlyPartlyIsWrittenIsNotReported) {
  expect_report("ld.global.u32 %r9, [%rd2];", 64);
  expect_no_report("st.global.u8 [%rd2+1], %r0;\nld.global.u32 %r9, [%rd2];");
  expect_no_report("ld.global.u32 %r9, [%rd1];");
}

TEST(UnwrittenGlobal, WhatAStoreWroteIsWrittenAndItsNeighbourIsNot) {
  expect_no_report("st.global.u32 [%rd2], 5;\nld.global.u32 %r9, [%rd2];");
  expect_report("st.global.u32 [%rd2], 5;\nld.global.u32 %r9, [%rd2+4];", 64);
}

TEST(UnwrittenGlobal, AnElementOfAVectorMattersWhereTheKernelComputesWithIt) {
  const std::string first_written = "st.global.u32 [%rd2], 5;\nld.global.v2.u32 {%r8, %r9}, [%rd2];\n";
  expect_report(first_written + "add.u32 %r9, %r9, 1;", 64);
  expect_no_report(first_written + "add.u32 %r8, %r8, 1;\nst.global.v2.u32 [%rd1], {%r8, %r9};");
}

TEST(UnwrittenGlobal, AnAtomicReadsAndLeavesItUnwritten) {
  expect_report("setp.eq.u32 %p1, %r0, 0;\n@%p1 red.global.add.u32 [%rd2], 1;\nld.global.u32 %r9, [%rd2];",
                65);
}

// ---- shared ------------------------------------------------------------------------------------------
constexpr char kOwnWord[] =
    ".shared .align 16 .b8 s[1024];\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nadd.u32 %r4, %r2, %r1;\n";

TEST(UnwrittenShared, AtTheBeginningAndBehindABarrier) {
  expect_report(std::string(kOwnWord) + "ld.shared.u32 %r9, [%r4];", 64);
  expect_report(std::string(kOwnWord) + "st.shared.u32 [%r4], 1;\nbar.sync 0;\nld.shared.u32 %r9, [%r4+512];",
                64);
  expect_no_report(std::string(kOwnWord) + "st.shared.u32 [%r4], 1;\nld.shared.u32 %r9, [%r4];");
  expect_no_report(std::string(kOwnWord) + "st.shared.u32 [%r4], 1;\nbar.sync 0;\nld.shared.u32 %r9, [%r4];");
}

TEST(UnwrittenShared, WhatAnEarlierBlockWroteIsNotWritten) {
  for (const char* between : {"", "bar.sync 0;\n"})
    for (const bool races : {true, false}) {
      KernelHarness harness(
          reading_kernel(std::string(kOwnWord) + "setp.eq.u32 %p1, %r3, 0;\n@%p1 st.shared.u32 [%r4], 1;\n" +
                         between + "ld.shared.u32 %r9, [%r4];"),
          1);
      harness.check_races = races;
      const LaunchResult result = harness.run({2, 1, 1}, {64, 1, 1}, std::uint64_t{0}, std::uint64_t{0});
      ASSERT_EQ(result.hazards.size(), 1u);
      EXPECT_EQ(result.hazards[0].occurrences, 64u);
      EXPECT_EQ(result.hazards[0].block.x, 1u);
    }
}

TEST(UnwrittenShared, IsFoundWithAndWithoutTheCheckForRaces) {
  for (const bool races : {true, false}) {
    KernelHarness harness(reading_kernel(std::string(kOwnWord) + "ld.shared.u32 %r9, [%r4];"));
    harness.check_races = races;
    EXPECT_EQ(harness.run({1, 1, 1}, {64, 1, 1}, std::uint64_t{0}, std::uint64_t{0}).hazards.size(), 1u);
  }
}

// ---- local -------------------------------------------------------------------------------------------
constexpr char kLocal[] = ".local .align 16 .b8 l[64];\n";
// A branch depends on %r9.
constexpr char kMatters[] = "setp.eq.u32 %p9, %r9, 77;\n@%p9 bra MATTERS;\nMATTERS:\n";

TEST(UnwrittenLocal, IsNamedWhereItWasReadFirst) {
  const std::string first =
      ".loc 1 5 0\nld.local.u32 %r9, [l+4];\nadd.u32 %r9, %r9, 1;\nst.local.u32 [l+4], %r9;\n";
  const std::string later = ".loc 1 9 0\nld.local.u32 %r8, [l+4];\nst.global.u32 [%rd1], %r8;\n";
  const std::string file = ".file 1 \"a.cu\"\n";
  const auto line_of = [&](const std::string& body) {
    const std::vector<Hazard> hazards = hazards_of_reads(reading_kernel(std::string(kLocal) + body, file));
    return hazards.size() == 1 ? hazards[0].where.line : 0;
  };
  EXPECT_EQ(line_of(first + later), 5);
  EXPECT_EQ(line_of(first + "st.local.u32 [l+4], 3;\n" + later), 0);
  EXPECT_EQ(line_of(later), 9);
}

TEST(UnwrittenLocal, IsReportedWhereTheKernelComputesWithIt) {
  expect_report(std::string(kLocal) + "ld.local.u32 %r9, [l];\nadd.u32 %r9, %r9, 1;\n" + kMatters, 64);
  expect_no_report(std::string(kLocal) + "ld.local.u32 %r9, [l];\nst.local.u32 [l+4], %r9;");
  expect_no_report(std::string(kLocal) +
                   "st.local.u32 [l], 3;\nld.local.u32 %r9, [l];\nadd.u32 %r9, %r9, 1;\n" + kMatters);
}

TEST(UnwrittenLocal, WhatASelectionThrowsAwayIsSilent) {
  const std::string load = std::string(kLocal) +
                           "ld.local.u32 %r9, [l];\nadd.u32 %r9, %r9, 1;\n"
                           "setp.eq.u32 %p1, %r0, %r0;\n";
  expect_no_report(load + "selp.u32 %r9, 5, %r9, %p1;\n" + kMatters);
  expect_report(load + "selp.u32 %r9, %r9, 5, %p1;\n" + kMatters, 64);
  expect_no_report(
      load + "setp.eq.u32 %p2, %r9, 7;\nnot.pred %p1, %p1;\nand.pred %p2, %p2, %p1;\n@%p2 bra ON;\nON:\n");
  expect_report(load + "setp.eq.u32 %p2, %r9, 7;\nand.pred %p2, %p2, %p1;\n@%p2 bra ON;\nON:\n", 64);
  expect_no_report(load + "setp.eq.u32 %p2, %r9, 7;\nor.pred %p2, %p2, %p1;\n@%p2 bra ON;\nON:\n");
}

TEST(UnwrittenLocal, ACopyStaysUnwrittenUntilItMatters) {
  const std::string copy =
      std::string(kLocal) + "ld.local.u32 %r8, [l];\nst.local.u32 [l+8], %r8;\nld.local.u32 %r9, [l+8];\n";
  expect_no_report(copy);
  expect_report(copy + kMatters, 64);
  expect_no_report(copy + "mov.u32 %r9, 3;\n" + kMatters);
}

TEST(UnwrittenLocal, IsReportedWhereItIsStoredForOthersToSee) {
  const std::string store = "ld.param.u64 %rd9, [p0];\n";
  expect_report(std::string(kLocal) +
                    ".shared .align 4 .b8 s[8];\nld.local.u32 %r9, [l];\nst.shared.u32 [s], %r9;\n"
                    "bar.sync 0;\nld.shared.u32 %r8, [s];\nadd.u32 %r8, %r8, 1;\n",
                64);
  expect_no_report(std::string(kLocal) +
                   ".shared .align 4 .b8 s[8];\nld.local.u32 %r9, [l];\nst.shared.u32 [s], %r9;\n"
                   "bar.sync 0;\nst.shared.u32 [s], 4;\nbar.sync 0;\nld.shared.u32 %r8, [s];\n"
                   "add.u32 %r8, %r8, 1;\n");
}

TEST(UnwrittenLocal, OneLanesWriteIsNotItsNeighbours) {
  expect_report(std::string(kLocal) +
                    "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.local.u32 [l], 3;\n"
                    "ld.local.u32 %r9, [l];\nadd.u32 %r9, %r9, 1;\n" +
                    kMatters,
                32);
}

// A copy into a buffer is visible to other threads, but may include padding of a structure or unused bytes of
// a string.
TEST(UnwrittenLocal, ACopyByAGenericAddressIsSilentToo) {
  const std::string load =
      std::string(kLocal) + "mov.u64 %rd3, l;\ncvta.local.u64 %rd4, %rd3;\nld.u32 %r9, [%rd4];\n";
  expect_no_report(load + "st.local.u32 [l+4], %r9;");
  expect_report(load + "add.u32 %r9, %r9, 1;\n" + kMatters, 64);
}

TEST(UnwrittenLocal, MattersWhereAWholeElementGoesIntoABuffer) {
  const std::string local = kLocal;
  expect_report(local + "ld.local.u32 %r9, [l];\nst.global.u32 [%rd1], %r9;", 64);
  expect_no_report(local + "ld.local.u8 %r9, [l];\nst.global.u8 [%rd1], %r9;");
  expect_no_report(local +
                   "st.local.u32 [l], 3;\nld.local.v2.u32 {%r8, %r9}, [l];\n"
                   "st.global.v2.u32 [%rd1], {%r8, %r9};");
}

TEST(UnwrittenLocal, LanesThatAreGivenAValueLaterLeaveTheOthersUnwritten) {
  expect_report(std::string(kLocal) +
                    "ld.local.u32 %r9, [l];\nsetp.lt.u32 %p1, %r0, 7;\n@%p1 mov.u32 %r9, 3;\n" + kMatters,
                57);
}

TEST(UnwrittenLocal, LanesAtDifferentPlacesAreKeptApart) {
  expect_report(
      std::string(kLocal) +
          "and.b32 %r1, %r0, 1;\nmul.wide.u32 %rd3, %r1, 4;\nmov.u64 %rd4, l;\nadd.s64 %rd5, %rd4, %rd3;\n"
          "st.local.u32 [%rd5], 3;\nld.local.u32 %r9, [%rd4];\nadd.u32 %r9, %r9, 1;\n" +
          kMatters,
      32);
}

TEST(UnwrittenLocal, BeginsUnwrittenInEachOfManyBlocks) {
  const std::string body = std::string(kLocal) +
                           "setp.eq.u32 %p1, %r3, 0;\n@%p1 st.local.u32 [l], 3;\n"
                           "ld.local.u32 %r9, [l];\nadd.u32 %r9, %r9, 1;\n" +
                           kMatters;
  expect_report(body, 64 * 599, 600);
}

// `f` writes its variable if its argument is 1, and reads it.
std::string calling_twice(const std::string& condition) {
  const std::string function =
      ".func f(.param .b32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n.local .align 4 .b8 own[16];\n"
      "ld.param.u32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 st.local.u32 [own], %r1;\n"
      "ld.local.u32 %r2, [own];\nsetp.eq.u32 %p1, %r2, 9;\n@%p1 bra ON;\nON:\nret;\n}\n";
  const auto call = [](const std::string& argument) {
    return "{\n.param .b32 n;\nst.param.b32 [n], " + argument + ";\ncall.uni f, (n);\n}\n";
  };
  return reading_kernel(
      "mov.u32 %r5, 1;\nmov.u32 %r6, 0;\n" + call("%r5") + condition + call("%r6") + "ON:\n", function);
}

TEST(UnwrittenLocal, ACalledFunctionsVariablesBeginUnwritten) {
  const std::vector<Hazard> all = hazards_of_reads(calling_twice(""));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].occurrences, 64u);
  const std::vector<Hazard> some =
      hazards_of_reads(calling_twice("setp.lt.u32 %p1, %r0, 7;\n@%p1 bra ON;\n"));
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(some[0].occurrences, 57u);
}

}  // namespace
}  // namespace cudalab::vgpu
