// Tests each pattern on arrays that have it, and on arrays that must not show it.
#include "lab/verification/patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/diagnostics/message_testing.h"
#include "lab/verification/verification.h"

namespace cudalab::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<float> sample_values(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> values(count);
  for (float& one : values) one = value(random);
  return values;
}

template <class T>
std::vector<Message> patterns(const std::vector<T>& found, const std::vector<T>& expected,
                              const Shape& shape = {}, double allowed = 1e-6) {
  return within<T, T>(found, expected, {{allowed}, {}}, shape).patterns;
}
std::vector<Message> patterns_of_moved(const std::vector<float>& found, const std::vector<float>& expected,
                                       const Shape& shape = {}) {
  return same_bits<float>(found, expected, shape).patterns;
}

// The array whose element i is from[source(i)].
template <class Source>
std::vector<float> moved(const std::vector<float>& from, const Source& source) {
  std::vector<float> made(from.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = from[source(i)];
  return made;
}
template <class Change>
std::vector<float> changed(std::vector<float> values, const Change& change) {
  for (std::size_t i = 0; i < values.size(); ++i) change(i, values[i]);
  return values;
}

TEST(Patterns, OfARightResultAreNone) {
  const auto values = sample_values(100);
  EXPECT_THAT(patterns(values, values), IsEmpty());
}

TEST(Patterns, AreAFactor) {
  const auto values = sample_values(100);
  const auto times = [&](float factor) {
    return patterns(changed(values, [&](std::size_t, float& x) { x *= factor; }), values);
  };
  EXPECT_THAT(times(2), ElementsAre(AllOf(IsMessage("wrong_multiple"), HasArgument("factor", 2))));
  EXPECT_THAT(times(0.25), ElementsAre(AllOf(IsMessage("wrong_fraction"), HasArgument("factor", 4))));
  EXPECT_THAT(times(-1), ElementsAre(IsMessage("wrong_negated")));
  EXPECT_THAT(times(1.7f), ElementsAre(IsMessage("wrong_ratio")));
  EXPECT_THAT(times(0), ElementsAre(IsMessage("wrong_all_zero")));
}

TEST(Patterns, OfASingleResultAreSimpleFactorsOnly) {
  EXPECT_THAT(patterns<double>({6}, {2}),
              ElementsAre(AllOf(IsMessage("wrong_multiple"), HasArgument("factor", 3))));
  EXPECT_THAT(patterns<double>({6.1}, {2}), IsEmpty());
  EXPECT_THAT(patterns<double>({2000}, {2}), IsEmpty()) << "whole by chance";
  EXPECT_THAT(patterns<double>({0}, {2}), IsEmpty());
}

TEST(Patterns, AreADifference) {
  const auto values = sample_values(100);
  EXPECT_THAT(patterns(changed(values, [](std::size_t, float& x) { x += 1; }), values),
              ElementsAre(IsMessage("wrong_difference")));
}

TEST(Patterns, AreALossOfDigits) {
  std::vector<double> values(100), in_float(100), whole(100);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sqrt(static_cast<double>(i) + 1.5);
    in_float[i] = static_cast<float>(values[i]);
    whole[i] = std::trunc(values[i]);
  }
  EXPECT_THAT(patterns(in_float, values, {}, 1e-12), ElementsAre(IsMessage("wrong_single_precision")));
  EXPECT_THAT(patterns(whole, values, {}, 1e-12), ElementsAre(IsMessage("wrong_truncated")));
  EXPECT_THAT(patterns(std::vector<double>(100, NAN), values), ElementsAre(IsMessage("wrong_not_finite")));
}

TEST(Patterns, AreNoSinglePrecisionIfErrorsAreMuchSmaller) {
  EXPECT_THAT(patterns<double>({347.17163027026845}, {347.17163027026925}, {}, 0), IsEmpty());
  EXPECT_THAT(patterns<double>({347.1716308593750}, {347.17163027026925}, {}, 1e-12),
              ElementsAre(IsMessage("wrong_single_precision")));
}

