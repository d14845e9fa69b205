// Tests pictures as a terminal shows them: what a newcomer must see, and that everything fits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "lab/result.h"
#include "report/pictures/builders.h"
#include "report/pictures/picture.h"
#include "report/pictures/renderers.h"
#include "report/pictures/show.h"
#include "report/sample_results_testing.h"
#include "report/text/layout.h"

namespace cudalab::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint32_t kAll = ~0u;

WarpRequest strided(std::uint64_t from, std::uint64_t stride, int bytes, std::uint32_t lanes = kAll) {
  WarpRequest request;
  request.lanes = lanes;
  request.bytes_per_lane = bytes;
  request.fewest = static_cast<std::uint32_t>(bytes);
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane) request.address[lane] = from + lane * stride;
  return request;
}

LineRequests requests_in(MemorySpace space, AccessKind kind, const WarpRequest& request) {
  return {{"labs/transpose/1_naive.cu", 22}, space, kind, {request}, request};
}

// Matches a legend entry.
MATCHER_P(Says, id, std::string("says ") + id) { return arg.text.id() == std::string_view(id); }

std::string drawn(const Picture& picture, int width = 100) { return picture_text(picture, {.width = width}); }

// ---- requests ------------------------------------------------------------------------------------------

TEST(SectorsPicture, ShowsWastedBytesOfAColumn) {
  const WarpRequest request = strided(4096, 1024, 4);
  EXPECT_EQ(
      drawn(sectors_picture(requests_in(MemorySpace::kGlobal, AccessKind::kStore, request), request), 60),
      "line 22: store in global memory, 4 bytes per thread; block\n"
      "(0, 0, 0), warp 0\n"
      "lanes 0-3    |0.......|1.......|2.......|3.......|  +0 bytes\n"
      "lanes 4-7    |4.......|5.......|6.......|7.......|  +4 KB\n"
      "lanes 8-11   |8.......|9.......|a.......|b.......|  +8 KB\n"
      "lanes 12-15  |c.......|d.......|e.......|f.......|  +12 KB\n"
      "lanes 16-19  |g.......|h.......|i.......|j.......|  +16 KB\n"
      "lanes 20-23  |k.......|l.......|m.......|n.......|  +20 KB\n"
      "lanes 24-27  |o.......|p.......|q.......|r.......|  +24 KB\n"
      "lanes 28-31  |s.......|t.......|u.......|v.......|  +28 KB\n"
      "  0-9 a-v  lanes 0 to 31 and the bytes that each accesses\n"
      "  .  moved but unused\n"
      "32 sectors of 32 bytes move 1024 bytes, and the threads use\n"
      "128 of them (12 %).\n"
      "With adjacent, aligned accesses, the minimum is 4 sectors.\n");
}

TEST(SectorsPicture, ShowsFullSectorsOfARow) {
  const WarpRequest request = strided(4096, 4, 4);
  const Picture picture =
      sectors_picture(requests_in(MemorySpace::kGlobal, AccessKind::kLoad, request), request);
  EXPECT_THAT(drawn(picture), HasSubstr("lanes 0-31  |01234567|89abcdef|ghijklmn|opqrstuv|  +0 bytes\n"));
  EXPECT_THAT(picture.legend, ElementsAre(Says("legend_bytes_of_lanes")));
  EXPECT_THAT(picture.caption, ElementsAre(AllOf(IsMessage("picture_sectors"), HasArgument("sectors", 4))));
}

TEST(SectorsPicture, SaysWhatItIsOf) {
  const WarpRequest request = strided(4096, 4, 4);
  const LineRequests line = requests_in(MemorySpace::kGlobal, AccessKind::kLoad, request);
  EXPECT_EQ(with_ids(sectors_picture(line, request).title),
            "picture_request(access=picture_access_of_line(line=22, access=access_load(), "
            "memory=memory_global(), bytes=4), place=warp_of_block(block=block (0, 0, 0), warp=0))");
}

