#include "report/text/explanations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_results_testing.h"

namespace cudalab::report {
namespace {

void expect_pattern(BankPattern found, int banks, int passes) {
  EXPECT_EQ(found.banks, banks);
  EXPECT_EQ(found.passes, passes);
}

TEST(BankPattern, WordStrides) {
  expect_pattern(bank_pattern(0, 4, 32), 1, 1);  // all lanes read one word
  expect_pattern(bank_pattern(4, 4, 32), 32, 1);
  expect_pattern(bank_pattern(2 * 4, 4, 32), 16, 2);
  expect_pattern(bank_pattern(3 * 4, 4, 32), 32, 1);
  expect_pattern(bank_pattern(16 * 4, 4, 32), 2, 16);
  expect_pattern(bank_pattern(32 * 4, 4, 32), 1, 32);
  expect_pattern(bank_pattern(33 * 4, 4, 32), 32, 1);
  expect_pattern(bank_pattern(-32 * 4, 4, 32), 1, 32);
}

TEST(BankPattern, AHalfWarpOfRows) {
  expect_pattern(bank_pattern(16 * 4, 4, 16), 2, 8);
  expect_pattern(bank_pattern(17 * 4, 4, 16), 16, 1);
}

TEST(BankPattern, WideValuesUseSeveralBanks) {
  expect_pattern(bank_pattern(8, 8, 16), 32, 1);
  expect_pattern(bank_pattern(32 * 8, 8, 16), 2, 16);
  expect_pattern(bank_pattern(33 * 8, 8, 16), 32, 1);
}

TEST(BankPattern, SmallValuesShareWords) {
  expect_pattern(bank_pattern(1, 1, 32), 8, 1);
  expect_pattern(bank_pattern(2, 2, 32), 16, 1);
}

using testing::ElementsAre;
using enum MemorySpace;
using enum AccessKind;

TEST(ExplainGlobal, FarNeighbours) {
  EXPECT_EQ(
      explain_global(access(kGlobal, kStore, 32, 4, 4096, 4), 32),
      "stores touch 32 sectors a request where 4 would do: neighbouring threads write addresses 4 KB apart, "
      "and 4 of a sector's 32 bytes are used (1_naive.cu:14)");
  EXPECT_EQ(explain_global(access(kGlobal, kLoad, 16, 4, -64, 8, 4, {"", 0}), 16),
            "loads touch 16 sectors a request where 4 would do: neighbouring threads read addresses 64 bytes "
            "apart, "
            "and 8 of a sector's 32 bytes are used");
}

TEST(ExplainGlobal, AShiftedWarp) {
  LineAccess shifted = access(kGlobal, kLoad, 5, 4, 4);
  shifted.distinct_bytes = shifted.requests * 128;
  EXPECT_EQ(explain_global(shifted, 256),
            "loads touch 5 sectors a request where 4 would do: neighbouring threads read neighbouring "
            "elements, but a "
            "warp does not begin and end where sectors do, and 25.6 of a sector's 32 bytes are used "
            "(1_naive.cu:14)");
  EXPECT_THAT(*explain_global(shifted, 16),
              testing::HasSubstr("but a row of 16 threads does not begin and end where"));
}

TEST(ExplainGlobal, OneAddress) {
  EXPECT_THAT(*explain_global(access(kGlobal, kReduction, 32, 1, 0, 8), 32),
              testing::HasSubstr("would do: all threads of a warp update one address, and"));
}

TEST(ExplainGlobal, NoCommonDistance) {
  EXPECT_EQ(
      explain_global(access(kGlobal, kAtomic, 20, 4, std::nullopt), 32),
      "atomics touch 20 sectors a request where 4 would do: the threads of a warp go to addresses without a "
      "common distance (1_naive.cu:14)");
}

TEST(ExplainGlobal, SaysNothingWhereNothingIsWasted) {
  EXPECT_EQ(explain_global(access(kGlobal, kLoad, 4, 4, 4), 32), std::nullopt);
  LineAccess ragged = access(kGlobal, kLoad, 4, 4, 4);
  ragged.transactions += ragged.requests / 100;  // the edges of a matrix
  EXPECT_EQ(explain_global(ragged, 32), std::nullopt);
  EXPECT_EQ(explain_global(LineAccess{}, 32), std::nullopt);
}

TEST(ExplainShared, AWholeWarpInOneBank) {
  EXPECT_EQ(
      explain_shared(access(kShared, kLoad, 32, 1, 128), 32),
      "shared loads take 32 passes a request where 1 would do: neighbouring threads read words 32 apart, so "
      "(address/4) % 32 is the same bank for all 32 lanes (1_naive.cu:14)");
}

TEST(ExplainShared, AStrideOfTwoWords) {
  EXPECT_EQ(
      explain_shared(access(kShared, kStore, 2, 1, 8), 256),
      "shared stores take 2 passes a request where 1 would do: neighbouring threads write words 2 apart, so "
      "(address/4) % 32 takes only 16 values for 32 lanes (1_naive.cu:14)");
}

TEST(ExplainShared, TwoRowsOfSixteenThreadsInAWarp) {
  EXPECT_EQ(
      explain_shared(access(kShared, kLoad, 8, 1, 64), 16),
      "shared loads take 8 passes a request where 1 would do: neighbouring threads read words 16 apart, so "
      "(address/4) % 32 takes only 2 values for 16 lanes; the warp holds 2 rows of 16 threads, which do not "
      "disturb each other (1_naive.cu:14)");
  EXPECT_EQ(
      explain_shared(access(kShared, kLoad, 2, 1, 68), 16),
      "shared loads take 2 passes a request where 1 would do: neighbouring threads read words 17 apart, so "
      "(address/4) % 32 differs among 16 lanes; the warp holds 2 rows of 16 threads, which meet in some "
      "banks "
      "(1_naive.cu:14)");
}

TEST(ExplainShared, WideValues) {
  EXPECT_EQ(
      explain_shared(access(kShared, kLoad, 32, 2, 256, 0, 8), 32),
      "shared loads take 32 passes a request where 2 would do: 8-byte values go 16 lanes at a time; "
      "neighbouring "
      "threads read words 64 apart, so (address/4) % 32 is the same bank for all 16 lanes (1_naive.cu:14)");
}

TEST(ExplainShared, ClaimsNoCauseThatTheNumbersDoNotShow) {
  const char* general =
      "shared loads take 4 passes a request where 1 would do: several lanes want different words of one "
      "bank, "
      "(address/4) % 32 (1_naive.cu:14)";
  EXPECT_EQ(explain_shared(access(kShared, kLoad, 4, 1, std::nullopt), 32), general);
  EXPECT_EQ(explain_shared(access(kShared, kLoad, 4, 1, 4), 32), general);  // this distance has no conflicts
  EXPECT_EQ(explain_shared(access(kShared, kLoad, 4, 1, 128), 32),
            general);  // this one alone would take 32 passes
}

TEST(ExplainShared, SaysNothingWithoutConflicts) {
  EXPECT_EQ(explain_shared(access(kShared, kLoad, 1, 1, 132), 32), std::nullopt);
  EXPECT_EQ(explain_shared(access(kShared, kLoad, 2, 2, 8, 0, 8), 32), std::nullopt);
}

TEST(ExplainAccesses, SentencesFollowTheNumbersNotTheName) {
  lab::Row row = virtual_transpose().rows[2];
  row.name = "padded";
  EXPECT_THAT(
      explain_accesses(row),
      ElementsAre("loads are coalesced: 4 sectors a request, the fewest possible for 4 bytes a thread",
                  testing::StartsWith("stores touch 32 sectors a request where 4 would do")));
  EXPECT_THAT(
      explain_accesses(virtual_transpose().rows[3]),
      ElementsAre(
          "loads and stores are coalesced: 4 sectors a request, the fewest possible for 4 bytes a thread",
          testing::StartsWith("shared loads take 32 passes a request where 1 would do")));
}

TEST(ExplainAccesses, PraisesSharedMemoryOnlyWhereItIsUsed) {
  lab::Row row = virtual_transpose().rows[3];
  row.accesses.back().transactions = row.accesses.back().fewest_transactions;
  EXPECT_THAT(explain_accesses(row), ElementsAre(testing::_, "shared memory has no bank conflicts"));
  row.accesses.clear();
  EXPECT_THAT(explain_accesses(row), ElementsAre());
}

TEST(ExplainAccesses, SaysNothingOfAKernelThatWasStopped) {
  lab::Row row = virtual_transpose().rows[2];
  row.verdict = lab::Verdict::kFail;
  EXPECT_FALSE(explain_accesses(row).empty());  // wrong, but complete
  row.check.reset();
  EXPECT_THAT(explain_accesses(row), ElementsAre());
}

TEST(ExplainAccesses, NamesTheWorstLinesOnly) {
  lab::Row row = virtual_transpose().rows[2];
  row.accesses.clear();
  for (std::uint64_t sectors : {8, 32, 16, 5})
    row.accesses.push_back(access(kGlobal, kLoad, sectors, 4, static_cast<std::int64_t>(sectors * 4), 4));
  EXPECT_THAT(explain_accesses(row), ElementsAre(testing::HasSubstr("32 sectors a request"),
                                                 testing::HasSubstr("16 sectors a request")));
}

TEST(ExplainTimes, CeilingAndTheRunBefore) {
  lab::Result result = gpu_transpose();
  lab::Row& naive = result.rows[2];
  lab::Row& tiled = result.rows[3];
  EXPECT_EQ(explain_times(naive, nullptr), "moves 554 GB/s, 13 % of the ceiling");
  EXPECT_EQ(explain_times(tiled, &naive), "moves 1107 GB/s, 26 % of the ceiling, 2 times as fast as naive");
  tiled.percent_of_ceiling.reset();
  EXPECT_EQ(explain_times(tiled, &naive), "2 times as fast as naive");
  tiled.time_ms->median = 1.94;
  EXPECT_EQ(explain_times(tiled, &naive), "takes 2 times as long as naive");
  tiled.time_ms->median = 0.975;
  EXPECT_EQ(explain_times(tiled, &naive), "as fast as naive");
  tiled.time_ms.reset();
  EXPECT_EQ(explain_times(tiled, &naive), std::nullopt);
}

TEST(ExplainTimes, OfAKernelThatMostlyComputesSaysOperations) {
  lab::Row product;
  product.kind = lab::RowKind::kKernel;
  product.gb_s = 57.3;
  product.gflop_s = 39134;
  product.percent_of_ceiling = 76;
  product.useful_bytes = 1;
  product.useful_flops = 683;
  EXPECT_EQ(explain_times(product, nullptr), "computes 39134 GFLOP/s, 76 % of the ceiling");
  product.useful_flops = 0.25;
  EXPECT_EQ(explain_times(product, nullptr), "moves 57.3 GB/s, 76 % of the ceiling");
}

TEST(Explain, ComparesCpuVersionsWithTheFirst) {
  std::vector<Explanation> explanations = explain(virtual_transpose());
  ASSERT_EQ(explanations.size(), 3u);  // nothing to say about the first CPU version
  EXPECT_EQ(explanations[0].stage, "cpu-all-threads");
  EXPECT_THAT(explanations[0].sentences, ElementsAre("2 times as fast as cpu-1-thread"));
  EXPECT_EQ(explanations[1].stage, "naive");
}

TEST(Explain, ComparesNoCpuVersionThatABusyMachineDisturbed) {
  lab::Result result = virtual_transpose();
  const lab::Row& one = result.rows[0];
  lab::Row& all = result.rows[1];
  EXPECT_TRUE(explain_times(all, &one));
  all.time_ms->median = 3 * all.time_ms->min;
  EXPECT_FALSE(explain_times(all, &one));
  EXPECT_FALSE(explain_times(one, &all));
}

// Rows of three kernels of one job, and of a fourth.
lab::Result with_times() {
  lab::Result result;
  for (const char* name : {"one", "two", "three", "four"}) {
    lab::Row row = kernel_run(name, "a.cu", {32, 1, 1});
    row.time_ms = TimeSummary{static_cast<double>(result.rows.size() + 1), 1, 9, 11};
    row.useful_bytes = 1000;
    result.rows.push_back(row);
  }
  return result;
}

std::vector<std::string> said(const lab::Result& result) {
  std::vector<std::string> lines;
  for (const Explanation& explanation : explain(result))
    for (const std::string& sentence : explanation.sentences)
      lines.push_back(explanation.stage + ": " + sentence);
  return lines;
}

TEST(Explain, ComparesTheTimesOfRowsOfOneJobAlone) {
  lab::Result result = with_times();
  EXPECT_THAT(said(result),
              ElementsAre("two: takes 2 times as long as one", "three: takes 1.5 times as long as two",
                          "four: takes 1.33 times as long as three"));
  result.rows[1].useful_bytes = 5000;
  result.rows[2].useful_bytes = 995;  // but for an edge
  EXPECT_THAT(said(result),
              ElementsAre("three: takes 3 times as long as one", "four: takes 1.33 times as long as three"));
  result.rows[2].useful_flops = 10;
  EXPECT_THAT(said(result), ElementsAre("four: takes 4 times as long as one"));
  result.rows[3].check->compared = 1;
  EXPECT_THAT(said(result), ElementsAre());
  for (lab::Row& row : result.rows) row.useful_bytes = row.useful_flops = 0, row.check.reset();
  EXPECT_THAT(said(result), ElementsAre());
}

TEST(Explain, SaysOnceWhatIsTrueOfSeveral) {
  lab::Result result = with_times();
  for (lab::Row& row : result.rows) {
    row.time_ms.reset();
    row.accesses = {access(kGlobal, kLoad, 4, 4, 4), access(kShared, kLoad, 1, 1, 4)};
  }
  result.rows[2].accesses[1].transactions *= 4;
  EXPECT_THAT(
      said(result),
      ElementsAre(
          "all kernels: loads are coalesced: 4 sectors a request, the fewest possible for 4 bytes a thread",
          "one, two, four: shared memory has no bank conflicts",
          testing::StartsWith("three: shared loads take 4 passes a request where 1 would do")));
  result.rows.erase(result.rows.begin() + 2, result.rows.end());
  EXPECT_THAT(explain(result).size(), 1u);
  EXPECT_EQ(explain(result)[0].stage, "one, two");
}

TEST(Explain, PutsWordsIntoTheirNumber) {
  lab::Row row;
  row.verdict = lab::Verdict::kPass;
  row.accesses = {access(kGlobal, kStore, 1, 1, 1, 32, 1)};
  EXPECT_THAT(
      explain_accesses(row),
      ElementsAre("stores are coalesced: 1 sector a request, the fewest possible for 1 byte a thread"));
  row.accesses = {access(kGlobal, kLoad, 32, 1, 100, 1, 1)};
  EXPECT_THAT(explain_accesses(row)[0], testing::HasSubstr("and 1 of a sector's 32 bytes is used"));
}

TEST(Explain, OneThreadOfAWarpThatLoadsAloneIsNotPraised) {
  lab::Row row;
  row.verdict = lab::Verdict::kPass;
  LineAccess access;
  access.where = {"labs/dot/1_global.cu", 16};
  access.space = MemorySpace::kGlobal;
  access.kind = AccessKind::kLoad;
  access.bytes_per_lane = 4;
  access.requests = access.transactions = access.fewest_transactions = access.lanes = 512;
  access.distinct_bytes = 2048;
  row.accesses = {access};
  EXPECT_THAT(
      explain_accesses(row),
      ElementsAre("one thread of each warp loads alone: of the 32 bytes of a request's sector it takes 4 "
                  "(1_global.cu:16)"));
  row.accesses[0].lanes = 512 * 32;
  EXPECT_THAT(explain_accesses(row), ElementsAre(testing::HasSubstr("loads are coalesced")));
}

// One lane's store touches one sector whatever it does: no merit, and no fault.
TEST(ExplainAccesses, WhatOneLaneOfAWarpDoesIsNotPraised) {
  lab::Row row;
  row.verdict = lab::Verdict::kPass;
  LineAccess store = access(kGlobal, kStore, 1, 1, 0, 8, 8);
  store.lanes = store.requests;
  row.accesses = {store};
  EXPECT_TRUE(explain_accesses(row).empty());
  LineAccess load = access(kGlobal, kLoad, 4, 4, 4);
  load.lanes = 32 * load.requests;
  row.accesses = {store, load};
  EXPECT_THAT(
      explain_accesses(row),
      ElementsAre("loads are coalesced: 4 sectors a request, the fewest possible for 4 bytes a thread"));
}

TEST(ExplainAccesses, ConstantLoadsOfManyAddressesAreNamedFirst) {
  lab::Row row;
  row.verdict = lab::Verdict::kPass;
  row.accesses = {access(kGlobal, kLoad, 4, 4, 4), access(kConstant, kLoad, 32, 1, 4)};
  EXPECT_THAT(
      explain_accesses(row),
      ElementsAre("constant loads are served one address after the other: the threads of a warp ask for 32 "
                  "different addresses, where one for all would take one turn (1_naive.cu:14)",
                  testing::StartsWith("loads are coalesced")));
  row.accesses[1] = access(kConstant, kLoad, 1, 1, 0);
  EXPECT_THAT(explain_accesses(row), ElementsAre(testing::StartsWith("loads are coalesced")));
}

}  // namespace
}  // namespace cudalab::report
