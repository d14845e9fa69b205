// What a student sees, as whole texts.
#include "report/text/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/sample_results_testing.h"

namespace cudalab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Table, OfTheVirtualGpu) {
  EXPECT_EQ(table_text(virtual_transpose(), {.width = 100}),
            R"(transpose on the virtual GPU, a model of NVIDIA H200 (compute capability 9.0)
rows 1024, cols 1024, tile 32, type f32, seed 1

                                    sectors   bytes    conflicts
                                  a request  moved/    a request               ver-
stage               time  GB/s  load  store  needed  load  store  error        dict
-----------------------------------------------------------------------------------
cpu-1-thread     4.00 ms  2.10     -      -       -     -      -  bit for bit  pass
cpu-all-threads  2.00 ms  4.19     -      -       -     -      -  bit for bit  pass
-----------------------------------------------------------------------------------
naive                  -     -     4     32     4.5     -      -  bit for bit  pass
tiled                  -     -     4      4       1    31      0  bit for bit  pass

PASS  4 of 4 passed

cpu-all-threads  2 times as fast as cpu-1-thread.
naive            Loads are coalesced: 4 sectors a request, the fewest possible for 4 bytes a thread.
                 Stores touch 32 sectors a request where 4 would do: neighbouring threads write
                 addresses 4 KB apart, and 4 of a sector's 32 bytes are used (1_naive.cu:14).
tiled            Loads and stores are coalesced: 4 sectors a request, the fewest possible for 4
                 bytes a thread. Shared loads take 32 passes a request where 1 would do:
                 neighbouring threads read words 32 apart, so (address/4) % 32 is the same bank for
                 all 32 lanes (2_tiled.cu:20).
)");
}

// The same, as it would run on a card that nobody compared with the model.
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

