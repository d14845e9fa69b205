// Tests the source with its costs, as whole texts.
#include "report/text/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_results_testing.h"
#include "report/text/layout.h"

namespace cudalab::report {
namespace {

const LinesStyle kLinesByIds{.wording = Wording::of_ids()};

constexpr const char* kSource =
    "// a comment\n"
    "\n"
    "__device__ float f(float x) { return x; }\n"
    "\n"
    "\n"
    "__global__ void k(float* in, float* out) {\n"
    "  __shared__ float tile[32][32];\n"
    "\ttile[y][x] = f(in[i]);\n"
    "  __syncthreads();\n"
    "  out[i] = tile[x][y];\n"
    "}\n";

lab::Row some_run() {
  lab::Row row = kernel_run("k", "k.cu", {32, 32, 1});
  row.counters.emplace();
  const auto at = [](LineAccess made, int line) {
    made.where = {"k.cu", line};
    return made;
  };
  row.accesses = {at(access(MemorySpace::kGlobal, AccessKind::kLoad, 4, 4, 4), 8),
                  at(access(MemorySpace::kShared, AccessKind::kStore, 1, 1, 4), 8),
                  at(access(MemorySpace::kShared, AccessKind::kLoad, 32, 1, 128), 10),
                  at(access(MemorySpace::kGlobal, AccessKind::kStore, 8, 4, 8), 10),
                  at(access(MemorySpace::kGlobal, AccessKind::kLoad, 5, 4, 4), 3)};
  return row;
}

TEST(Lines, StandBesideTheirCosts) {
  EXPECT_EQ(lines_text(some_run(), kSource, 6, 11, {}),
            R"(                   global                    shared
       requests   sectors        requests conflicts      line
    32768 loads     5 (4)                            #2     3  __device__ float f(float x) { return x; }
                                                          ...
                                                            6  __global__ void k(float* in, float* out) {
                                                            7    __shared__ float tile[32][32];
    32768 loads         4    32768 stores         0         8   tile[y][x] = f(in[i]);
                                                            9    __syncthreads();
   32768 stores     8 (4)     32768 loads        31  #1    10    out[i] = tile[x][y];
                                                           11  }
Sectors and conflicts per request of a warp; 8 (4) means 8, minimum 4; #1 wastes most.
)");
}

TEST(Lines, WithLoadsAndStoresHaveARowForEach) {
  lab::Row row = some_run();
  row.accesses = {row.accesses[3], row.accesses[0]};
  row.accesses[1].where.line = 10;
  EXPECT_THAT(lines_text(row, kSource, 10, 10, {}),
              testing::HasSubstr(
                  "\n   32768 stores     8 (4)                            #1    10    out[i] = tile[x][y];"
                  "\n    32768 loads         4\n"));
}

TEST(Lines, WithoutARangeShowWhatIsAroundTheAccesses) {
  const std::string text = lines_text(some_run(), kSource, 0, 0, {});
  EXPECT_THAT(text, testing::HasSubstr("1  // a comment"));
  EXPECT_THAT(text, testing::HasSubstr("11  }"));
}

TEST(Lines, TheWorstIsRed) {
  const std::string text = lines_text(some_run(), kSource, 6, 11, {.colour = true});
  const std::string worst =
      "   32768 stores     8 (4)     32768 loads        31  #1    10    out[i] = tile[x][y];";
  EXPECT_THAT(text, testing::HasSubstr(inked(worst, Ink::kBad, true)));
}

TEST(Lines, OfAKernelThatWastesNothing) {
  lab::Row row = some_run();
  row.accesses = {row.accesses[0]};
  EXPECT_THAT(lines_text(row, kSource, 6, 11, kLinesByIds), testing::EndsWith("\nlines_legend()\n"));
}

TEST(Lines, OfOtherFilesAreMentioned) {
  lab::Row row = some_run();
  row.accesses[4].where.file = "other.h";
  EXPECT_THAT(lines_text(row, kSource, 6, 11, kLinesByIds),
              testing::EndsWith("\nlines_elsewhere(accesses=1)\n"));
  row.accesses[0].where.file = "other.h";
  EXPECT_THAT(lines_text(row, kSource, 6, 11, kLinesByIds),
              testing::EndsWith("\nlines_elsewhere(accesses=2)\n"));
}

TEST(Lines, WhereLanesPartAreNamedMostOftenFirst) {
  lab::Row row = some_run();
  row.executions = {{.where = {"k.cu", 3}, .branches = 10, .divergent_branches = 2},
                    {.where = {"k.cu", 8}, .branches = 64},
                    {.where = {"k.cu", 10}, .branches = 64, .divergent_branches = 32}};
  EXPECT_THAT(lines_text(row, kSource, 6, 11, kLinesByIds),
              testing::EndsWith("\nlines_divergence(line=10, divergent=32, branches=64)\n"
                                "lines_divergence(line=3, divergent=2, branches=10)\n"));
}

TEST(Lines, NeedCounters) {
  lab::Row row = some_run();
  row.counters.reset();
  EXPECT_EQ(lines_text(row, kSource, 6, 11, kLinesByIds), "lines_not_counted()\n");
}

TEST(Lines, OfAShorterFileAreLeftOut) {
  EXPECT_THAT(lines_text(some_run(), "one line", 6, 11, {}), testing::Not(testing::HasSubstr("tile")));
}

}  // namespace
}  // namespace cudalab::report