TEST(SectorsPicture, OneSectorMoves) {
  const WarpRequest request = strided(4096, 0, 4);
  EXPECT_THAT(drawn(sectors_picture(requests_in(MemorySpace::kGlobal, AccessKind::kLoad, request), request)),
              HasSubstr("1 sector of 32 bytes moves 32 bytes, and the threads use 4 of them (12 %).\n"));
}

TEST(SectorsPicture, ShowsWhatAnOffsetAdds) {
  const WarpRequest request = strided(4096 + 12, 4, 4);
  EXPECT_THAT(drawn(sectors_picture(requests_in(MemorySpace::kGlobal, AccessKind::kLoad, request), request)),
              HasSubstr("lanes 0-28   |...01234|56789abc|defghijk|lmnopqrs|  +0 bytes\n"
                        "lanes 29-31  |tuv.....|  +128 bytes\n"));
}

TEST(SectorsPicture, ShowsBytesOfSmallElementsAndLanesThatShareOne) {
  const WarpRequest bytes = strided(4096, 2, 1);
  EXPECT_THAT(drawn(sectors_picture(requests_in(MemorySpace::kGlobal, AccessKind::kLoad, bytes), bytes)),
              HasSubstr("lanes 0-15   |0.1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.|"));
  const WarpRequest one = strided(4096, 0, 4);
  EXPECT_THAT(drawn(sectors_picture(requests_in(MemorySpace::kGlobal, AccessKind::kLoad, one), one)),
              HasSubstr("|+.......|"));
}

TEST(SectorsPicture, StandsOnTheCardsOrderOfLocalMemory) {
  const WarpRequest request = strided(8, 0, 4);  // the same variable of every thread
  EXPECT_THAT(drawn(sectors_picture(requests_in(MemorySpace::kLocal, AccessKind::kLoad, request), request)),
              HasSubstr("|01234567|89abcdef|ghijklmn|opqrstuv|"));
}

TEST(SectorsPicture, LeavesOutLanesThatTookNoPart) {
  const WarpRequest request = strided(4096, 4, 4, 0x0000000f);
  EXPECT_THAT(drawn(sectors_picture(requests_in(MemorySpace::kGlobal, AccessKind::kLoad, request), request)),
              HasSubstr("lanes 0-3  |0123....|  +0 bytes\n"));
}

TEST(BanksPicture, ShowsAColumnOfConflictsAndNoneOfThePaddedTile) {
  const WarpRequest column = strided(0, 128, 4), padded = strided(0, 132, 4);
  const std::string conflicts =
      drawn(banks_picture(requests_in(MemorySpace::kShared, AccessKind::kLoad, column), column));
  EXPECT_THAT(conflicts, HasSubstr("bank          0       4       8 "));
  EXPECT_THAT(conflicts, HasSubstr("wavefront 32  v . . . ."));
  EXPECT_THAT(banks_picture(requests_in(MemorySpace::kShared, AccessKind::kLoad, column), column).caption,
              ElementsAre(AllOf(IsMessage("picture_passes_wait"), HasArgument("passes", 32),
                                HasArgument("fewest", 1))));
  const std::string none =
      drawn(banks_picture(requests_in(MemorySpace::kShared, AccessKind::kLoad, padded), padded));
  EXPECT_THAT(none,
              HasSubstr("wavefront 1  0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n o p q r s t u v\n"));
  EXPECT_THAT(none, Not(HasSubstr("wavefront 2")));
}

TEST(BanksPicture, IsNarrowerWhereTheTerminalIs) {
  const WarpRequest same = strided(0, 0, 4);
  const Picture picture = banks_picture(requests_in(MemorySpace::kShared, AccessKind::kLoad, same), same);
  EXPECT_THAT(drawn(picture, 80), HasSubstr("wavefront 1  0+. . ."));
  EXPECT_THAT(drawn(picture, 60), HasSubstr("wavefront 1  +....."));
}

// ---- wrong elements ------------------------------------------------------------------------------------

template <class IsWrong>
lab::WrongMap map_of(std::int64_t rows, std::int64_t columns, bool is_vector, IsWrong is_wrong) {
  lab::WrongMap map{rows * columns, rows, columns, is_vector, {}, {}};
  for (lab::WrongArea* area : {&map.whole, &map.near}) {
    area->rows = rows;
    area->columns = columns;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) area->wrong.push_back(is_wrong(row, column));
  }
  return map;
}

