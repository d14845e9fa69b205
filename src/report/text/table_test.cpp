// Tests the whole text that a student sees.
#include "report/text/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "messages/report.h"
#include "report/sample_results_testing.h"

namespace cudalab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// The same, predicted for a GPU for which the model was not validated.
lab::Result predicted_transpose() {
  lab::Result result = virtual_transpose();
  result.card = *vgpu::find_card("rtx3060");
  lab::Row& tiled = result.rows.back();
  tiled.prediction = Prediction{.card = "rtx3060", .ms = 0.094};
  tiled.prediction->limits = {{"shared", 0.83, 1, 1, ""}, {"dram", 0.2, 1, 1, ""}};
  tiled.prediction->occupancy = {.blocks = 1,
                                 .warps = 32,
                                 .most_warps = 48,
                                 .limited_by = OccupancyLimit::kThreads,
                                 .waves = 3,
                                 .registers = 16};
  tiled.predicted = {
      .gb_s = 89.2, .percent_of_ceiling = 21, .speedup_1_thread = 42.5, .speedup_all_threads = 21.3};
  return result;
}

// The lines before the explanations.
std::string first_part(const std::string& text) {
  const std::size_t end = text.find("\n\n");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

TEST(Table, OfTheVirtualGpu) {
  EXPECT_EQ(first_part(table_text(virtual_transpose(), {.width = 100})),
            R"(transpose 1024 x 1024, f32, tile 32    virtual GPU: H200
                       sectors/request  conflicts/request             bytes
kernel     time  GB/s    load    store     load     store  requested/needed  result
cpu     2.00 ms  4.19       -        -        -         -                 -  exact
naive         -     -       4      *32        -         -               4.5  exact
tiled         -     -       4        4      *31         0                 1  exact
All 3 results are correct.  * explained below
)");
}

// With a copy as the reference row.
lab::Result predicted_with_copy() {
  lab::Result result = predicted_transpose();
  lab::Row copy = kernel_run("copy", "labs/transpose/0_copy.cu", {256, 1, 1});
  copy.kind = lab::RowKind::kCeiling;
  copy.counters = transpose_counters(4, -1);
  copy.prediction = Prediction{.card = "rtx3060", .ms = 0.02};
  copy.predicted = {.gb_s = 420, .percent_of_ceiling = 100};
  result.rows.insert(result.rows.begin() + 2, copy);
  return result;
}

TEST(Table, At80ColumnsHasTheImportantOnes) {
  EXPECT_EQ(first_part(table_text(predicted_with_copy(), {.width = 80})),
            R"(transpose 1024 x 1024, f32, tile 32    virtual GPU: H200
~ predicted, not validated
                  % of         sectors/request  conflicts/request
kernel      time  copy   GB/s    load    store     load     store  result
cpu      2.00 ms     -   4.19       -        -        -         -  exact
copy    ~20.0 us   100   ~420       4        4        -         -  exact
naive          -     -      -       4      *32        -         -  exact
tiled   ~94.0 us    21  ~89.2       4        4       31         0  exact
All 4 results are correct.  * explained below
)");
}

TEST(Table, At60ColumnsKeepsThemInNarrowColumns) {
  EXPECT_EQ(first_part(table_text(predicted_with_copy(), {.width = 60})),
            R"(transpose 1024 x 1024, f32, tile 32    virtual GPU: H200
~ predicted, not validated
                           sectors/   conflicts/
                  % of      request      request
kernel      time  copy  load  store  load  store  result
cpu      2.00 ms     -     -      -     -      -  exact
copy    ~20.0 us   100     4      4     -      -  exact
naive          -     -     4    *32     -      -  exact
tiled   ~94.0 us    21     4      4    31      0  exact
All 4 results are correct.  * explained below
)");
}

std::string line_with(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find("\n" + begin) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

// Shows ids instead of sentences.
std::string by_ids(const lab::Result& result) {
  return table_text(result, {.width = 1000, .wording = Wording::of_ids()});
}

TEST(Table, MarksWhatIsPredicted) {
  const std::string text = table_text(predicted_transpose(), {.width = 120});
  EXPECT_THAT(by_ids(predicted_transpose()),
              HasSubstr("    header_not_validated(predicted=header_predicted())\n"));
  EXPECT_THAT(line_with(text, "tiled  "), testing::ContainsRegex("^tiled +\\*?~94.0 us +21 +~89.2 "));
  EXPECT_THAT(line_with(text, "naive  "), testing::ContainsRegex("^naive +- +- +- "));
}

TEST(Table, ComparesNoPredictedTimeWithAMeasuredOne) {
  for (const bool verbose : {false, true}) {
    const std::string text = table_text(predicted_transpose(), {.width = 200, .verbose = verbose});
    EXPECT_THAT(text, Not(HasSubstr("42.5")));
    EXPECT_THAT(text, Not(HasSubstr("21.3")));
  }
}

TEST(Table, OfAValidatedCardDoesNotDoubtIt) {
  lab::Result result = predicted_transpose();
  result.card->validated = true;
  EXPECT_THAT(by_ids(result), HasSubstr("    header_predicted()\n"));
  result.rows.back().prediction.reset();
  EXPECT_THAT(by_ids(result), Not(HasSubstr("header_predicted")));
}

TEST(Table, AMeasuredTimeIsPreferredAndNotMarked) {
  lab::Result result = predicted_transpose();
  result.rows.back().time_ms = TimeSummary{0.5, 0.5, 0.5, 3};
  EXPECT_THAT(line_with(table_text(result, {.width = 120}), "tiled  "),
              testing::ContainsRegex("^tiled +\\*?500 us"));
}

TEST(Table, HasOfTheCpuVersionsTheFastestUnlessAllAreAskedFor) {
  const std::string text = table_text(virtual_transpose(), {.width = 100});
  EXPECT_THAT(line_with(text, "cpu"), testing::StartsWith("cpu     2.00 ms"));
  EXPECT_THAT(text, Not(HasSubstr("cpu-")));
  const std::string all = table_text(virtual_transpose(), {.width = 100, .verbose = true});
  EXPECT_THAT(all, HasSubstr("\ncpu-1-thread     4.00 ms"));
  EXPECT_THAT(all, HasSubstr("\ncpu-all-threads  2.00 ms"));
}

TEST(Table, HasOneCpuVersionForEachKindOfWork) {
  lab::Result result = virtual_transpose();
  lab::Row walk = cpu_run("cpu-walk-1-thread", 1, 1);
  walk.useful_bytes = 8;
  result.rows.insert(result.rows.begin(), {walk});
  result.rows[1].name = "cpu-read-1-thread";
  result.rows[2].name = "cpu-read-all-threads";
  const std::string text = table_text(result, {.width = 100});
  EXPECT_THAT(text, HasSubstr("\ncpu-walk  1.00 ms"));
  EXPECT_THAT(text, HasSubstr("\ncpu-read  2.00 ms"));
}

TEST(Table, KeepsACpuVersionThatFailed) {
  lab::Result result = virtual_transpose();
  result.rows[0].verdict = result.verdict = lab::Verdict::kFail;
  result.rows[0].check->mismatches = 12;
  const std::string text = table_text(result, {.width = 100});
  EXPECT_THAT(line_with(text, "cpu-1-thread"), testing::EndsWith("12 WRONG"));
  EXPECT_THAT(line_with(text, "cpu  "), testing::EndsWith("exact"));
}

TEST(Table, ShowsDetailsWhereAsked) {
  const std::string text = table_text(predicted_transpose(), {.width = 80, .verbose = true});
  EXPECT_THAT(text, testing::ContainsRegex("\ntiled +32 of 48  threads +8 MiB +1 byte +55.0 ms\n"));
  EXPECT_THAT(text, HasSubstr("compute capability 9.0"));
  EXPECT_THAT(text, HasSubstr("seed 1"));
  const std::string plain = table_text(predicted_transpose(), {.width = 160});
  for (const char* detail : {"55.0 ms", "32 of 48", "compute capability", "seed"})
    EXPECT_THAT(plain, Not(HasSubstr(detail)));
  lab::Result unknown = predicted_transpose();
  unknown.rows.back().prediction->occupancy.registers.reset();
  EXPECT_THAT(table_text(unknown, {.width = 1000, .verbose = true, .wording = Wording::of_ids()}),
              HasSubstr("limit_registers_unknown(limit=limit_threads())"));
}

TEST(Table, SaysAboveItWhereTheRegistersAreUnknown) {
  lab::Result result = predicted_transpose();
  EXPECT_THAT(by_ids(result), Not(HasSubstr("header_registers_unknown")));
  result.rows.back().prediction->occupancy.registers.reset();
  EXPECT_THAT(by_ids(result), HasSubstr("    header_registers_unknown("));
}

TEST(Table, ShowsRecordedTimesBesideThePredictedOnes) {
  lab::Result result = predicted_transpose();
  result.rows.back().recorded_ms = 0.485;
  result.recorded = Message::verbatim("recorded on an NVIDIA H200 with rows 8192");
  const std::string text = table_text(result, {.width = 140});
  EXPECT_THAT(text, HasSubstr("recorded on an NVIDIA H200 with rows 8192\n"));
  EXPECT_THAT(line_with(text, "tiled  "), testing::ContainsRegex("~94.0 us +485 us"));
}

TEST(Table, OfAGpuHasTimesAndNoCounters) {
  EXPECT_EQ(first_part(table_text(gpu_transpose(), {.width = 100})),
            R"(transpose 1024 x 1024, f32, tile 32    GPU: H200
                                with
kernel     time  % of  GB/s   copies  result
cpu     2.00 ms     -  4.19        -  exact
naive    970 us    13   554  11.0 ms  exact
tiled    485 us    26  1107  10.5 ms  exact
All 3 results are correct.
tiled is 4.12 times as fast as this CPU with all 2 threads.
)");
}

TEST(Table, OfAGpuSaysOnceHowMuchFasterItIsThanTheCpu) {
  EXPECT_THAT(table_text(gpu_transpose(), {.width = 1000, .wording = Wording::of_ids()}),
              HasSubstr("\nfaster_than_cpu(kernel=tiled, factor=4.12, threads=2)\n"));
  lab::Result slow = gpu_transpose();
  for (lab::Row& row : slow.rows)
    if (row.speedup_all_threads) row.speedup_all_threads = 0.5;
  EXPECT_THAT(table_text(slow, {.width = 1000, .wording = Wording::of_ids()}),
              HasSubstr("\nslower_than_cpu(kernel=naive, factor=2, threads=2)\n"));
  EXPECT_THAT(by_ids(predicted_transpose()), Not(HasSubstr("than_cpu")));
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0, begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    longest = std::max(longest, end - begin);
  return longest;
}

TEST(Table, FitsTheWidth) {
  for (int width : {60, 80, 100, 110})
    for (const lab::Result& result : {virtual_transpose(), gpu_transpose()})
      EXPECT_LE(longest_line(table_text(result, {.width = width})), static_cast<std::size_t>(width));
}

TEST(Table, ShowsTheFirstMismatch) {
  lab::Result result = virtual_transpose();
  lab::Row& tiled = result.rows[3];
  tiled.verdict = lab::Verdict::kFail;
  tiled.reason = Message::verbatim("12 elements are wrong");
  tiled.check->mismatches = 12;
  tiled.check->first_mismatch = lab::Mismatch{{3, 17}, "0.25", "0.5"};
  result.verdict = lab::Verdict::kFail;
  std::string text = table_text(result, {.width = 110});
  EXPECT_THAT(text, HasSubstr("12 WRONG\n"));
  EXPECT_THAT(text, HasSubstr("[3][17]: found 0.25, expected 0.5."));
  EXPECT_THAT(by_ids(result),
              HasSubstr("\nverdict_fail_loud()  outcome_failed(outcome=outcome_passed(passed=2, "
                        "count=3), count=1)."));
}

Hazard out_of_bounds() {
  Hazard hazard;
  hazard.kernel = "transpose";
  hazard.where = {"labs/transpose/1_naive.cu", 14};
  hazard.block = {31, 0, 0};
  hazard.thread = {5, 1, 0};
  hazard.what = Message::verbatim("reads 4 bytes at index 1024 of `in`, 0 bytes past its end");
  hazard.fix = Message::verbatim("compare the index with the size first");
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  hazard.occurrences = 3;
  return hazard;
}

TEST(Table, ShowsHazardsWithTheirPlace) {
  lab::Result result = virtual_transpose();
  result.rows[2].verdict = result.verdict = lab::Verdict::kFail;
  result.rows[2].hazards = {out_of_bounds()};
  EXPECT_THAT(table_text(result, {.width = 400}),
              HasSubstr("naive  labs/transpose/1_naive.cu:14: transpose reads 4 bytes at index 1024 of `in`, "
                        "0 bytes past its end; block (31, 0, 0), thread (5, 1, 0); 3 times; a GPU reports "
                        "CUDA_ERROR_ILLEGAL_ADDRESS; try: compare the index with the size first.\n"));
  EXPECT_THAT(
      by_ids(result),
      HasSubstr("naive  labs/transpose/1_naive.cu:14: problem_with_advice(problem="
                "hazard_card_reports(hazard=hazard_times(hazard=hazard_of_thread(kernel=transpose, "));
}

TEST(Table, ShowsTheLinesAroundAHazardWhereTheSourceIsKnown) {
  lab::Result result = virtual_transpose();
  result.rows[2].verdict = result.verdict = lab::Verdict::kFail;
  result.rows[2].hazards = {out_of_bounds()};
  const ReadSource read = [](const lab::Row&) { return "\n\n\n\n\n\n\n\n\n\n\n\nint a;\nint b;\nint c;\n"; };
  const std::string text = table_text(result, {.width = 400, .read = read});
  EXPECT_THAT(text, HasSubstr("naive  labs/transpose/1_naive.cu:14: transpose reads 4 bytes"));
  EXPECT_THAT(text, HasSubstr(".\n"
                              "        13 | int a;\n"
                              "    >   14 | int b;\n"
                              "        15 | int c;\n"));
}

TEST(Table, SaysOnceWhatHoldsForSeveralRowsAndFailuresFirst) {
  lab::Result result = virtual_transpose();
  for (lab::Row& row : result.rows)
    row.verdict = lab::Verdict::kNotAssessed, row.reason = Message::verbatim("needs a GPU");
  result.rows[3].verdict = result.verdict = lab::Verdict::kFail;
  result.rows[3].reason = Message::verbatim("is wrong");
  result.rows.erase(result.rows.begin());
  EXPECT_THAT(table_text(result, {.width = 100}),
              testing::ContainsRegex("\n\ntiled +is wrong.\ncpu-all-threads, naive\n +needs a GPU.\n"));
}

TEST(Table, GivesTheReasonOfWhatWasNotAssessed) {
  lab::Result result = virtual_transpose();
  result.rows[2].verdict = lab::Verdict::kNotAssessed;
  result.rows[2].reason = Message::verbatim("needs a GPU");
  EXPECT_THAT(table_text(result, {.width = 100}), HasSubstr("naive  needs a GPU.\n"));
  EXPECT_THAT(by_ids(result), HasSubstr("\noutcome_not_assessed(outcome=outcome_passed("
                                        "passed=2, count=3), count=1)."));
}

TEST(Table, SaysHowMuchOfTheAllowedErrorWasUsed) {
  lab::Result result = virtual_transpose();
  result.rows[2].check->allowed = 1e-6;
  result.rows[2].check->max_error = 3e-8;
  result.rows[3].check->allowed = 1e-6;
  result.rows[3].check->max_error = std::numeric_limits<double>::quiet_NaN();
  std::string text = table_text(result, {.width = 110});
  EXPECT_THAT(text, HasSubstr("  3 % of tolerance\n"));
  EXPECT_THAT(text, HasSubstr("  NaN\n"));
}

// A whole program has no options, and may launch no kernel.
TEST(Table, OneBlankLineSeparatesTheParts) {
  lab::Result result = virtual_transpose();
  EXPECT_THAT(table_text(result, {}), Not(HasSubstr("\n\n\n")));
  result.options.clear();
  EXPECT_THAT(table_text(result, {}), Not(HasSubstr("\n\n\n")));
  result.rows.clear();
  EXPECT_THAT(table_text(result, {}), Not(HasSubstr("\n\n\n")));
}

TEST(Table, ShowsWhatALabAddsUnderItsOwnHeading) {
  lab::Result result = virtual_transpose();
  result.rows[3].extra = {{"error_order", 3.99}};
  result.columns = {{"error_order", msg::column_flop_a_byte}};
  result.notes = {Message::verbatim("The ceiling is a copy.")};
  std::string text = table_text(result, {.width = 110});
  EXPECT_THAT(text, Not(HasSubstr("order")));
  EXPECT_THAT(text, testing::ContainsRegex(" FLOP\n.* per byte +result\n"));
  EXPECT_THAT(text, HasSubstr("3.99"));
  EXPECT_THAT(text, testing::EndsWith("\nThe ceiling is a copy.\n"));
}

TEST(Table, EndsWithWhatToTryNext) {
  lab::Result result = virtual_transpose();
  EXPECT_THAT(by_ids(result), Not(HasSubstr("next_suggestion")));
  result.next = lab::Suggestion{msg::column_kernel, "--tile 16"};
  EXPECT_THAT(by_ids(result),
              testing::EndsWith("\n\nnext_suggestion(question=column_kernel(), options=--tile 16)\n"));
}

// Textures are not counted in sectors. If the needed bytes are unknown, there is no ratio.
TEST(Table, SaysHowManyBytesAreMovedForEachThatIsNeededWhereThatIsKnown) {
  lab::Result result = virtual_transpose();
  EXPECT_THAT(table_text(result, {.width = 100}), HasSubstr("needed"));
  for (lab::Row& row : result.rows)
    if (row.counters) row.counters->set(Counter::kTextureRequests, 1);
  EXPECT_THAT(table_text(result, {.width = 100}), Not(HasSubstr("needed")));
  result = virtual_transpose();
  for (lab::Row& row : result.rows) row.useful_bytes = 0;
  EXPECT_THAT(table_text(result, {.width = 100}), Not(HasSubstr("needed")));
}

TEST(Table, TakesNoControlCharactersFromKernels) {
  lab::Result result = virtual_transpose();
  result.rows[2].printed = "sum = 3\x1b[2J\n";
  EXPECT_THAT(table_text(result, {}), HasSubstr("naive printed:\nsum = 3?[2J\n"));
  result.rows[2].printed = "\xc2\x9b\x33\x31m";  // a C1 control character as two bytes of UTF-8
  EXPECT_THAT(table_text(result, {}), HasSubstr("naive printed:\n?31m\n"));
  result.rows[2].verdict = lab::Verdict::kFail;
  result.rows[2].reason = Message::verbatim("\x1b[31m is its name");
  EXPECT_THAT(table_text(result, {}), HasSubstr("?[31m is its name"));
}

TEST(Table, ColoursOnlyWhenAsked) {
  EXPECT_THAT(table_text(virtual_transpose(), {.colour = false}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(table_text(virtual_transpose(), {.colour = true}),
              HasSubstr("\x1b[32mAll 3 results are correct.\x1b[0m"));
}

TEST(Table, OfNothingIsAVerdict) {
  lab::Result result;
  result.lab = "transpose";
  EXPECT_THAT(by_ids(result), HasSubstr("\nverdict_not_assessed_loud()  outcome_nothing_launched().\n"));
}

TEST(Table, FiguresStandBelowWithTheirCostsInColour) {
  lab::Result result = virtual_transpose();
  result.figures = {{Message::verbatim("s[2 * t]"), {"bank    0", "pass 1  0", "pass 2  g"}, {2}}};
  EXPECT_THAT(table_text(result, {.width = 100}),
              HasSubstr("\n\ns[2 * t]\nbank    0\npass 1  0\npass 2  g\n\n"));
  std::string coloured = table_text(result, {.colour = true, .width = 100});
  EXPECT_THAT(coloured, HasSubstr("\npass 1  0\n"));
  EXPECT_THAT(coloured, Not(HasSubstr("\npass 2  g\n")));
}

TEST(Table, LeavesOutWhatAFigureShowsUnlessItFailed) {
  lab::Result result = virtual_transpose();
  for (lab::Row& row : result.rows) row.in_figure = row.name == "naive" || row.name == "tiled";
  result.rows[3].verdict = lab::Verdict::kFail;
  result.rows[3].reason = Message::verbatim("wrong");
  std::string text = table_text(result, {.width = 100});
  EXPECT_THAT(text, Not(HasSubstr("naive")));
  EXPECT_THAT(text, HasSubstr("tiled"));
  EXPECT_THAT(text, HasSubstr("2 of 3 passed"));
}

TEST(Table, AnEmptyOptionIsNotShown) {
  lab::Result result = virtual_transpose();
  result.options = {{"n", std::int64_t{7}}, {"sweep", std::string()}, {"seed", std::int64_t{1}}};
  EXPECT_THAT(table_text(result, {.width = 100}), HasSubstr("transpose n 7    virtual GPU: H200\n"));
}

}  // namespace
}  // namespace cudalab::report
