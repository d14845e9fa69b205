// Tests what passes and what fails: bits, bounds, NaN, infinities; and the place of the first wrong element.
#include "lab/verification/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "core/diagnostics/message_testing.h"
#include "lab/random.h"

namespace cudalab::lab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Check bits(const std::vector<T>& found, const std::vector<T>& expected, const Shape& shape = {}) {
  return same_bits<T>(found, expected, shape);
}
template <class T, class R = double>
Check bounded(const std::vector<T>& found, const std::vector<R>& expected, std::vector<double> allowed,
              const Shape& shape = {}) {
  return within<T, R>(found, expected, Allowed{std::move(allowed), Message::verbatim("test")}, shape);
}

TEST(SameBits, EqualPasses) {
  const Check check = bits<float>({1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(check.mismatches, 0u);
  EXPECT_EQ(check.compared, 3u);
  EXPECT_EQ(check.max_error, 0);
  EXPECT_FALSE(check.first_mismatch);
}

TEST(SameBits, TheSmallestDifferenceFails) {
  const Check check = bits<float>({1, std::nextafter(2.0f, 3.0f)}, {1, 2});
  EXPECT_EQ(check.mismatches, 1u);
  EXPECT_EQ(check.first_mismatch->found, "2.0000002");
  EXPECT_EQ(check.first_mismatch->expected, "2");
}

TEST(SameBits, SignOfZeroCountsAndNanEqualsItself) {
  EXPECT_EQ(bits<float>({-0.0f}, {0.0f}).mismatches, 1u);
  EXPECT_EQ(bits<float>({kNan}, {kNan}).mismatches, 0u);
  EXPECT_EQ(bits<float>({kNan}, {1}).mismatches, 1u);
}

TEST(SameBits, FindsTheFirstOfManyOnAllThreads) {
  const auto expected = random_values<double>(300 * 1000, 5);
  auto found = expected;
  for (const std::size_t wrong : {123456u, 123457u, 299999u}) found[wrong] += 1;
  const Check check = same_bits<double>(found, expected, {300, 1000});
  EXPECT_EQ(check.mismatches, 3u);
  EXPECT_EQ(check.first_mismatch->at, (std::vector<std::int64_t>{123, 456}));
}

TEST(SameBits, SaysWhatWasNeverWritten) {
  const float poison = std::bit_cast<float>(0xffffffffu);
  EXPECT_THAT(describe(bits<float>({1, poison}, {1, 2}, {1, 2})),
              testing::AllOf(IsMessage("first_unwritten"), MentionsMessage("elements_wrong"),
                             HasArgument("count", Argument(1)), HasArgument("element", Argument("[0][1]")),
                             HasArgument("expected", Argument("2"))));
  EXPECT_EQ(bits<float>({poison}, {2}).first_mismatch->found, "nan");
  EXPECT_TRUE(bits<int>({static_cast<int>(0xa5a5a5a5)}, {2}).first_mismatch->never_written);
  EXPECT_FALSE(bits<int>({-1}, {2}).first_mismatch->never_written);
}

TEST(SameBits, BytesAreShownAsNumbers) {
  EXPECT_EQ(bits<std::uint8_t>({65}, {66}).first_mismatch->found, "65");
}

TEST(Within, TakesTheBoundAndNothingBeyond) {
  EXPECT_EQ(bounded<float>({1.5f}, {1.0}, {0.5}).mismatches, 0u);
  EXPECT_EQ(bounded<float>({1.5f}, {1.0}, {0.4999}).mismatches, 1u);
}

TEST(Within, NanNeverPasses) {
  EXPECT_EQ(bounded<float>({kNan}, {1.0}, {kInfinity}).mismatches, 1u);
  EXPECT_EQ(bounded<float>({kNan}, {1.0}, {1e300}).mismatches, 1u);
  EXPECT_EQ(bounded<float>({1.0f}, {static_cast<double>(kNan)}, {1e300}).mismatches, 1u);
  EXPECT_EQ(bounded<float>({1.0f}, {1.5}, {static_cast<double>(kNan)}).mismatches, 1u);
}

TEST(Within, EqualInfinitiesPass) {
  const auto infinity = static_cast<float>(kInfinity);
  EXPECT_EQ(bounded<float>({infinity}, {kInfinity}, {0}).mismatches, 0u);
  EXPECT_EQ(bounded<float>({infinity}, {-kInfinity}, {1}).mismatches, 1u);
  EXPECT_EQ(bounded<float>({infinity}, {1.0}, {kInfinity}).mismatches, 1u);
}

TEST(Within, ReportsTheElementThatUsedMostOfItsBound) {
  const Check check = bounded<float>({1.5f, 2.25f}, {1.0, 2.0}, {10, 0.5});
  EXPECT_EQ(check.max_error, 0.25);
  EXPECT_EQ(check.allowed, 0.5);
}

TEST(Within, ComparesInTheReferencesPrecision) {
  const long double expected = 1.0L + 0x1p-60L;
  const Check check = bounded<double, long double>({1.0}, {expected}, {0x1p-61});
  if (sizeof(long double) > sizeof(double)) {
    EXPECT_EQ(check.mismatches, 1u);
    EXPECT_EQ(check.max_error, 0x1p-60);
  }
}

TEST(Within, DifferentSizesAreAProgrammingError) {
  EXPECT_THROW(bounded<float>({1, 2}, {1.0}, {0}), std::logic_error);
  EXPECT_THROW(bounded<float>({1, 2, 3}, {1.0, 2.0, 3.0}, {0, 0}), std::logic_error);
}

template <class IsWrong>
Check with_wrong(std::size_t count, const Shape& shape, IsWrong is_wrong) {
  std::vector<float> found(count), expected(count, 1.0f);
  for (std::size_t i = 0; i < count; ++i) found[i] = is_wrong(i) ? 2.0f : 1.0f;
  return same_bits<float>(found, expected, shape);
}

TEST(WrongMap, HoldsTheWholeInCellsAndTheSurroundingsOfTheFirstOneByOne) {
  const Check check =
      with_wrong(96 * 256, {96, 256}, [](std::size_t i) { return i / 256 >= 40 && i % 256 == 130; });
  ASSERT_TRUE(check.wrong);
  const WrongArea &whole = check.wrong->whole, &near = check.wrong->near;
  EXPECT_EQ(check.wrong->rows, 96);
  EXPECT_EQ(whole.rows_a_cell, 3);
  EXPECT_EQ(whole.columns_a_cell, 4);
  EXPECT_EQ(whole.wrong.at(static_cast<std::size_t>(14 * whole.columns + 130 / 4)), 3u);
  EXPECT_EQ(near.first_row, 32);
  EXPECT_EQ(near.first_column, 128);
  EXPECT_EQ(near.wrong.at(static_cast<std::size_t>(8 * near.columns + 2)), 1u);
  EXPECT_EQ(near.wrong.at(static_cast<std::size_t>(7 * near.columns + 2)), 0u);
  EXPECT_EQ(std::accumulate(whole.wrong.begin(), whole.wrong.end(), 0u), check.mismatches);
}

TEST(WrongMap, LaysAVectorInRowsOfAWarp) {
  const Check check = with_wrong(100, {}, [](std::size_t i) { return i == 99; });
  ASSERT_TRUE(check.wrong);
  EXPECT_TRUE(check.wrong->is_vector);
  EXPECT_EQ(check.wrong->rows, 4);
  EXPECT_EQ(check.wrong->near.wrong.at(3 * 32 + 3), 1u);
}

TEST(WrongMap, IsNotThereWhereNothingIsWrong) {
  EXPECT_FALSE(with_wrong(100, {}, [](std::size_t) { return false; }).wrong);
}

TEST(WrongMap, HoldsWhatABoundCallsWrong) {
  const Check check = bounded<float>({1.5f, 2.25f}, {1.0, 2.0}, {0.1, 0.5});
  ASSERT_TRUE(check.wrong);
  EXPECT_EQ(check.wrong->near.wrong.at(0), 1u);
  EXPECT_EQ(check.wrong->near.wrong.at(1), 0u);
}

TEST(Coordinates, OutermostFirst) {
  EXPECT_EQ(coordinates(7, {}), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(coordinates(23, {2, 3, 4}), (std::vector<std::int64_t>{1, 2, 3}));
}

}  // namespace
}  // namespace cudalab::lab