TEST(WrongPattern, NamesRowsColumnsAndEdges) {
  const auto pattern = [](auto is_wrong) { return wrong_pattern(map_of(16, 32, false, is_wrong)); };
  EXPECT_EQ(with_ids(pattern([](auto row, auto) { return row % 2 == 1; })),
            "pattern_every_row(ordinal=ordinal_second(number=2), rows=1, 3, 5, ...)");
  EXPECT_EQ(with_ids(pattern([](auto, auto column) { return column >= 24; })),
            "pattern_columns_from(first=24)");
  EXPECT_EQ(with_ids(pattern([](auto, auto column) { return column % 8 == 7; })),
            "pattern_every_column(ordinal=ordinal_other(number=8), columns=7, 15, 23, ...)");
  EXPECT_EQ(with_ids(pattern([](auto row, auto column) { return row == 3 && column < 5; })),
            "pattern_of_row(columns=pattern_columns(first=0, last=4), row=3)");
  EXPECT_THAT(pattern([](auto, auto) { return true; }), IsMessage("pattern_all"));
  EXPECT_TRUE(pattern([](auto row, auto column) { return row == column; }).empty())
      << "a diagonal is neither";
}

TEST(MatrixPicture, MarksWrongElementsAndSaysHowMany) {
  lab::Row row = kernel_run("naive", "1_naive.cu", {32, 8, 1});
  EXPECT_THAT(matrix_pictures(row), IsEmpty());
  row.check->mismatches = 8;
  row.check->wrong = std::make_shared<lab::WrongMap>(
      map_of(4, 4, false, [](std::int64_t r, std::int64_t) { return r % 2 == 1; }));
  const std::vector<Picture> pictures = matrix_pictures(row);
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(drawn(pictures[0]),
            "8 of 16 elements wrong\n"
            "row  0\n"
            "0    ....\n"
            "1    XXXX\n"
            "2    ....\n"
            "3    XXXX\n"
            "  .  right\n"
            "  X  wrong\n"
            "Wrong here: every 2nd row (1, 3).\n");
}

// ---- divergence ----------------------------------------------------------------------------------------

TEST(DivergencePicture, ShowsWhichLanesGoOnAndWhichWait) {
  Recording recording;
  recording.warps = {
      {{0, 0, 0}, 0, kAll, {{0, 4, kAll, kAll, {"a.cu", 3}}}},
      {{0, 0, 0}, 1, kAll, {{0, 4, kAll, kAll, {"a.cu", 3}}, {4, 8, 0x0f, 0xffff, {"a.cu", 5}}}}};
  const WarpPaths* warp = telling_warp(recording, "a.cu", 0);
  ASSERT_NE(warp, nullptr);
  EXPECT_EQ(warp->warp, 1u);
  EXPECT_EQ(telling_warp(recording, "a.cu", 4), nullptr);
  const std::string text = drawn(divergence_picture(*warp));
  EXPECT_THAT(text, HasSubstr("line 3  0123456789abcdefghijklmnopqrstuv  4 instructions\n"));
  EXPECT_THAT(text, HasSubstr("line 5  0123............                  4 instructions\n"));
  EXPECT_THAT(divergence_picture(*warp).caption,
              ElementsAre(AllOf(IsMessage("picture_lanes_worked"), HasArgument("share", "56 %"))));
}

// ---- shuffles ------------------------------------------------------------------------------------------

TEST(ExchangesPicture, ShowsWhoseValueEachLaneGets) {
  LaneExchange down{0x0000ffff, {}, ExchangeKind::kShuffle};
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
    down.from[lane] = static_cast<std::uint8_t>(lane < 8 ? lane + 8 : lane);
  Recording recording;
  recording.exchanges = {{{"a.cu", 4}, {0, 0, 0}, 0, {down}}, {{"a.cu", 7}, {0, 0, 0}, 1, {down, down}}};
  EXPECT_THAT(telling_exchanges(recording, "a.cu", 0), ElementsAre(&recording.exchanges[1]));
  EXPECT_THAT(telling_exchanges(recording, "a.cu", 4), ElementsAre(&recording.exchanges[0]));
  EXPECT_THAT(telling_exchanges(recording, "a.cu", 5), IsEmpty());
  const Picture picture = exchanges_picture(recording.exchanges[0]);
  EXPECT_THAT(picture.title, AllOf(IsMessage("picture_shuffles"), HasArgument("line", 4),
                                   HasArgument("place", "block (0, 0, 0), warp 0")));
  EXPECT_THAT(drawn(picture),
              HasSubstr("shuffle 1  89abcdef89abcdef................  8 from another lane\n"));
}