std::string line_with(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find("\n" + begin) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

// With ids in the place of sentences.
std::string by_ids(const lab::Result& result) {
  return table_text(result, {.width = 1000, .wording = Wording::of_ids()});
}

TEST(Table, MarksWhatIsPredicted) {
  const std::string text = table_text(predicted_transpose(), {.width = 120});
  EXPECT_THAT(by_ids(predicted_transpose()),
              HasSubstr("\nlegend_predicted_not_validated(card=NVIDIA GeForce RTX 3060)\n"));
  EXPECT_EQ(line_with(text, "tiled  "),
            "tiled            ~94.0 us  ~89.2    ~21 %    ~42.5x  ~21.3x     4      4       1    31      0  "
            "bit for bit  pass");
  EXPECT_THAT(by_ids(predicted_transpose()),
              HasSubstr("limit_share(resource=memory_shared(), share=83 %, time=~94.0 us)"));
  EXPECT_THAT(line_with(text, "naive  "), testing::StartsWith("naive                   -      -        -"));
}

TEST(Table, OfAValidatedCardDoesNotDoubtIt) {
  lab::Result result = predicted_transpose();
  result.card->validated = true;
  EXPECT_THAT(by_ids(result), HasSubstr("\nlegend_predicted(card=NVIDIA GeForce RTX 3060)\n"));
  result.rows.back().prediction.reset();
  EXPECT_THAT(by_ids(result), Not(HasSubstr("legend_predicted")));
}

TEST(Table, AMeasuredTimeIsPreferredAndNotMarked) {
  lab::Result result = predicted_transpose();
  result.rows.back().time_ms = TimeSummary{0.5, 0.5, 0.5, 3};
  EXPECT_THAT(line_with(table_text(result, {.width = 120}), "tiled  "),
              HasSubstr("tiled             500 us"));
}

TEST(Table, ShowsTheInterpretersTimeAndOccupancyWhereAsked) {
  const std::string text = table_text(predicted_transpose(), {.width = 160, .verbose = true});
  EXPECT_THAT(line_with(text, "tiled  "), HasSubstr("55.0 ms  32 of 48  threads"));
  EXPECT_THAT(table_text(predicted_transpose(), {.width = 160}), Not(HasSubstr("55.0 ms")));
  lab::Result unknown = predicted_transpose();
  unknown.rows.back().prediction->occupancy.registers.reset();
  EXPECT_THAT(table_text(unknown, {.width = 1000, .verbose = true, .wording = Wording::of_ids()}),
              HasSubstr("limit_registers_unknown(limit=limit_threads())"));
}

TEST(Table, SaysAboveItWhereNobodyKnowsTheRegisters) {
  lab::Result result = predicted_transpose();
  EXPECT_THAT(by_ids(result), Not(HasSubstr("legend_registers_unknown")));
  result.rows.back().prediction->occupancy.registers.reset();
  EXPECT_THAT(by_ids(result), HasSubstr("\nlegend_registers_unknown()\n"));
}

TEST(Table, ShowsRecordedTimesBesideThePredictedOnes) {
  lab::Result result = predicted_transpose();
  result.rows.back().recorded_ms = 0.485;
  result.recorded = Message::verbatim("recorded on an NVIDIA H200 with rows 8192");
  const std::string text = table_text(result, {.width = 140});
  EXPECT_THAT(text, HasSubstr("recorded on an NVIDIA H200 with rows 8192\n"));
  EXPECT_THAT(line_with(text, "tiled  "), HasSubstr("~94.0 us      485 us"));
}

TEST(Table, OfAGpuHasTimesAndNoCounters) {
  EXPECT_EQ(table_text(gpu_transpose(), {.width = 100}),
            R"(transpose on NVIDIA H200 (compute capability 9.0)
rows 1024, cols 1024, tile 32, type f32, seed 1

                                                         speed-up
                             with             of             over               ver-
stage               time   copies  GB/s  ceiling  1 thread    all  error        dict
------------------------------------------------------------------------------------
cpu-1-thread     4.00 ms        -  2.10        -         -      -  bit for bit  pass
cpu-all-threads  2.00 ms        -  4.19        -         -      -  bit for bit  pass
------------------------------------------------------------------------------------
naive             970 us  11.0 ms   554     13 %     4.12x  2.06x  bit for bit  pass
tiled             485 us  10.5 ms  1107     26 %     8.25x  4.12x  bit for bit  pass

PASS  4 of 4 passed

cpu-all-threads  2 times as fast as cpu-1-thread.
naive            Moves 554 GB/s, 13 % of the ceiling.
tiled            Moves 1107 GB/s, 26 % of the ceiling, 2 times as fast as naive.
)");
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
  EXPECT_THAT(text, HasSubstr("12 wrong     FAIL\n"));
  EXPECT_THAT(text, HasSubstr("[3][17]: found 0.25, expected 0.5."));
  EXPECT_THAT(by_ids(result),
              HasSubstr("\nverdict_fail_loud()  outcome_failed(outcome=outcome_passed(passed=3, "
                        "count=4), count=1)\n"));
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
  EXPECT_THAT(
      table_text(result, {.width = 400}),
      HasSubstr(
          "naive            labs/transpose/1_naive.cu:14: transpose reads 4 bytes at index 1024 of `in`, "
          "0 bytes past its end; block (31, 0, 0), thread (5, 1, 0); 3 times; a GPU reports "
          "CUDA_ERROR_ILLEGAL_ADDRESS; try: compare the index with the size first.\n"));
  EXPECT_THAT(
      by_ids(result),
      HasSubstr("naive            labs/transpose/1_naive.cu:14: problem_with_advice(problem="
                "hazard_card_reports(hazard=hazard_times(hazard=hazard_of_thread(kernel=transpose, "));
}

TEST(Table, GivesTheReasonOfWhatWasNotAssessed) {
  lab::Result result = virtual_transpose();
  result.rows[2].verdict = lab::Verdict::kNotAssessed;
  result.rows[2].reason = Message::verbatim("needs a GPU");
  EXPECT_THAT(table_text(result, {.width = 100}), HasSubstr("naive            needs a GPU.\n"));
  EXPECT_THAT(by_ids(result), HasSubstr("\nverdict_pass_loud()  outcome_not_assessed(outcome=outcome_passed("
                                        "passed=3, count=4), count=1)\n"));
}

TEST(Table, SaysHowMuchOfTheAllowedErrorWasUsed) {
  lab::Result result = virtual_transpose();
  result.rows[2].check->allowed = 1e-6;
  result.rows[2].check->max_error = 3e-8;
  result.rows[3].check->allowed = 1e-6;
  result.rows[3].check->max_error = std::numeric_limits<double>::quiet_NaN();
  std::string text = table_text(result, {.width = 110});
  EXPECT_THAT(text, HasSubstr("3 % of allowed  pass"));
  EXPECT_THAT(text, HasSubstr("NaN             pass"));
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

TEST(Table, ShowsWhatALabAdds) {
  lab::Result result = virtual_transpose();
  result.rows[3].extra = {{"error_order", 3.99}};
  result.notes = {Message::verbatim("The ceiling is a copy.")};
  std::string text = table_text(result, {.width = 110});
  EXPECT_THAT(text, testing::ContainsRegex(" error +ver-\n.* order +dict\n"));
  EXPECT_THAT(text, HasSubstr("3.99"));
  EXPECT_THAT(text, testing::EndsWith("\nThe ceiling is a copy.\n"));
}

// What textures bring is not counted in sectors, and where nobody knows the bytes that are needed there is no
// share.
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
  result.rows[2].printed = "\xc2\x9b\x33\x31m";  // C1 in two bytes of UTF-8
  EXPECT_THAT(table_text(result, {}), HasSubstr("naive printed:\n?31m\n"));
  result.rows[2].verdict = lab::Verdict::kFail;
  result.rows[2].reason = Message::verbatim("\x1b[31m is its name");
  EXPECT_THAT(table_text(result, {}), HasSubstr("?[31m is its name"));
}

TEST(Table, ColoursOnlyWhenAsked) {
  EXPECT_THAT(table_text(virtual_transpose(), {.colour = false}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(table_text(virtual_transpose(), {.colour = true}), HasSubstr("\x1b[32mPASS\x1b[0m"));
}

TEST(Table, OfNothingIsAVerdict) {
  lab::Result result;
  result.lab = "transpose";
  EXPECT_THAT(by_ids(result), HasSubstr("\nverdict_not_assessed_loud()  outcome_nothing_launched()\n"));
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
  EXPECT_THAT(text, HasSubstr("3 of 4 passed"));
}

TEST(Table, AnEmptyOptionIsNotShown) {
  lab::Result result = virtual_transpose();
  result.options = {{"n", std::int64_t{7}}, {"sweep", std::string()}, {"seed", std::int64_t{1}}};
  EXPECT_THAT(table_text(result, {.width = 100}), HasSubstr("n 7, seed 1\n"));
}

}  // namespace
}  // namespace cudalab::report
