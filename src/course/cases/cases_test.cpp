// Tests drawn cases (reproducible, within their ranges, often at edges) and the shrinking of failing cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/diagnostics/message_testing.h"
#include "course/cases/ranges.h"
#include "course/exercise.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

lab::Lab matrix_lab() {
  lab::Lab lab;
  lab.name = "matrix";
  lab.options = {lab::integer("rows", "", 1, 1, 1'000'000), lab::integer("cols", "", 1, 1, 1'000'000),
                 lab::integer("tile", "", 16, 1, 32), lab::integer("shift", "", 0, 0, 1'000'000),
                 lab::choice("type", "", "f32", {"f32", "f64"})};
  return lab;
}

Ranges ranges_of(const char* text, const char* together = "[]") {
  const lab::Lab lab = matrix_lab();
  Ranges ranges = ranges_from(Json::parse(text), lab, Message::verbatim("here"));
  ranges.together = together_from(Json::parse(together), ranges, Message::verbatim("here"));
  return ranges;
}

Ranges matrix_ranges() {
  return ranges_of(R"({"rows": {"from": 1, "to": 70000}, "cols": {"from": 1, "to": 70000},
                       "tile": {"of": [8, 16, 32], "compiled": true},
                       "shift": {"from": 0, "to": 500, "below": "rows"},
                       "type": {"of": ["f32", "f64"], "compiled": true}})",
                   R"([{"options": ["rows", "cols"], "at_most": 80000}])");
}

std::int64_t number(const Case& options, std::string_view name) {
  for (const auto& [option, value] : options)
    if (option == name) return std::get<std::int64_t>(value);
  throw std::out_of_range(std::string(name));
}

std::vector<Case> many_cases() {
  std::vector<Case> all;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (Case& drawn : draw_cases(matrix_ranges(), seed, "padded-tile")) all.push_back(std::move(drawn));
  return all;
}

TEST(Draw, DependsOnlyOnSeedAndName) {
  EXPECT_EQ(draw_cases(matrix_ranges(), 7, "a"), draw_cases(matrix_ranges(), 7, "a"));
  EXPECT_NE(draw_cases(matrix_ranges(), 7, "a"), draw_cases(matrix_ranges(), 8, "a"));
  EXPECT_NE(draw_cases(matrix_ranges(), 7, "a"), draw_cases(matrix_ranges(), 7, "b"));
  EXPECT_TRUE(draw_cases({}, 7, "a").empty());
}

TEST(Draw, StaysWithinItsRanges) {
  for (const Case& drawn : many_cases()) {
    EXPECT_TRUE(is_within(drawn, matrix_ranges())) << describe(drawn);
    EXPECT_LE(number(drawn, "rows") * number(drawn, "cols"), 80'000) << describe(drawn);
    EXPECT_LT(number(drawn, "shift"), number(drawn, "rows")) << describe(drawn);
  }
  const Ranges blocks = ranges_of(R"({"rows": {"from": 32, "to": 1000, "multiple_of": 32}})");
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const Case& drawn : draw_cases(blocks, seed, "")) EXPECT_EQ(number(drawn, "rows") % 32, 0);
}

TEST(Draw, HasAtMostTwoVariantsOfCompiledValues) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::set<std::string> variants;
    for (const Case& drawn : draw_cases(matrix_ranges(), seed, ""))
      variants.insert(describe({drawn[2], drawn[4]}));
    EXPECT_EQ(variants.size(), kVariants);
  }
}

TEST(Draw, PrefersEdges) {
  int ones = 0, large = 0, wide = 0, high = 0, beside_a_tile = 0;
  for (const Case& drawn : many_cases()) {
    const std::int64_t rows = number(drawn, "rows"), cols = number(drawn, "cols"),
                       tile = number(drawn, "tile");
    ones += rows == 1 || cols == 1;
    large += rows * cols > 65'536;
    wide += cols > 4 * rows;
    high += rows > 4 * cols;
    beside_a_tile +=
        rows % tile == 1 || rows % tile == tile - 1 || cols % tile == 1 || cols % tile == tile - 1;
  }
  for (const int found : {ones, large, wide, high, beside_a_tile}) EXPECT_GT(found, 100);
}