// In lanes 8 to 31, the odd lanes vote yes; the lanes have the values 0 to 4.
TEST(ExchangesPicture, ShowsVotesAndGroups) {
  LaneExchange vote{~0xffu, {}, ExchangeKind::kVote}, match{~0xffu, {}, ExchangeKind::kMatch},
      sum{~0u, {}, ExchangeKind::kReduction};
  for (std::size_t lane = 8; lane < kRecordedLanes; ++lane) {
    vote.from[lane] = lane % 2;
    match.from[lane] = static_cast<std::uint8_t>(8 + (lane - 8) % 5);
  }
  Recording recording;
  recording.exchanges = {{{"a.cu", 4}, {0, 0, 0}, 0, {vote, match}}, {{"a.cu", 7}, {0, 0, 0}, 0, {sum}}};
  EXPECT_THAT(telling_exchanges(recording, "a.cu", 0),
              ElementsAre(&recording.exchanges[0], &recording.exchanges[1]));
  const Picture picture = exchanges_picture(recording.exchanges[0]);
  const std::string text = drawn(picture);
  EXPECT_THAT(picture.title, IsMessage("picture_exchanges"));
  EXPECT_THAT(text, HasSubstr("vote 1   ........-#-#-#-#-#-#-#-#-#-#-#-#  12 of 24 yes\n"));
  EXPECT_THAT(text, HasSubstr("match 2  ........89abc89abc89abc89abc89ab  5 values\n"));
  EXPECT_THAT(picture.legend, Contains(Says("legend_lanes_idle")));
  const Picture all = exchanges_picture(recording.exchanges[1]);
  EXPECT_THAT(drawn(all), HasSubstr("reduction 1  00000000000000000000000000000000  32 into 1\n"));
  EXPECT_THAT(all.legend, Not(Contains(Says("legend_lanes_idle"))));
}

// ---- limits --------------------------------------------------------------------------------------------

TEST(LimitsPicture, CountsAsOneSays) {
  lab::Row row;
  row.prediction = Prediction{.card = "h200", .ms = 0.001};
  row.prediction->limits = {{"launch", 0.7, 1, 1, "blocks"}, {"latency", 0.2, 700, 1, "clocks"}};
  const std::string text = drawn(*limits_picture(row));
  EXPECT_THAT(text, HasSubstr(" 70 %  1 block\n"));
  EXPECT_THAT(text, HasSubstr(" 20 %  700 cycles\n"));
}

// ---- axes ----------------------------------------------------------------------------------------------

TEST(Ticks, AreRoundNumbersThatHoldAllValues) {
  EXPECT_THAT(scale_for({3, 47}, false, 6).ticks, ElementsAre(0, 10, 20, 30, 40, 50));
  EXPECT_THAT(scale_for({0.02, 0.11}, false, 4).ticks,
              ElementsAre(0, DoubleEq(0.05), 0.1, testing::DoubleNear(0.15, 1e-12)));
  EXPECT_THAT(scale_for({100, 104}, false, 3).ticks, ElementsAre(100, 102, 104)) << "far from 0";
  EXPECT_THAT(scale_for({3e-9, 0.5}, true, 12).ticks.size(), 10u);
  EXPECT_THAT(scale_for({16, 512}, true, 8).ticks, ElementsAre(10, 20, 50, 100, 200, 500, 1000));
  EXPECT_THAT(scale_for({0.3, 4}, true, 8).ticks, ElementsAre(DoubleEq(0.2), 0.5, 1, 2, 5));
  EXPECT_THAT(scale_for({16, 512}, true, 6).ticks, ElementsAre(10, 100, 1000)) << "too many";
  EXPECT_THAT(scale_for({20, 20}, true, 6).ticks, ElementsAre(20, 50)) << "one value";
  EXPECT_THAT(scale_for({0, -1}, true, 5).ticks, Not(IsEmpty())) << "no logarithm of what is not positive";
}