TEST(Patterns, AreNoDifferenceBetweenEvenlySpacedValues) {
  std::vector<float> values(257), before(257);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 2 * static_cast<float>(i);
    before[i] = i > 0 ? values[i - 1] : 0;
  }
  EXPECT_THAT(patterns_of_moved(before, values),
              ElementsAre(AllOf(IsMessage("wrong_shifted_behind"), HasArgument("distance", 1)),
                          IsMessage("wrong_place_from")));
}

TEST(Patterns, AreAnExchangeOnlyIfBothElementsAreWrong) {
  const auto values = sample_values(1000);
  EXPECT_THAT(patterns_of_moved(moved(values, [](std::size_t i) { return i < 477 ? i + 512 : i; }), values),
              ElementsAre(AllOf(IsMessage("wrong_shifted_before"), HasArgument("distance", 512)),
                          IsMessage("wrong_place_up_to")));
}

TEST(Patterns, AreATransposition) {
  constexpr std::size_t kRows = 64, kColumns = 96;
  const auto values = sample_values(kRows * kColumns);
  const Shape shape{kRows, kColumns};
  EXPECT_THAT(
      patterns_of_moved(moved(values, [&](std::size_t i) { return i % kRows * kColumns + i / kRows; }),
                        values, shape),
      ElementsAre(IsMessage("wrong_transposed")));
  const auto in_tile = [&](std::size_t i) {
    const std::size_t row = i / kColumns, column = i % kColumns, y = row % 16, x = column % 16;
    return (row - y + x) * kColumns + column - x + y;
  };
  EXPECT_THAT(patterns_of_moved(moved(values, in_tile), values, shape),
              ElementsAre(AllOf(IsMessage("wrong_transposed_in_tiles"), HasArgument("tile", 16))));
}

TEST(Patterns, AreOtherPlaces) {
  const auto values = sample_values(1000);
  EXPECT_THAT(patterns_of_moved(moved(values, [](std::size_t i) { return 999 - i; }), values),
              ElementsAre(IsMessage("wrong_reversed")));
  EXPECT_THAT(patterns_of_moved(moved(values, [](std::size_t i) { return i < 3 ? i : i - 3; }), values),
              ElementsAre(AllOf(IsMessage("wrong_shifted_behind"), HasArgument("distance", 3)),
                          AllOf(IsMessage("wrong_place_from"), HasArgument("first", 3))));
  EXPECT_THAT(
      patterns_of_moved(moved(values, [](std::size_t i) { return (i ^ 1) < 1000 ? i ^ 1 : i; }), values),
      ElementsAre(AllOf(IsMessage("wrong_exchanged"), HasArgument("distance", 1))));
  EXPECT_THAT(patterns_of_moved(moved(values, [](std::size_t i) { return i * 7 % 1000; }), values),
              testing::Contains(IsMessage("wrong_permuted")));
}

TEST(Patterns, AreRegions) {
  const auto values = sample_values(1000);
  const auto wrong_where = [&](const auto& is_wrong, const Shape& shape = {}) {
    const auto noise = sample_values(1000, 2);
    return patterns(changed(values, [&](std::size_t i, float& x) { x = is_wrong(i) ? noise[i] : x; }), values,
                    shape);
  };
  EXPECT_THAT(wrong_where([](std::size_t i) { return i >= 256; }),
              ElementsAre(AllOf(IsMessage("wrong_place_from"), HasArgument("first", 256))));
  EXPECT_THAT(wrong_where([](std::size_t i) { return i < 32; }), ElementsAre(IsMessage("wrong_place_up_to")));
  EXPECT_THAT(wrong_where([](std::size_t i) { return i % 32 == 31; }),
              ElementsAre(AllOf(IsMessage("wrong_place_every"), HasArgument("step", 32),
                                HasArgument("remainder", 31))));
  EXPECT_THAT(wrong_where([](std::size_t i) { return i % 4 != 1; }),
              ElementsAre(AllOf(IsMessage("wrong_place_all_but_every"), HasArgument("step", 4))));
  EXPECT_THAT(wrong_where([](std::size_t i) { return i % 25 >= 23; }, {40, 25}),
              ElementsAre(AllOf(IsMessage("wrong_place_columns"), HasArgument("first", 23))));
  EXPECT_THAT(wrong_where([](std::size_t i) { return i * 37 % 101 < 30; }), IsEmpty());
}

