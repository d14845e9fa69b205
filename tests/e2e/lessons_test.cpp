// The results that the labs demonstrate, as numbers: the course's counters, serialization, orders of
// convergence.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;

constexpr const char* kLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";

// expected/h200/course_kernels.md, "row mean + matrix-vector", L = M = 512.
TEST(Matvec, VersionsOneAndTwoCountAsOnTheCard) {
  const Json two =
      runs_of({"matvec", "--l", "512", "--m", "512", "--n", "16", "--stage", "version-2"})[0]["counters"];
  EXPECT_EQ(two[kLoadRequests], 262144);
  EXPECT_EQ(two[kLoadSectors], 5242880);
  EXPECT_EQ(two[kStoreRequests], 8192);
  EXPECT_EQ(two[kStoreSectors], 8192);
  EXPECT_EQ(two["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"], 581632);
  const Json one =
      runs_of({"matvec", "--l", "512", "--m", "512", "--n", "2", "--stage", "version-1"})[0]["counters"];
  EXPECT_EQ(one[kLoadRequests], 32768);
  EXPECT_EQ(one[kLoadSectors], 655360);
  EXPECT_EQ(one["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"], 72704);
}

TEST(Matvec, TheBestVersionReadsTheBatchOnce) {
  const Json counters =
      runs_of({"matvec", "--n", "32", "--l", "128", "--m", "128", "--stage", "best"})[0]["counters"];
  const double batch = 32.0 * 128 * 128 * 8 / 32;  // sectors, without copies to shared memory
  EXPECT_EQ(counters[kLoadSectors].get<double>(), batch);
}

TEST(Constant, ServesDifferentAddressesOneAfterTheOther) {
  const std::string length = "--products=64";
  EXPECT_EQ(runs_of({"constant", "--stage", "uniform", length})[0]["extra"]["constant_addresses"], 1);
  for (const int distinct : {1, 2, 3, 16, 32}) {
    const Json run =
        runs_of({"constant", "--stage", "per-lane", length, "--distinct", std::to_string(distinct)})[0];
    EXPECT_EQ(run["extra"]["constant_addresses"], distinct);
  }
}

TEST(Constant, TakesLongVectorsInPieces) {
  for (const char* length : {"1", "16384", "16385", "50000"})
    EXPECT_EQ(runs_of({"constant", "--stage", "dot-constant", "--length", length})[0]["verdict"], "pass")
        << length;
}

// Errors in units in the last place: one rounding for methods that keep the lost part; growing with n for a
// loop.
TEST(Norm, AddsAsExactlyAsTheOrderLets) {
  const auto ulps = [](const std::string& way, const std::string& count) -> double {
    return runs_of(
        {"norm", "--stage", "sum-" + way, "--n", count, "--summed", count})[0]["extra"]["ulps_off"];
  };
  EXPECT_GT(ulps("naive", "65536"), 10);
  EXPECT_GT(ulps("naive", "65536"), 3 * ulps("naive", "4096"));
  EXPECT_LT(ulps("tree", "65536"), 4);
  for (const char* way : {"pairwise", "kahan", "double"})
    for (const char* count : {"1", "16", "1000", "65536"}) EXPECT_LT(ulps(way, count), 2) << way << count;
}