TEST(Ticks, HaveShortNames) {
  EXPECT_EQ(tick_text(0), "0");
  EXPECT_EQ(tick_text(0.25), "0.25");
  EXPECT_EQ(tick_text(4096), "4096");
  EXPECT_EQ(tick_text(1e6), "1e6");
  EXPECT_EQ(tick_text(2e-9), "2e-9");
  EXPECT_EQ(tick_text(0.1, scale_for({1e-8, 0.1}, true, 20)), "1e-1") << "as its neighbours";
  EXPECT_EQ(tick_text(0.1, scale_for({0.01, 10}, true, 20)), "0.1");
  EXPECT_EQ(tick_text(2000, scale_for({1000, 1e6}, true, 20)), "2e3");
}

// ---- charts --------------------------------------------------------------------------------------------

lab::Figure errors_by_n() {
  auto chart = std::make_shared<lab::Chart>();
  chart->x = {"n", "", true};
  chart->y = {"error", "", true};
  chart->curves = {{"trapezoid", {{10, 1e-2}, {100, 1e-4}, {1000, 1e-6}}}};
  chart->slopes = {{"order 2", -2}};
  return {Message::verbatim("Error against n"), {}, {}, chart};
}

TEST(CurvePicture, HasAxesWithNamesAndDecades) {
  const auto picture = curve_picture(errors_by_n());
  ASSERT_TRUE(picture);
  const std::string text = drawn(*picture, 60);
  EXPECT_THAT(text, HasSubstr("\nerror\n"));
  EXPECT_THAT(text, HasSubstr(" 1e-3+"));
  EXPECT_THAT(text, HasSubstr("1e-5+"));
  EXPECT_THAT(picture->legend, Contains(Says("legend_slopes")));
  EXPECT_FALSE(curve_picture(lab::Figure{Message::verbatim("bars"), {"#"}, {}, nullptr}));
}

TEST(TimePicture, SaysHowTheTimeGrows) {
  auto chart = std::make_shared<lab::Chart>();
  chart->x = {"rows = cols", "", true};
  chart->y = {"predicted time", "us", true};
  chart->curves = {{"naive", {{256, 4}, {512, 6}, {1024, 21}}}, {"level", {{256, 4}, {512, 4}, {1024, 4.1}}}};
  chart->slopes = {{"rows^2", 2}};
  lab::Result result;
  result.figures = {errors_by_n(), {Message::verbatim("Predicted time"), {}, {}, chart, true}};
  const auto shown = pictures_of("time", 0, result, nullptr);
  ASSERT_EQ(shown.size(), 1u) << "and no other curve";
  const std::string text = drawn(shown.front().picture, 90);
  EXPECT_THAT(text, HasSubstr("predicted time [us]\n"));
  EXPECT_THAT(shown.front().picture.caption,
              ElementsAre(AllOf(IsMessage("picture_time_grows"), HasArgument("stage", "naive"),
                                HasArgument("size", "rows"), HasArgument("from", 512),
                                HasArgument("to", 1024), HasArgument("factor", 3.5)),
                          AllOf(IsMessage("picture_time_level"), HasArgument("stages", "level"))));
  EXPECT_THAT(text,
              HasSubstr("naive: from rows 512 to 1024, the time grows by a factor of 3.5, as rows^1.81."));
  EXPECT_EQ(pictures_of("curve", 0, result, nullptr).size(), 1u);
}