// A wrong explanation is worse than none.
TEST(Patterns, AreNotFoundInNoise) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto expected = sample_values(5 + seed, seed), found = sample_values(5 + seed, seed + 1000);
    EXPECT_THAT(patterns(found, expected), IsEmpty()) << seed;
    EXPECT_THAT(patterns_of_moved(found, expected), IsEmpty()) << seed;
  }
}

// With few different values, many places agree by chance.
TEST(Patterns, OfFewDifferentValuesTellNothing) {
  std::vector<float> expected(64), found(64);
  for (std::size_t i = 0; i < 64; ++i) {
    expected[i] = static_cast<float>(i % 2);
    found[i] = static_cast<float>((i + 1) % 2);
  }
  EXPECT_THAT(patterns_of_moved(found, expected), IsEmpty());
}

TEST(Patterns, AreTheInputOrTheElementItself) {
  const std::vector<double> in{3, 1, 4, 1, 5, 9}, sums{0, 3, 4, 8, 9, 14}, through{3, 4, 8, 9, 14, 23};
  const auto pattern = [&](std::vector<double> found, std::vector<double> expected) {
    return pattern_of_input({std::move(found), std::move(expected), {0, 1, 2, 3, 4, 5}}, "in", in);
  };
  EXPECT_EQ(pattern(in, sums), msg::wrong_is_input(Code{"in"}));
  EXPECT_EQ(pattern(through, sums), msg::wrong_contains_own(Code{"in"}));
  EXPECT_EQ(pattern(sums, through), msg::wrong_lacks_own(Code{"in"}));
  EXPECT_TRUE(pattern({1, 1, 1, 1, 1, 1}, sums).empty());
  EXPECT_TRUE(pattern_of_input({in, sums, {0, 1, 2}}, "in", in).empty());
  EXPECT_TRUE(pattern_of_input({in, sums, {0, 1, 2, 3}}, "in", {}).empty());
}

TEST(Patterns, AreAnotherOperationOnTheOperands) {
  const std::vector<float> a{1.5f, 2, 3, 4.25f, 5}, b{7, 0.5f, 9, 11, 2.75f};
  const auto pattern = [&](const auto& value) {
    std::vector<float> found(a.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = value(a[i], b[i]);
    return pattern_of_operands(found, {"a", a}, '+', {"b", b});
  };
  EXPECT_EQ(pattern([](float x, float y) { return y - x; }),
            msg::wrong_operation(Code{"b - a"}, Code{"a + b"}));
  EXPECT_EQ(pattern([](float x, float y) { return x * y * 1.000001f; }),
            msg::wrong_operation(Code{"a * b"}, Code{"a + b"}));
  EXPECT_EQ(pattern([](float x, float y) { return std::trunc(x) + std::trunc(y); }),
            msg::wrong_operation(Code{"int(a) + int(b)"}, Code{"a + b"}));
  EXPECT_EQ(pattern([](float, float y) { return y; }), msg::wrong_is_input(Code{"b"}));
  EXPECT_EQ(pattern([](float x, float) { return x + x; }),
            msg::wrong_operation(Code{"a + a"}, Code{"a + b"}));
  EXPECT_TRUE(pattern([](float x, float y) { return x + 2 * y; }).empty());
  EXPECT_TRUE(pattern([](float x, float y) { return x + y; }).empty());
}

}  // namespace
}  // namespace cudalab::lab
