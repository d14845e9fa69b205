// Tests the sentences about memory accesses and times.
#include "report/text/explanations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
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

using testing::AllOf;
using testing::ElementsAre;
using testing::Not;
using enum MemorySpace;
using enum AccessKind;

TEST(ExplainGlobal, FarNeighbours) {
  EXPECT_THAT(
      *explain_global(access(kGlobal, kStore, 32, 4, 4096, 4), 32),
      AllOf(IsMessage("explain_at_line"), HasArgument("line", "1_naive.cu:14"),
            MentionsMessage("explain_sectors"), MentionsMessage("accesses_stores"),
            HasArgument("sectors", 32), HasArgument("fewest", 4), MentionsMessage("cause_addresses_apart"),
            MentionsMessage("neighbours_write"), HasArgument("distance", "4 KB"),
            MentionsMessage("explain_bytes_used"), HasArgument("used", 4)));
  EXPECT_EQ(with_ids(*explain_global(access(kGlobal, kLoad, 16, 4, -64, 8, 4, {"", 0}), 16)),
            "explain_sectors(accesses=accesses_loads(), sectors=16, fewest=4, "
            "cause=explain_bytes_used(sentence=cause_addresses_apart(threads=neighbours_read(), "
            "distance=count_bytes(bytes=64)), used=8, size=32))");
}

TEST(ExplainGlobal, AShiftedWarp) {
  LineAccess shifted = access(kGlobal, kLoad, 5, 4, 4);
  shifted.distinct_bytes = shifted.requests * 128;
  EXPECT_THAT(*explain_global(shifted, 256),
              AllOf(MentionsMessage("cause_elements_shifted"), MentionsMessage("group_warp"),
                    HasArgument("sectors", 5), HasArgument("used", "25.6")));
  EXPECT_THAT(*explain_global(shifted, 16),
              AllOf(MentionsMessage("cause_elements_shifted"), MentionsMessage("group_row")));
}

TEST(ExplainGlobal, OneAddress) {
  EXPECT_THAT(*explain_global(access(kGlobal, kReduction, 32, 1, 0, 8), 32),
              AllOf(MentionsMessage("cause_one_address"), MentionsMessage("all_threads_update")));
}

TEST(ExplainGlobal, NoCommonDistance) {
  EXPECT_THAT(*explain_global(access(kGlobal, kAtomic, 20, 4, std::nullopt), 32),
              AllOf(MentionsMessage("cause_no_common_distance"), MentionsMessage("accesses_atomics"),
                    Not(MentionsMessage("explain_bytes_used"))));
}

TEST(ExplainGlobal, SaysNothingWhereNothingIsWasted) {
  EXPECT_EQ(explain_global(access(kGlobal, kLoad, 4, 4, 4), 32), std::nullopt);
  LineAccess ragged = access(kGlobal, kLoad, 4, 4, 4);
  ragged.transactions += ragged.requests / 100;  // the edges of a matrix
  EXPECT_EQ(explain_global(ragged, 32), std::nullopt);
  EXPECT_EQ(explain_global(LineAccess{}, 32), std::nullopt);
}

TEST(ExplainShared, AWholeWarpInOneBank) {
  EXPECT_EQ(with_ids(*explain_shared(access(kShared, kLoad, 32, 1, 128), 32)),
            "explain_at_line(sentence=explain_passes(accesses=accesses_loads(), passes=32, fewest=1, "
            "cause=cause_in_banks(stride=words_apart(threads=neighbours_read(), words=32), "
            "pattern=banks_same(lanes=32))), line=1_naive.cu:14)");
}

TEST(ExplainShared, AStrideOfTwoWords) {
  EXPECT_THAT(*explain_shared(access(kShared, kStore, 2, 1, 8), 256),
              AllOf(MentionsMessage("neighbours_write"), HasArgument("passes", 2),
                    MentionsMessage("banks_few"), HasArgument("banks", 16), HasArgument("lanes", 32)));
}

TEST(ExplainShared, TwoRowsOfSixteenThreadsInAWarp) {
  EXPECT_THAT(*explain_shared(access(kShared, kLoad, 8, 1, 64), 16),
              AllOf(MentionsMessage("cause_rows_apart"), HasArgument("rows", 2), MentionsMessage("banks_few"),
                    HasArgument("banks", 2), HasArgument("lanes", 16)));
  EXPECT_THAT(*explain_shared(access(kShared, kLoad, 2, 1, 68), 16),
              AllOf(MentionsMessage("cause_rows_meet"), MentionsMessage("words_apart"),
                    HasArgument("words", 17), MentionsMessage("banks_differ")));
}

