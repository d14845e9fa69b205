// Tests the HTML of pages: it contains the results, loads nothing, and stays small. tests/e2e/page_test.cpp
// tests pages in a browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/error.h"
#include "core/measurement.h"
#include "report/page/document.h"
#include "report/page/result_page.h"
#include "report/pictures/renderers.h"
#include "report/sample_results_testing.h"

namespace cudalab::report {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kLargestPage = 5'000'000;

std::string page_of(const lab::Result& result, const std::string& source = "int a;\n") {
  return result_page(result, [&](const lab::Row&) { return source; });
}

WarpRequest scattered(std::mt19937& random) {
  WarpRequest request;
  request.lanes = ~0u;
  request.bytes_per_lane = 4;
  request.transactions = 32;
  request.fewest = 4;
  for (std::uint64_t& address : request.address) address = random() % (1u << 20) * 4;
  return request;
}

// Every request of every line has a different picture: the largest possible page.
lab::Result result_of_many_lines(int rows, int lines) {
  std::mt19937 random(1);
  lab::Result result = virtual_transpose();
  for (int i = 0; i < rows; ++i) {
    lab::Row row = kernel_run("gather-" + std::to_string(i), "gather.cu", {256, 1, 1});
    row.counters = transpose_counters(32, -1);
    auto recording = std::make_shared<Recording>();
    for (int line = 1; line <= lines; ++line) {
      LineRequests made{{"gather.cu", line}, MemorySpace::kGlobal, AccessKind::kLoad, {}, scattered(random)};
      for (std::size_t k = 0; k < kRecordedRequests; ++k) made.first.push_back(scattered(random));
      recording->lines.push_back(std::move(made));
      row.executions.push_back({{"gather.cu", line}, 10, 320, 0, 0, 0});
    }
    row.recording = recording;
    result.rows.push_back(std::move(row));
  }
  return result;
}

TEST(ResultPage, OfSeveralProcessesHoldsEach) {
  std::vector<lab::Result> results{virtual_transpose(), virtual_transpose()};
  results[1].lab = "child";
  const ReadSource read = [](const lab::Row&) { return std::string("int a;\n"); };
  const std::string page = page_of_processes(results, read);
  EXPECT_THAT(page, HasSubstr("<section id=\"process-1-stage-naive\""));
  EXPECT_THAT(page, HasSubstr("<section id=\"process-2-stage-naive\""));
  EXPECT_THAT(page, HasSubstr("<h2>Process 2: child</h2>"));
  results.pop_back();
  EXPECT_EQ(page_of_processes(results, read), result_page(results.front(), read));
}

TEST(ResultPage, HoldsEachStageAndItsSentences) {
  const std::string page = page_of(virtual_transpose());
  EXPECT_THAT(page, HasSubstr("<section id=\"stage-naive\""));
  EXPECT_THAT(result_page(
                  virtual_transpose(), [](const lab::Row&) { return ""; }, Wording::of_ids()),
              HasSubstr("explain_sectors(accesses=accesses_stores(), sectors=32, fewest=4, "));
  EXPECT_THAT(page, HasSubstr("<table class=\"sortable\">"));
}

TEST(ResultPage, LeavesOutColumnsThatSayNothing) {
  lab::Result result = virtual_transpose();
  for (lab::Row& row : result.rows) row.recorded_ms.reset();
  EXPECT_THAT(page_of(result), Not(HasSubstr("\">recorded</button>")));
  result.rows.back().recorded_ms = 1;
  EXPECT_THAT(page_of(result), HasSubstr("\">recorded</button>"));
}

TEST(ResultPage, LeavesNotesAsTheyStand) {
  lab::Result result = virtual_transpose();
  result.notes = {Message::verbatim("out (4 x f32): written.")};
  EXPECT_THAT(page_of(result), HasSubstr("<li>out (4 x f32): written.</li>"));
}

TEST(ResultPage, LoadsNothingFromAnywhere) {
  const std::string page = page_of(result_of_many_lines(1, 2));
  for (const char* what : {"http:", "https:", " src=", "<link", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(what))) << what;
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(ResultPage, StaysBelowFiveMegabytesWhateverWasRecorded) {
  const std::string page = page_of(result_of_many_lines(12, 10));
  EXPECT_LT(page.size(), kLargestPage);
  EXPECT_THAT(page, HasSubstr("data-line=\"10\"")) << "each line has a request at least";
}

// A request with 32 wavefronts, each with a different picture.
TEST(ResultPage, StepsThroughEveryRequestOfTheWorstLine) {
  lab::Result result = result_of_many_lines(1, 4);
  Recording recording = *result.rows.back().recording;
  LineRequests& line = recording.lines.front();
  line.space = MemorySpace::kShared;
  for (std::size_t k = 0; k < line.first.size(); ++k)
    for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
      line.first[k].address[lane] = ((lane * (k + 1)) % 61 * 32 + k % 32) * 4;
  result.rows.back().recording = std::make_shared<Recording>(recording);
  EXPECT_THAT(page_of(result), ContainsRegex("id=\"requests-gather-0-[0-9]\" min=\"0\" max=\"64\""));
}

TEST(ResultPage, TakesTextAsText) {
  lab::Result result = virtual_transpose();
  result.lab = "<script>alert(1)</script>";
  result.notes = {Message::verbatim("a < b & \"c\"")};
  const std::string page = page_of(result);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, HasSubstr("<li>a &lt; b &amp; &quot;c&quot;</li>"));
}

TEST(ResultPage, DoesWithoutASource) {
  const std::string page = result_page(virtual_transpose(), [](const lab::Row&) -> std::string {
    throw usage_error(Message::verbatim("it is gone"));
  });
  EXPECT_THAT(page, HasSubstr("<section id=\"stage-naive\""));
}

TEST(PictureSvg, HasTextForWhoDoesNotSeeIt) {
  SaidPicture picture{"limits",
                      "what <limits> it",
                      {"First.", "Second."},
                      {},
                      SaidBars{{{"a", {{1, Tone::kBad}}, "1 s"}}, 0}};
  const std::string svg = picture_svg(picture);
  EXPECT_THAT(svg, HasSubstr("role=\"img\""));
  EXPECT_THAT(svg, HasSubstr("<title>what &lt;limits&gt; it</title><desc>First. Second.</desc>"));
  EXPECT_THAT(svg, HasSubstr("class=\"t-bad\""));
}

TEST(PictureSvg, DrawsACellALane) {
  SaidCells cells;
  cells.rows = {{"pass 1", {{'a', Tone::kGood, 10}, {'.', Tone::kFaint}}, ""}};
  const std::string svg = picture_svg({"banks", "", {}, {}, cells});
  EXPECT_THAT(svg, HasSubstr(">10</text>")) << "a page has room for the lane's number";
  EXPECT_THAT(svg, ContainsRegex("<path class=\"t-faint\""));
}

TEST(PictureSvg, CellsOfOneToneAreOnePieceUpToAWall) {
  SaidCells cells{.group = 2};
  const Cell faint{'.', Tone::kFaint};
  cells.rows = {{"", {faint, faint, faint, {'a', Tone::kGood, 10}}, ""}};
  const std::string svg = picture_svg({"sectors", "", {}, {}, cells});
  EXPECT_THAT(svg, HasSubstr("<path class=\"t-faint\" d=\"M8 2h29v14h-29zM43 2h14v14h-14z\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"gaps\" d=\"M22.5 2V18M57.5 2V18\"/>"));
}

TEST(PictureSvg, NamesPointsThatLieTogetherOnlyWhereTheNameIsNear) {
  SaidPlot plot;
  for (const char* name : {"a-1", "b-2", "c-3", "d-4", "e-5", "f-6"})
    plot.curves.push_back({name, {{1, 1}}, Tone::kFirst, 'o', true, false});
  plot.curves.push_back({"far", {{1, 9}}, Tone::kFirst, 'o', true, false});
  const std::string svg = picture_svg({"roofline", "", {}, {}, plot});
  for (const char* name : {">a-1<", ">b-2<", ">c-3<", ">far<"}) EXPECT_THAT(svg, HasSubstr(name));
  EXPECT_THAT(svg, Not(HasSubstr(">f-6<")));
}

TEST(Anchors, AreLettersDigitsAndDashes) { EXPECT_EQ(anchor("Stride-2 \"x\""), "stride-2--x-"); }

}  // namespace
}  // namespace cudalab::report