// Fewer threads make the same accesses: a quarter of the arrivals at barriers, and fewer instructions.
TEST(Transpose, SeveralElementsAThreadChangeNeitherSectorsNorConflicts) {
  const auto counters = [](const char* stage) {
    return runs_of({"transpose", "--rows", "256", "--cols", "256", "--stage", stage})[0]["counters"];
  };
  const Json padded = counters("padded"), several = counters("several");
  for (const char* same : {kLoadRequests, kLoadSectors, kStoreRequests, kStoreSectors,
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"})
    EXPECT_EQ(padded[same], several[same]) << same;
  EXPECT_EQ(4 * several["ptx_barriers"].get<int>(), padded["ptx_barriers"]);
  EXPECT_LT(several["ptx_warp_instructions"], padded["ptx_warp_instructions"]);
}

constexpr const char* kReductionSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum";

double reduction_sectors(const char* stage, const char* keys) {
  return runs_of(
      {"histogram", "--n", "8192", "--keys", keys, "--stage", stage})[0]["counters"][kReductionSectors];
}

TEST(Histogram, AggregatesWhereKeysAreAlike) {
  EXPECT_EQ(reduction_sectors("global", "one"), 8192);
  for (const char* stage : {"match", "ballot"}) {
    EXPECT_EQ(reduction_sectors(stage, "one"), 8192 / 32) << stage;
    EXPECT_LE(reduction_sectors(stage, "uniform"), reduction_sectors("global", "uniform")) << stage;
  }
  EXPECT_EQ(reduction_sectors("shared", "one"), 4);
}

TEST(Histogram, CountsAnySize) {
  for (const char* n : {"1", "31", "257", "40001"})
    for (const char* block : {"32", "96", "1024"})
      for (const auto& run :
           runs_of({"histogram", "--n", n, "--block", block, "--bins", "5", "--keys", "skewed"}))
        EXPECT_EQ(run["verdict"], "pass") << n << " " << block << " " << run["name"];
  EXPECT_EQ(cudalab({"histogram", "--block", "100", "--device", "virtual"}).code, 2);
}

// Every size that a scan, its blocks' sums and the last block's rest can have.
TEST(Scan, ScansAndCompactsAnySize) {
  for (const char* n : {"1", "31", "257", "40001"})
    for (const char* block : {"32", "256", "1024"})
      for (const char* positive : {"0", "50", "100"})
        for (const auto& run : runs_of({"scan", "--n", n, "--block", block, "--positive", positive}))
          EXPECT_EQ(run["verdict"], "pass") << n << " " << block << " " << positive << " " << run["name"];
  for (const char* length : {"1", "40", "100000"})
    for (const auto& run : runs_of({"scan", "--n", "40001", "--stage", "segmented", "--segment", length}))
      EXPECT_EQ(run["verdict"], "pass") << length;
  EXPECT_EQ(cudalab({"scan", "--block", "96", "--device", "virtual"}).code, 2);
}

// ptxas combines the additions of a warp to one address, so the request count is that of full warps.
TEST(Scan, CompactionAddsOncePerWarp) {
  const auto atomics = [](const char* stage) {
    return runs_of({"scan", "--n", "65536", "--positive", "100", "--stage",
                    stage})[0]["extra"]["global_atomic_requests"]
        .get<double>();
  };
  EXPECT_EQ(atomics("compact-atomic"), 65536 / 32);
  EXPECT_EQ(atomics("compact-warp"), 65536 / 512);
  EXPECT_EQ(atomics("compact-scan"), 0);
}

TEST(Scan, PaddingRemovesTheConflictsOfTheTree) {
  const char* conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
  const auto of = [&](const char* stage) {
    return runs_of({"scan", "--n", "4096", "--stage", stage})[0]["counters"][conflicts].get<double>();
  };
  EXPECT_GT(of("blelloch"), 1000);
  EXPECT_EQ(of("padded"), 0);
}

// Sizes around tiles and powers of two; the passes of digits that divide the bits of a key, and of others.
TEST(Sort, SortsAnySize) {
  for (const char* n : {"1", "33", "1025", "4096", "5000"})
    for (const auto& run : runs_of({"sort", "--n", n}))
      EXPECT_EQ(run["verdict"], "pass") << n << " " << run["name"];
  const char* const bits_and_digits[][2]{{"1", "5"}, {"9", "1"}, {"31", "8"}};
  for (const auto& [bits, digit] : bits_and_digits)
    for (const auto& run : runs_of({"sort", "--n", "3000", "--bits", bits, "--digit", digit, "--stage",
                                    "merge,radix,radix-local,radix-best"}))
      EXPECT_EQ(run["verdict"], "pass") << bits << " " << digit << " " << run["name"];
}

// How often each key is read: once per step, once per merge, twice or once per digit.
TEST(Sort, LaterStagesReadTheKeysLessOften) {
  const auto reads = [](const char* stage) {
    const Json counters = runs_of({"sort", "--n", "32768", "--stage", stage})[0]["counters"];
    return counters[kLoadSectors].get<double>() / (32768 / 8);
  };
  const Json bitonic = runs_of({"sort", "--n", "32768", "--stage", "bitonic"})[0]["counters"];
  EXPECT_EQ(bitonic[kStoreRequests].get<double>() / (32768 / 32), 15 * 16 / 2);
  EXPECT_EQ(reads("bitonic-shared"), 1 + 15 + 5) << "the tiles, far steps, and the rest of each merge";
  EXPECT_NEAR(reads("merge"), 1 + 5, 2.5) << "and the searches";
  EXPECT_NEAR(reads("radix"), 2 * 8, 1) << "and the counts";
  EXPECT_NEAR(reads("radix-best"), 1 + 4, 1);
}

TEST(Sort, ALocalSortCoalescesTheStores) {
  const auto per_store = [](const char* stage) {
    const Json counters = runs_of({"sort", "--n", "32768", "--stage", stage})[0]["counters"];
    return counters[kStoreSectors].get<double>() / counters[kStoreRequests].get<double>();
  };
  EXPECT_GT(per_store("radix"), 12);
  EXPECT_LT(per_store("radix-local"), 7);
}

// Matrices without long rows, without entries, with rows as long as the matrix, and with rows across blocks.
TEST(Spmv, MultipliesAnyMatrix) {
  for (const char* rows : {"1", "33", "2500"})
    for (const char* usual : {"0", "1", "40"})
      for (const auto& run : runs_of({"spmv", "--rows", rows, "--usual", usual, "--long", "2000", "--stage",
                                      "read,csr-scalar,csr-vector,csr-group,ell,merge,merge-best"}))
        EXPECT_EQ(run["verdict"], "pass") << rows << " " << usual << " " << run["name"];
}

// A warp as long as its longest row, and equal work.
TEST(Spmv, UnevenRowsLeaveLanesIdle) {
  const auto lanes = [](const char* stage, const char* longest) {
    return runs_of({"spmv", "--rows", "4096", "--long", longest, "--stage",
                    stage})[0]["counters"]["ptx_active_lanes_per_instruction"]
        .get<double>();
  };
  EXPECT_GT(lanes("csr-scalar", "8"), 31);
  EXPECT_LT(lanes("csr-scalar", "4096"), 12);
  EXPECT_GT(lanes("merge", "4096"), 20);
}

// Loads per cell: each stage takes values from registers or shared memory that the previous stage loads
// again.
TEST(Stencil, EachStageRequestsNeighboursLessOften) {
  const auto per_store = [](const char* stage, const char* counter) {
    const Json counters = runs_of({"stencil", "--rows", "128", "--cols", "128", "--side", "64", "--radius",
                                   "2", "--stage", stage})[0]["counters"];
    return counters[counter].get<double>() / counters[kStoreRequests].get<double>();
  };
  EXPECT_EQ(per_store("heat", kLoadRequests), 5);
  EXPECT_EQ(per_store("heat-column", kLoadRequests), 3.5) << "6 + 8 loads for 4 cells";
  EXPECT_EQ(per_store("heat-texture", "ptx_texture_requests"), 5);
  EXPECT_EQ(per_store("heat-shared", "ptx_shared_load_requests"), 5);
  EXPECT_LT(per_store("heat-shared", kLoadSectors), 0.4 * per_store("heat", kLoadSectors));
  EXPECT_EQ(per_store("conv-shared", "ptx_shared_load_requests"), 25);
  EXPECT_EQ(per_store("conv-column", "ptx_shared_load_requests"), 7.5) << "12 rows of 5 cells for 8 cells";
  EXPECT_EQ(per_store("volume", kLoadRequests), 7);
  EXPECT_EQ(per_store("volume-sweep", kLoadRequests), 5.5) << "a block of 4 planes loads 2 more";
}

// Sizes that no tile, vector or depth divides, and plates smaller than the mask.
TEST(Stencil, ComputesAnySize) {
  for (const char* rows : {"1", "9", "67"})
    for (const char* columns : {"1", "33", "132"})
      for (const char* radius : {"1", "4"})
        for (const auto& run :
             runs_of({"stencil", "--rows", rows, "--cols", columns, "--side", rows, "--radius", radius}))
          EXPECT_EQ(run["verdict"], "pass") << rows << " " << columns << " " << radius << " " << run["name"];
}

// Reads per write: three passes, two passes, and a row that stays on the SM.
TEST(Softmax, EachStageReadsTheRowLessOften) {
  const auto per_store = [](const char* stage) {
    const Json counters =
        runs_of({"softmax", "--rows", "64", "--cols", "256", "--stage", stage})[0]["counters"];
    return counters[kLoadSectors].get<double>() / counters[kStoreSectors].get<double>();
  };
  for (const char* stage : {"softmax-thread", "softmax-warp", "layer-norm"})
    EXPECT_EQ(per_store(stage), 3) << stage;
  for (const char* stage : {"softmax-unsafe", "softmax-online", "layer-norm-moments", "layer-norm-welford"})
    EXPECT_EQ(per_store(stage), 2) << stage;
  for (const char* stage : {"softmax-shared", "softmax-best", "layer-norm-best"})
    EXPECT_EQ(per_store(stage), 1) << stage;
}

TEST(Softmax, OnlyTheUnsafeStagesFailForLargeElements) {
  for (const char* shift : {"200", "-200"})
    for (const auto& run : runs_of({"softmax", "--rows", "20", "--cols", "300", "--tokens", "40", "--heads",
                                    "1", "--shift", shift})) {
      const std::string name = run["name"];
      const bool is_unsafe = name == "softmax-unsafe" || name == "layer-norm-moments";
      EXPECT_EQ(run["verdict"], is_unsafe ? "not_assessed" : "pass") << shift << " " << name;
    }
}

// Sizes that no block, no tile and no 16-byte access divides.
TEST(Softmax, TakesAnySize) {
  for (const char* rows : {"1", "9"})
    for (const char* columns : {"1", "33", "1028"})
      for (const char* tokens : {"1", "70"})
        for (const auto& run :
             runs_of({"softmax", "--rows", rows, "--cols", columns, "--tokens", tokens, "--heads", "2"}))
          EXPECT_EQ(run["verdict"], "pass") << rows << " " << columns << " " << tokens << " " << run["name"];
}

Json run_of_occupancy(const std::string& stage) {
  return runs_of({"occupancy", "--rows", "512", "--cols", "1024", "--stage", stage})[0];
}

// What the name of a stage promises is what an SM holds, and what its threads have in flight.
TEST(Occupancy, WarpsAndLoadsMultiply) {
  const auto of = [](const char* stage) { return run_of_occupancy(stage)["extra"]; };
  const Json few = of("few-warps"), more = of("more-warps"), loads = of("loads-4"), wide = of("wide-4");
  EXPECT_EQ(few["resident_warps"], 4);
  EXPECT_EQ(few["bytes_in_flight"], 4 * 32 * 4);
  EXPECT_EQ(more["resident_warps"], 64);
  EXPECT_EQ(loads["bytes_in_flight"], 4 * 32 * 16);
  EXPECT_EQ(wide["bytes_in_flight"], more["bytes_in_flight"]);
}

TEST(Occupancy, TheScarcestResourceLimitsTheBlocks) {
  const auto limit = [](const char* stage) { return run_of_occupancy(stage)["occupancy"]["limited_by"]; };
  EXPECT_EQ(limit("block-32"), "blocks");
  EXPECT_EQ(limit("block-256"), "threads");
  EXPECT_EQ(limit("shared-limited"), "shared");
  EXPECT_EQ(run_of_occupancy("shared-limited")["occupancy"]["warps"], 16);
}

// Warps down a column touch a sector per lane.
TEST(Occupancy, XCountsColumns) {
  const auto per_load = [](const char* stage) {
    const Json counters = run_of_occupancy(stage)["counters"];
    return counters[kLoadSectors].get<double>() / counters[kLoadRequests].get<double>();
  };
  EXPECT_EQ(per_load("by-rows"), 4);
  EXPECT_EQ(per_load("by-columns"), 32);
}

// No kernel is faster than Little's law and the launch overhead allow.
TEST(Occupancy, NoRateIsAboveTheLaw) {
  for (const char* warps : {"1", "4", "32"}) {
    const double in_flight = std::stod(warps) * 32 * 4 * 132;  // bytes on an H200
    const double ns_of_launch = 2680, ns_of_latency = 696 / 1.98, bytes = 4.0 * 512 * 1024;
    const Json run = runs_of(
        {"occupancy", "--rows", "512", "--cols", "1024", "--stage", "few-warps", "--warps", warps})[0];
    EXPECT_GE(run["predicted_ms"].get<double>() * 1e6, ns_of_launch + bytes / in_flight * ns_of_latency)
        << warps;
  }
}

// Less than a round, a round and a bit, and sizes that no chunk divides.
TEST(Occupancy, ComputesAnySize) {
  for (const char* rows : {"1", "67"})
    for (const char* columns : {"1", "33", "1029"})
      for (const char* warps : {"1", "3", "32"})
        for (const auto& run : runs_of({"occupancy", "--rows", rows, "--cols", columns, "--warps", warps,
                                        "--points", "5001", "--steps", "3"}))
          EXPECT_EQ(run["verdict"], "pass") << rows << " " << columns << " " << warps << " " << run["name"];
}

TEST(Occupancy, SweepsOverTheGivenWarps) {
  const auto names = [](const char* sweep) {
    std::vector<std::string> found;
    for (const auto& run : runs_of({"occupancy", "--rows", "64", "--stage", "sweep", "--sweep", sweep}))
      found.push_back(run["name"]);
    return found;
  };
  EXPECT_EQ(names("3:5").size(), 9u) << "three kernels";
  EXPECT_EQ(names("8,2"), (std::vector<std::string>{"sweep-1x4-8", "sweep-1x4-2", "sweep-4x4-8",
                                                    "sweep-4x4-2", "sweep-4x16-8", "sweep-4x16-2"}));
  for (const char* wrong : {"0", "65", "5:3", "1,", "x", "1:2:3"})
    EXPECT_EQ(cudalab({"occupancy", "--sweep", wrong, "--device", "virtual"}).code, 2) << wrong;
}

// labs/banks/README.md, "Six ways".
TEST(Banks, SixLanesInOneBankTakeSixPasses) {
  Folder folder;
  write_file(folder / "six.cu",
             "extern \"C\" __global__ void six(float* out)\n{\n    __shared__ float s[192];\n"
             "    const unsigned t = threadIdx.x;\n    for (unsigned i = t; i < 192; i += 32) s[i] = i;\n"
             "    __syncthreads();\n    out[t] = s[t < 6 ? 32 * t : t];\n}\n");
  const Outcome outcome = cudalab({"run", (folder / "six.cu").string(), "--kernel", "six", "--grid", "1",
                                   "--block", "32", "--arg", "buf:f32:32", "--device", "virtual", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  const Json document = Json::parse(outcome.out);
  EXPECT_EQ(document["runs"][0]["counters"]["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"], 5);
}

// Each step of the ladder removes the fault that it is meant to remove.
TEST(Dot, MendsDivergenceFirstThenBankConflicts) {
  const auto counters = [](const char* stage) {
    return runs_of({"dot", "--n", "4096", "--stage", stage})[0]["counters"];
  };
  const char *divergences = "ptx_divergent_branches", *lanes = "ptx_active_lanes_per_instruction",
             *conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
  const Json divergent = counters("divergent"), strided = counters("strided"), tree = counters("tree");
  EXPECT_EQ(divergent[divergences], 48 * 16);
  EXPECT_EQ(strided[divergences], 6 * 16);
  EXPECT_EQ(tree[divergences], 6 * 16);
  EXPECT_LT(divergent[lanes], strided[lanes]);
  EXPECT_EQ(divergent[conflicts], 0);
  EXPECT_GT(strided[conflicts], 0);
  EXPECT_EQ(tree[conflicts], 0);
}

TEST(Dot, AtomicsStartFromZeroEachTime) {
  for (const char* n : {"1", "2049", "100003"})
    EXPECT_EQ(runs_of({"dot", "--n", n, "--stage", "atomic", "--type", "f64"})[0]["verdict"], "pass") << n;
}

// The number of sectors in the figure equals the counter, and lines waste more than sectors.
TEST(ReadOffset, CountsSectorsAndLinesOfItsPatterns) {
  const Outcome outcome = cudalab({"read-offset", "--device", "virtual", "--n", "65536", "--stage",
                                   "aligned,offset,stride,both,ranges", "--type", "f64", "--json"});
  const Json document = Json::parse(outcome.out);
  const Json& lines = document["figures"][0]["lines"];
  ASSERT_EQ(lines.size(), 1 + document["runs"].size());
  for (std::size_t i = 0; i < document["runs"].size(); ++i) {
    const Json& counters = document["runs"][i]["counters"];
    std::istringstream line(lines[i + 1].get<std::string>());
    std::string name;
    double sectors = 0, of_sectors = 0, of_lines = 0, in_lines = 0;
    line >> name >> sectors >> of_sectors >> in_lines >> of_lines;
    EXPECT_EQ(name, document["runs"][i]["name"]);
    EXPECT_NEAR(sectors, counters[kLoadSectors].get<double>() / counters[kLoadRequests].get<double>(), 0.01);
    EXPECT_LE(of_lines, of_sectors);
  }
}

TEST(ReadOffset, SweepsOverAListAsOverARange) {
  const std::vector<std::string> small{"read-offset", "--n", "4096", "--sweep"};
  const auto swept = [&](const std::string& values) {
    std::vector<std::string> words = small;
    words.insert(words.end(), {values, "--stage", "sweep"});
    std::vector<std::string> names;
    for (const auto& run : runs_of(words)) names.push_back(run["name"]);
    return names;
  };
  EXPECT_EQ(swept("0,11,128"), (std::vector<std::string>{"offset-0", "offset-11", "offset-128"}));
  EXPECT_EQ(swept("8:10"), (std::vector<std::string>{"offset-8", "offset-9", "offset-10"}));
  EXPECT_EQ(cudalab({"read-offset", "--sweep", "1,", "--device", "virtual"}).code, 2);
  EXPECT_EQ(cudalab({"read-offset", "--strides", "0:4", "--device", "virtual"}).code, 2);
}

double order_of(const std::string& function, const std::string& rule) {
  return runs_of({"integral", "--f", function, "--rule", rule, "--stage", "order"})[0]["extra"]["order"];
}

TEST(Integral, ConvergesAsTheRulesPromise) {
  EXPECT_NEAR(order_of("exponential", "rectangle"), 2, 0.01);
  EXPECT_NEAR(order_of("exponential", "trapezoid"), 2, 0.01);
  EXPECT_NEAR(order_of("exponential", "simpson"), 4, 0.01);
  EXPECT_NEAR(order_of("exp(x)", "simpson"), 4, 0.01);  // the exact integral is extrapolated
  EXPECT_NEAR(order_of("root", "simpson"), 1.5, 0.01);  // not smooth at 0
}

TEST(Integral, PointsIntoTheExpression) {
  const Outcome outcome = cudalab({"integral", "--f", "sin(x", "--device", "virtual"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "cudalab: --f \"sin(x\": expected ')' at column 6\n");
  EXPECT_EQ(cudalab({"integral", "--f", "1/x", "--device", "virtual"}).code, 2);  // infinite at 0
}

}  // namespace
}  // namespace cudalab::e2e