TEST(ExplainShared, WideValues) {
  EXPECT_EQ(with_ids(*explain_shared(access(kShared, kLoad, 32, 2, 256, 0, 8), 32)),
            "explain_at_line(sentence=explain_passes(accesses=accesses_loads(), passes=32, fewest=2, "
            "cause=cause_wide_values(bytes=8, lanes=16, "
            "cause=cause_in_banks(stride=words_apart(threads=neighbours_read(), words=64), "
            "pattern=banks_same(lanes=16)))), line=1_naive.cu:14)");
}

TEST(ExplainShared, ClaimsNoCauseThatTheNumbersDoNotShow) {
  const auto is_general =
      AllOf(MentionsMessage("cause_several_words_of_bank"), Not(MentionsMessage("cause_in_banks")));
  EXPECT_THAT(*explain_shared(access(kShared, kLoad, 4, 1, std::nullopt), 32), is_general);
  EXPECT_THAT(*explain_shared(access(kShared, kLoad, 4, 1, 4), 32), is_general)
      << "this distance has no conflicts";
  EXPECT_THAT(*explain_shared(access(kShared, kLoad, 4, 1, 128), 32), is_general)
      << "this one alone would take 32 passes";
}

TEST(ExplainShared, SaysNothingWithoutConflicts) {
  EXPECT_EQ(explain_shared(access(kShared, kLoad, 1, 1, 132), 32), std::nullopt);
  EXPECT_EQ(explain_shared(access(kShared, kLoad, 2, 2, 8, 0, 8), 32), std::nullopt);
}

TEST(ExplainAccesses, SentencesFollowTheNumbersNotTheName) {
  lab::Row row = virtual_transpose().rows[2];
  row.name = "padded";
  EXPECT_THAT(explain_accesses(row),
              ElementsAre(AllOf(IsMessage("explain_coalesced_width"), MentionsMessage("accesses_loads"),
                                HasArgument("sectors", 4), HasArgument("bytes", 4)),
                          AllOf(MentionsMessage("explain_sectors"), MentionsMessage("accesses_stores"))));
  EXPECT_THAT(
      explain_accesses(virtual_transpose().rows[3]),
      ElementsAre(AllOf(IsMessage("explain_coalesced_width"), MentionsMessage("accesses_loads_and_stores")),
                  AllOf(MentionsMessage("explain_passes"), HasArgument("passes", 32))));
}

TEST(ExplainAccesses, PraisesSharedMemoryOnlyWhereItIsUsed) {
  lab::Row row = virtual_transpose().rows[3];
  row.accesses.back().transactions = row.accesses.back().fewest_transactions;
  EXPECT_THAT(explain_accesses(row), ElementsAre(testing::_, IsMessage("explain_no_bank_conflicts")));
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
  EXPECT_THAT(explain_accesses(row), ElementsAre(HasArgument("sectors", 32), HasArgument("sectors", 16)));
}

TEST(ExplainTimes, CeilingAndTheRunBefore) {
  lab::Result result = gpu_transpose();
  lab::Row& naive = result.rows[2];
  lab::Row& tiled = result.rows[3];
  EXPECT_EQ(with_ids(*explain_times(naive, nullptr)),
            "rate_of_ceiling(rate=rate_moves(rate=554), share=13 %)");
  EXPECT_EQ(with_ids(*explain_times(tiled, &naive)),
            "rate_and_time(rate=rate_of_ceiling(rate=rate_moves(rate=1107), share=26 %), "
            "time=time_faster(factor=2, other=naive))");
  tiled.percent_of_ceiling.reset();
  EXPECT_THAT(*explain_times(tiled, &naive), IsMessage("time_faster"));
  tiled.time_ms->median = 1.94;
  EXPECT_THAT(*explain_times(tiled, &naive), AllOf(IsMessage("time_longer"), HasArgument("factor", 2)));
  tiled.time_ms->median = 0.975;
  EXPECT_THAT(*explain_times(tiled, &naive), IsMessage("time_same"));
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
  EXPECT_THAT(*explain_times(product, nullptr),
              AllOf(MentionsMessage("rate_computes"), HasArgument("share", "76 %")));
  product.useful_flops = 0.25;
  EXPECT_THAT(*explain_times(product, nullptr), MentionsMessage("rate_moves"));
}