TEST(TimePicture, HasItsSlopeBelowTheLowestCurve) {
  auto chart = std::make_shared<lab::Chart>();
  chart->x = {"n", "", true};
  chart->y = {"time", "us", true};
  chart->curves = {{"a", {{1, 5}, {1000, 400}}}, {"b", {{1, 5}, {1000, 100}}}};
  chart->slopes = {{"n", 1}};
  const Picture picture = *curve_picture({Message::verbatim("Time"), {}, {}, chart, true});
  const Curve& slope = std::get<Plot>(picture.body).curves.front();
  EXPECT_THAT(slope.points,
              ElementsAre(testing::Pair(testing::DoubleNear(83.3, 0.1), testing::DoubleNear(5, 1e-9)),
                          testing::Pair(1000, 60)));
}

TEST(CurvePicture, LeavesOutWhatALogarithmHasNoPlaceFor) {
  lab::Figure figure = errors_by_n();
  auto chart = std::make_shared<lab::Chart>(*figure.chart);
  chart->slopes.clear();
  chart->curves = {{"exact", {{10, 0}, {100, 0}}}, {"other", {{10, 1e-2}, {100, 1e-3}}}};
  figure.chart = chart;
  Picture picture = *curve_picture(figure);
  picture.legend.clear();
  EXPECT_THAT(drawn(picture, 60), Not(HasSubstr("|o")));
  EXPECT_THAT(drawn(picture, 60), Not(HasSubstr("+o")));
}

TEST(TimelinePicture, ShowsStreamsOfAProgram) {
  device::ProgramLog log;
  log.timeline = {{"cudaMemcpyAsync", CopyDirection::kToDevice, 0, 1, {1.0, 2.0}},
                  {"scale", std::nullopt, 0, 1, {2.0, 3.0}},
                  {"cudaMemcpyAsync", CopyDirection::kToDevice, 0, 2, {2.0, 3.0}}};
  const auto picture = timeline_picture(log);
  ASSERT_TRUE(picture);
  const std::string text = drawn(*picture, 60);
  EXPECT_THAT(text, HasSubstr("stream 1  >>>>>>>>>>>>>>>>>>>>>>>>"));
  EXPECT_THAT(text, HasSubstr("stream 2  ........................"));
  EXPECT_THAT(picture->legend, Contains(Says("legend_copy_to_card")));
}

TEST(TimelinePicture, LeavesOutTheTickThatHasNoRoom) {
  device::ProgramLog log;
  log.timeline = {{"k", std::nullopt, 0, 0, {0, 0.0125}}};
  const std::string text = drawn(*timeline_picture(log), 60);
  EXPECT_THAT(text, HasSubstr("  ms\n"));
  EXPECT_THAT(text, Not(HasSubstr("...  ms")));
}

// ---- all -----------------------------------------------------------------------------------------------

std::size_t widest_line(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : lines_in(text)) width = std::max(width, columns_of(line));
  return width;
}

TEST(Pictures, FitIntoSixtyColumns) {
  const WarpRequest column = strided(0, 128, 4), wide = strided(0, 16, 16);
  std::vector<Picture> pictures{
      banks_picture(requests_in(MemorySpace::kShared, AccessKind::kLoad, column), column),
      banks_picture(requests_in(MemorySpace::kShared, AccessKind::kStore, wide), wide),
      sectors_picture(requests_in(MemorySpace::kGlobal, AccessKind::kLoad, wide), wide),
      *curve_picture(errors_by_n())};
  for (const ShownPicture& shown : pictures_of("limits", 0, virtual_transpose(), nullptr))
    pictures.push_back(shown.picture);
  for (const Picture& picture : pictures)
    EXPECT_LE(widest_line(drawn(picture, 60)), 60u) << drawn(picture, 60);
}

TEST(Pictures, SayWhyThereIsNone) {
  const lab::Result result = virtual_transpose();
  for (const PictureKind& kind : picture_kinds()) {
    if (!pictures_of(kind.name, 0, result, [](const lab::Row&) { return ""; }).empty()) continue;
    EXPECT_THAT(why_no_picture(kind.name, 0, result), IsMessage("no_picture")) << kind.name;
  }
  EXPECT_THAT(why_no_picture("banks", 12, result),
              AllOf(HasArgument("picture", "`banks`"), MentionsMessage("no_picture_of_line"),
                    MentionsMessage("no_picture_without_shared_memory"), HasArgument("line", 12)));
}

}  // namespace
}  // namespace cudalab::report