TEST(Draw, ReachesEachValueOfAList) {
  std::set<std::string> types;
  for (const Case& drawn : many_cases()) types.insert(std::get<std::string>(drawn.back().second));
  EXPECT_EQ(types, (std::set<std::string>{"f32", "f64"}));
}

// ---- consecutive sizes ----------------------------------------------------------------------------------

std::set<std::int64_t> remainders(const std::vector<Case>& cases, const char* option, std::int64_t divisor) {
  std::set<std::int64_t> found;
  for (const Case& drawn : cases) found.insert(number(drawn, option) % divisor);
  return found;
}

TEST(InARow, EverySizeHasEveryRemainder) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<Case> cases = draw_consecutive(matrix_ranges(), seed, "padded-tile");
    for (const char* option : {"rows", "cols", "shift"})
      for (std::int64_t divisor = 2; divisor <= kInARow; ++divisor)
        ASSERT_EQ(remainders(cases, option, divisor).size(), static_cast<std::size_t>(divisor))
            << option << " by " << divisor << ", seed " << seed;
  }
}

TEST(InARow, StaysWithinItsRangesAndIsSmall) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const Case& drawn : draw_consecutive(matrix_ranges(), seed, "padded-tile")) {
      EXPECT_TRUE(is_within(drawn, matrix_ranges())) << describe(drawn);
      EXPECT_LT(number(drawn, "rows") * number(drawn, "cols"), 50'000) << describe(drawn);
    }
}

TEST(InARow, UsesTheCompiledValuesOfTheDraw) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::set<std::string> drawn, in_a_row;
    for (const Case& each : draw_cases(matrix_ranges(), seed, "a"))
      drawn.insert(describe({each[2], each[4]}));
    for (const Case& each : draw_consecutive(matrix_ranges(), seed, "a"))
      in_a_row.insert(describe({each[2], each[4]}));
    EXPECT_EQ(in_a_row.size(), 1u);
    EXPECT_TRUE(drawn.contains(*in_a_row.begin()));
  }
}

TEST(InARow, UsesTheVariantWithMostValuesAndAllValuesOfASmallRange) {
  const Ranges ranges = ranges_of(
      R"({"rows": {"from": 1, "to": 300}, "cols": {"of": [2, 1000], "compiled": true},
          "shift": {"from": 3, "to": 7}})",
      R"([{"options": ["rows", "cols"], "at_most": 2000}])");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Case> cases = draw_consecutive(ranges, seed, "");
    EXPECT_EQ(cases.size(), static_cast<std::size_t>(kInARow));
    for (const Case& drawn : cases) EXPECT_EQ(number(drawn, "cols"), 2) << describe(drawn);
    EXPECT_EQ(remainders(cases, "shift", 100), (std::set<std::int64_t>{3, 4, 5, 6, 7}));
  }
}

TEST(InARow, IsOnlyForSizes) {
  EXPECT_TRUE(draw_consecutive({}, 1, "a").empty());
  EXPECT_TRUE(draw_consecutive(ranges_of(R"({"tile": {"of": [8, 16]}})"), 1, "a").empty());
  EXPECT_TRUE(draw_consecutive(ranges_of(R"({"rows": {"from": 32, "to": 1024, "multiple_of": 32}})"), 1, "a")
                  .empty());
}

TEST(Shrinking, FindsTheSmallestNumberWithARemainder) {
  const Case failing{{"rows", std::int64_t{17 + 32 * 99}}, {"cols", std::int64_t{33}}};
  const auto fails = [](const Case& options) {
    return number(options, "rows") % 32 == 17 && number(options, "cols") % 7 == 5;
  };
  Ranges ranges = matrix_ranges();
  ranges.together.clear();
  EXPECT_EQ(describe(smallest(failing, ranges, fails)), "rows 17, cols 5");
}