TEST(Explain, ComparesCpuVersionsWithTheFirst) {
  std::vector<Explanation> explanations = explain_fully(virtual_transpose());
  ASSERT_EQ(explanations.size(), 3u);  // nothing to say about the first CPU version
  EXPECT_THAT(explanations[0].rows, ElementsAre("cpu-all-threads"));
  EXPECT_THAT(explanations[0].sentences,
              ElementsAre(AllOf(IsMessage("time_faster"), HasArgument("other", "cpu-1-thread"))));
  EXPECT_THAT(explanations[1].rows, ElementsAre("naive"));
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

// Three kernels that do the same work, and a fourth that does not.
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
  for (const Explanation& explanation : explain_fully(result))
    for (const Message& sentence : explanation.sentences)
      lines.push_back(explanation.heading(Wording::of_ids()) + ": " + with_ids(sentence));
  return lines;
}

TEST(Explain, ComparesTheTimesOfRowsOfOneJobAlone) {
  lab::Result result = with_times();
  EXPECT_THAT(said(result), ElementsAre("two: time_longer(factor=2, other=one)",
                                        "three: time_longer(factor=1.5, other=two)",
                                        "four: time_longer(factor=1.33, other=three)"));
  result.rows[1].useful_bytes = 5000;
  result.rows[2].useful_bytes = 995;  // only an edge is missing
  EXPECT_THAT(said(result), ElementsAre("three: time_longer(factor=3, other=one)",
                                        "four: time_longer(factor=1.33, other=three)"));
  result.rows[2].useful_flops = 10;
  EXPECT_THAT(said(result), ElementsAre("four: time_longer(factor=4, other=one)"));
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
  EXPECT_THAT(said(result),
              ElementsAre(testing::StartsWith("all_kernels(): explain_coalesced_width("),
                          "one, two, four: explain_no_bank_conflicts()",
                          testing::StartsWith("three: explain_at_line(sentence=explain_passes(")));
  result.rows.erase(result.rows.begin() + 2, result.rows.end());
  EXPECT_THAT(explain_fully(result).size(), 1u);
  EXPECT_THAT(explain_fully(result)[0].rows, ElementsAre("one", "two"));
}

TEST(Explain, PutsWordsIntoTheirNumber) {
  lab::Row row;
  row.verdict = lab::Verdict::kPass;
  row.accesses = {access(kGlobal, kStore, 1, 1, 1, 32, 1)};
  EXPECT_EQ(explain_accesses(row).at(0).text(),
            "stores are coalesced: 1 sector per request, the minimum for 1 byte per thread");
  row.accesses = {access(kGlobal, kLoad, 32, 1, 100, 1, 1)};
  EXPECT_THAT(explain_accesses(row).at(0).text(),
              testing::HasSubstr("so 1 of each sector's 32 bytes is used"));
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
  EXPECT_THAT(explain_accesses(row),
              ElementsAre(AllOf(MentionsMessage("explain_lonely_sector"), HasArgument("bytes", 32),
                                HasArgument("taken", 4), HasArgument("line", "1_global.cu:16"))));
  row.accesses[0].lanes = 512 * 32;
  EXPECT_THAT(explain_accesses(row), testing::IsEmpty()) << "all threads of a warp load one element";
  row.accesses[0].distinct_bytes = 512 * 128;
  EXPECT_THAT(explain_accesses(row), ElementsAre(IsMessage("explain_coalesced_width")));
}

// A store by one lane touches one sector in any case: it gets neither praise nor blame.
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
  EXPECT_THAT(explain_accesses(row),
              ElementsAre(AllOf(IsMessage("explain_coalesced_width"), MentionsMessage("accesses_loads"))));
}

TEST(ExplainAccesses, ConstantLoadsOfManyAddressesAreNamedFirst) {
  lab::Row row;
  row.verdict = lab::Verdict::kPass;
  row.accesses = {access(kGlobal, kLoad, 4, 4, 4), access(kConstant, kLoad, 32, 1, 4)};
  EXPECT_THAT(explain_accesses(row),
              ElementsAre(AllOf(MentionsMessage("explain_constant_addresses"), HasArgument("addresses", 32)),
                          IsMessage("explain_coalesced_width")));
  row.accesses[1] = access(kConstant, kLoad, 1, 1, 0);
  EXPECT_THAT(explain_accesses(row), ElementsAre(IsMessage("explain_coalesced_width")));
}

}  // namespace
}  // namespace cudalab::report
