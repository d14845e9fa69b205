// What the source's text tells of hazards: returns and traps.
#include "lab/running/hazards_in_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudalab::lab {
namespace {

using testing::HasSubstr;

TEST(ReturnBehindIf, StandsAloneOrLastInItsBraces) {
  EXPECT_EQ(return_behind_if("\nif (i >= n) return;", 2), 2);
  EXPECT_EQ(return_behind_if("if (f(i) >= (n))\n  return 3;", 1), 2);
  EXPECT_EQ(return_behind_if("if (i >= n) {\n  out[i] = 0;\n  return;\n}", 1), 3);
  EXPECT_EQ(return_behind_if("if (i >= n) /* return */ { // ;\n return; }", 1), 2);
}

TEST(ReturnBehindIf, IsNoneWhereTheBranchGoesOn) {
  EXPECT_EQ(return_behind_if("if (i < n) __syncthreads();\nreturn;", 1), std::nullopt);
  EXPECT_EQ(return_behind_if("if (i < n) {\n if (k) return;\n __syncthreads();\n}", 1), std::nullopt);
  EXPECT_EQ(return_behind_if("for (;;) return;", 1), std::nullopt);
  EXPECT_EQ(return_behind_if("if (i) x = \"return\";", 1), std::nullopt);
  EXPECT_EQ(return_behind_if("if (i) returned();", 1), std::nullopt);
  EXPECT_EQ(return_behind_if("if (i", 1), std::nullopt);
  EXPECT_EQ(return_behind_if("if (i) return;", 9), std::nullopt);
}

Hazard around(int barrier, int branch) {
  Hazard hazard;
  hazard.kind = HazardKind::kBarrierDivergence;
  hazard.where = {"k.cu", barrier};
  hazard.other = SourceLine{"k.cu", branch};
  return hazard;
}

TEST(ExplainBySource, TellsAReturnBeforeABarrierFromABranchAroundIt) {
  const std::string source = "if (i >= n)\n  return;\n__syncthreads();\nif (t < 32) __syncthreads();";
  std::vector<Hazard> hazards{around(3, 1), around(4, 4)};
  hazards[0].what =
      "waits at a barrier that 3 of the block's 32 threads never reach: the branch in line 1 leads them";
  hazards[1].what = "as it was";
  explain_by_source(hazards, "k.cu", source);
  EXPECT_EQ(hazards[0].what,
            "waits at a barrier that 3 of the block's 32 threads never reach: they return in line 2");
  EXPECT_EQ(hazards[0].other->line, 2);
  EXPECT_THAT(hazards[0].fix, HasSubstr("non-exited threads"));
  EXPECT_EQ(hazards[1].what, "as it was");
  std::vector<Hazard> elsewhere{around(3, 1)};
  explain_by_source(elsewhere, "other.cu", source);
  EXPECT_EQ(elsewhere[0].other->line, 1);
}

TEST(ExplainBySource, KnowsATrapThatNobodyWrote) {
  std::vector<Hazard> trap(1);
  trap[0].kind = HazardKind::kTrap;
  trap[0].where = {"k.cu", 1};
  trap[0].what = "stops the kernel with a trap";
  explain_by_source(trap, "k.cu", "if (bad) __trap();");
  EXPECT_EQ(trap[0].what, "stops the kernel with a trap");
  explain_by_source(trap, "k.cu", "*nowhere = 1;");
  EXPECT_THAT(trap[0].what, HasSubstr("null pointer"));
}

Hazard race(const std::string& buffer, int line, int other, bool is_with_plain_load) {
  Hazard hazard;
  hazard.kind = HazardKind::kSharedRace;
  hazard.pair = RacePair::kThreads;
  hazard.buffer = buffer;
  hazard.where = {"k.cu", line};
  hazard.other = SourceLine{"k.cu", other};
  hazard.is_with_plain_load = is_with_plain_load;
  return hazard;
}

std::vector<std::string> buffers_left(std::vector<Hazard> hazards, const std::vector<Hazard>& again) {
  const std::size_t before = hazards.size(), taken = take_unconfirmed(hazards, again).size();
  EXPECT_EQ(taken + hazards.size(), before);
  std::vector<std::string> left;
  for (const Hazard& hazard : hazards) left.push_back(hazard.buffer);
  return left;
}

TEST(RacesOfTheCompiler, OnlyOrdinaryLoadsWantConfirmation) {
  EXPECT_FALSE(want_confirmation({}));
  EXPECT_FALSE(want_confirmation({race("s", 1, 2, false), around(3, 1)}));
  EXPECT_TRUE(want_confirmation({race("s", 1, 2, false), race("t", 1, 2, true)}));
}

TEST(RacesOfTheCompiler, AreThoseThatAreNotFoundAgain) {
  using testing::ElementsAre;
  const std::vector<Hazard> found{race("s", 1, 2, true), race("t", 3, 4, false), around(3, 1)};
  EXPECT_THAT(buffers_left(found, {}), ElementsAre("t", ""))
      << "what is no race with a load stays in any case";
  EXPECT_THAT(buffers_left(found, {race("s", 8, 9, true)}), ElementsAre("s", "t", "")) << "the same variable";
  EXPECT_THAT(buffers_left(found, {race("u", 2, 1, true)}), ElementsAre("s", "t", "")) << "the same lines";
  EXPECT_THAT(buffers_left(found, {race("u", 1, 9, true)}), ElementsAre("t", ""));
  Hazard unwritten = race("s", 1, 2, true), elsewhere = unwritten;
  unwritten.pair = RacePair::kNone;
  elsewhere.kind = HazardKind::kGlobalRace;
  EXPECT_THAT(buffers_left(found, {unwritten, elsewhere}), ElementsAre("t", ""));
  EXPECT_THAT(buffers_left({race("", 0, 0, true)}, {race("", 0, 0, true)}), ElementsAre(""));
}

TEST(Advice, LeavesOutWhatOnlyTheHostCanDo) {
  std::vector<Hazard> hazards(2);
  hazards[0].kind = hazards[1].kind = HazardKind::kUninitialisedRead;
  hazards[0].fix = "copy data into the buffer before the launch, or set it with cudaMemset";
  hazards[1].fix = "write every element";
  advise_kernel_only(hazards);
  EXPECT_THAT(hazards[0].fix, HasSubstr("let the kernel write the element before it reads it"));
  EXPECT_EQ(hazards[1].fix, "write every element");
}

}  // namespace
}  // namespace cudalab::lab