TEST(Shrinking, FindsTheSmallestOfEachNumber) {
  const Case failing{
      {"rows", std::int64_t{60'000}}, {"cols", std::int64_t{40'001}}, {"tile", std::int64_t{32}}};
  Ranges ranges = matrix_ranges();
  ranges.together.clear();
  const auto fails = [](const Case& options) {
    return number(options, "rows") > 1024 && number(options, "cols") * 2 > number(options, "tile");
  };
  EXPECT_EQ(describe(smallest(failing, ranges, fails)), "rows 1025, cols 17, tile 32");
}

TEST(Shrinking, ReturnsACaseThatFails) {
  const Case failing{{"rows", std::int64_t{77}}, {"shift", std::int64_t{76}}};
  const auto fails = [](const Case& options) { return number(options, "rows") % 2 == 1; };
  const Case found = smallest(failing, matrix_ranges(), fails);
  EXPECT_TRUE(fails(found));
  EXPECT_TRUE(is_within(found, matrix_ranges()));
  EXPECT_EQ(
      describe(smallest(failing, matrix_ranges(), [&](const Case& options) { return options == failing; })),
      "rows 77, shift 76");
}

TEST(Shrinking, EndsForAnyPatternOfFailures) {
  int asked = 0;
  smallest({{"rows", std::int64_t{70'000}}, {"cols", std::int64_t{1}}}, matrix_ranges(), [&](const Case&) {
    ++asked;
    return false;
  });
  EXPECT_LT(asked, 100);
}

TEST(Draw, KeepsWhatIsDividedByAnotherWhicheverIsDrawnFirst) {
  const Ranges ranges = ranges_of(R"({"rows": {"from": 1, "to": 70000}, "cols": {"from": 1, "to": 1024}})",
                                  R"([{"options": ["rows"], "per": "cols", "at_most": 100}])");
  std::int64_t largest = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const Case& options : draw_cases(ranges, seed, "name")) {
      EXPECT_TRUE(is_within(options, ranges)) << describe(options);
      largest = std::max(largest, number(options, "rows"));
    }
  EXPECT_GT(largest, 65'536);
}

TEST(Ranges, NameTheWrongKey) {
  const auto refusal = [](const char* ranges, const char* together = "[]") {
    return refused([&] { ranges_of(ranges, together); });
  };
  EXPECT_THAT(refusal(R"({"depth": {"from": 1}})"),
              MentionsMessage("lab_lacks_option", {{"option", "depth"}}));
  EXPECT_THAT(refusal(R"({"rows": {"form": 1}})"), MentionsMessage("range_key_unknown", {{"key", "form"}}));
  EXPECT_THAT(refusal(R"({"rows": {"from": 9, "to": 3}})"),
              MentionsMessage("range_empty", {{"least", 9}, {"most", 3}}));
  EXPECT_THAT(refusal(R"({"tile": {"from": 1, "to": 64}})"),
              IsMessage("option_out_of_range", {{"option", "tile"}}));
  EXPECT_THAT(refusal(R"({"tile": {"of": [8, "x"]}})"), MentionsMessage("range_option_cannot_be"));
  EXPECT_THAT(refusal(R"({"type": {"from": 1}})"), MentionsMessage("range_needs_list"));
  EXPECT_THAT(refusal(R"({"rows": 3})"), MentionsMessage("range_no_object"));
  for (const char* together : {R"([{"options": ["cols"], "at_most": 3}])",
                               R"([{"options": ["rows"], "per": "cols", "at_most": 3}])"})
    EXPECT_THAT(refusal(R"({"rows": {"from": 1}})", together),
                MentionsMessage("together_without_range", {{"option", "\"cols\""}}));
  EXPECT_THAT(refusal(R"({"rows": {"from": 1}})", R"([{"options": ["rows"]}])"),
              MentionsMessage("together_lacks_most"));
}

}  // namespace
}  // namespace cudalab::course
