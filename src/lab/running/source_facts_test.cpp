// Tests that array elements are named as the source declares them, if that is certain, and how hazards are
// explained.
#include "lab/running/source_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "core/diagnostics/message_testing.h"
#include "messages/vgpu.h"

namespace cudalab::lab {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kThreeKernels =
    "__global__ void a() {\n"
    "  __shared__ float tile[32][33];\n"
    "  tile[threadIdx.y][threadIdx.x + 1] = 1;\n"
    "  float* p = &tile[0][0]; p[5] = 2;\n"
    "  reinterpret_cast<double*>(tile)[7] = 3;\n"
    "}\n"
    "__global__ void b() {\n"
    "  __shared__ float tile[8][4];\n"
    "  tile[1][tile[0][2]] = 1;\n"
    "}\n"
    "__global__ void c() { __shared__ float tile[99]; tile[threadIdx.x] = 1; }\n";

Message read_of(Element element) {
  return msg::read_unwritten(msg::verb_reads(), std::move(element), Address{0x10});
}

TEST(NamedByRows, AsTheNearestDeclarationHasIt) {
  const Message two = msg::access_one_before_start(msg::verb_reads(), Element{"tile", {1058}},
                                                   msg::byte_of_shared_taken(16, Element{"tile", {0}}));
  EXPECT_EQ(named_by_rows(two, "tile", 3, kThreeKernels),
            msg::access_one_before_start(msg::verb_reads(), Element{"tile", {32, 2}},
                                         msg::byte_of_shared_taken(16, Element{"tile", {0, 0}})));
  EXPECT_EQ(named_by_rows(read_of({"tile", {7}}), "tile", 9, kThreeKernels), read_of({"tile", {1, 3}}));
}

TEST(NamedByRows, WhereTheLineDoesNotTakeTheElementSoItStaysFlat) {
  for (const int line : {5, 11, 1})
    EXPECT_EQ(named_by_rows(read_of({"tile", {58}}), "tile", line, kThreeKernels), read_of({"tile", {58}}))
        << line;
  for (const Argument& place : {Argument(Element{"other", {58}}), Argument(Element{"tile", {-2}}),
                                Argument(msg::byte_of(3, Code{"tile"}))}) {
    const Message read = msg::read_unwritten(msg::verb_reads(), place, Address{0x10});
    EXPECT_EQ(named_by_rows(read, "tile", 3, kThreeKernels), read);
  }
}

// Macros on the compiler's command line override the source's defaults.
TEST(NamedByRows, KnowTheMacrosThatTheCompilerWasTold) {
  const std::string source =
      "#ifndef TILE\n#define TILE 16\n#endif\n__shared__ float tile[TILE][TILE + PAD];";
  EXPECT_EQ(named_by_rows(read_of({"tile", {99}}), "tile", 5, source + "\nx = tile[0][3];",
                          {{"TILE", "32"}, {"PAD", "1"}}),
            read_of({"tile", {3, 0}}));
}

// Facts about hazards: returns and traps.

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
  const ThreadIndex first{{29, 0, 0}};
  const Message around_it = msg::barrier_gone_around(3, 32, first, msg::source_line_number(1));
  hazards[0].what = hazards[1].what = around_it;
  explain_by_source(hazards, "k.cu", source);
  EXPECT_EQ(hazards[0].what, msg::barrier_returned_before(3, 32, first, 2));
  EXPECT_EQ(hazards[0].other->line, 2);
  EXPECT_THAT(hazards[0].fix, IsMessage("advice_return_behind_barrier"));
  EXPECT_EQ(hazards[1].what, around_it);
  std::vector<Hazard> elsewhere{around(3, 1)};
  explain_by_source(elsewhere, "other.cu", source);
  EXPECT_EQ(elsewhere[0].other->line, 1);
}

TEST(ExplainBySource, KnowsATrapThatNobodyWrote) {
  std::vector<Hazard> trap(1);
  trap[0].kind = HazardKind::kTrap;
  trap[0].where = {"k.cu", 1};
  trap[0].what = msg::trap_reached();
  explain_by_source(trap, "k.cu", "if (bad) __trap();");
  EXPECT_THAT(trap[0].what, IsMessage("trap_reached"));
  explain_by_source(trap, "k.cu", "*nowhere = 1;");
  EXPECT_THAT(trap[0].what, IsMessage("trap_of_compiler"));
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

Message advice_outside(const std::string& source, int line, Message what, Message fix) {
  Hazard hazard;
  hazard.kind = HazardKind::kOutOfBounds;
  hazard.where = {"k.cu", line};
  hazard.what = std::move(what);
  hazard.fix = std::move(fix);
  std::vector<Hazard> hazards{hazard};
  explain_by_source(hazards, "k.cu", source, {});
  return hazards[0].fix;
}

TEST(ExplainBySource, NamesTheLoopWhoseVariableIsInTheIndex) {
  const std::string source = "for (int k = 0; k <= n; ++k)\n  sum += a[k];\nout[i] = sum;\n";
  const auto advice = [&](int line) {
    return advice_outside(source, line, Message::verbatim("reads"), msg::advice_guard_access());
  };
  EXPECT_THAT(advice(2), IsMessage("advice_loop_bound", {{"variable", Code{"k"}}, {"line", 1}}));
  EXPECT_THAT(advice(3), IsMessage("advice_guard_access"));
}

TEST(ExplainBySource, KnowsAnOffsetInBytesOfAPointerToElements) {
  const auto advice = [](const std::string& declaration) {
    return advice_outside("extern __shared__ float m[];\n" + declaration + "\ny[i] = 0;\n", 3,
                          msg::access_past_dynamic_shared(msg::verb_writes(), 128, 512, 256),
                          msg::advice_dynamic_shared_bytes());
  };
  EXPECT_THAT(advice("float *x = m, *y = m + n * sizeof(float);"),
              IsMessage("advice_pointer_counts_elements", {{"line", 2}, {"pointer", Code{"y"}}}));
  EXPECT_THAT(advice("float *y = m + n;"), IsMessage("advice_dynamic_shared_bytes"));
  EXPECT_THAT(advice("float *y = (float*)((char*)m + n * sizeof(float));"),
              IsMessage("advice_dynamic_shared_bytes"));
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
  hazards[0].fix = msg::advice_set_before_launch();
  hazards[1].fix = msg::advice_write_before_reads();
  advise_kernel_only(hazards);
  EXPECT_THAT(hazards[0].fix, IsMessage("advice_kernel_writes_first"));
  EXPECT_THAT(hazards[1].fix, IsMessage("advice_write_before_reads"));
}

}  // namespace
}  // namespace cudalab::lab
