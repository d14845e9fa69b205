// Tests that expressions have C's meaning, that errors point to their place, and that the error bound holds
// for results in double.
#include "lab/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

double value(std::string_view text, double x = 0) {
  double result = 0;
  Expression("--f", text).evaluate({&x, 1}, {&result, 1});
  return result;
}

TEST(Expression, HasTheOperatorsOfC) {
  EXPECT_EQ(value("1 + 2*3 - 4"), 3);
  EXPECT_EQ(value("8.0 / 4 / 2"), 1);
  EXPECT_EQ(value("-x*x", 3), -9);
  EXPECT_EQ(value("2 - -x", 3), 5);
  EXPECT_EQ(value("(1+x) * (1-x)", 3), -8);
  EXPECT_EQ(value("x < 1 ? 10 : x < 2 ? 20 : 30", 1.5), 20);
  EXPECT_EQ(value("(x >= 2) + (x != 2)", 2), 1);
  EXPECT_EQ(value("1.5e1 + .5"), 15.5);
}

TEST(Expression, HasFunctionsAndConstants) {
  EXPECT_EQ(value("sin(x)", 1), std::sin(1.0));
  EXPECT_EQ(value("pow(x, 3)", 2), 8);
  EXPECT_EQ(value("atan2(1.0, x)", 1), std::atan2(1.0, 1.0));
  EXPECT_EQ(value("fmax(fabs(x), 2)", -3), 3);
  EXPECT_EQ(value("M_PI"), M_PI);
}

TEST(Expression, EvaluatesManyValues) {
  std::vector<double> x(1000), result(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) / 7;
  Expression("--f", "x*x + cos(x)").evaluate(x, result);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(result[i], x[i] * x[i] + std::cos(x[i])) << i;
}

Message error_of(std::string_view text) {
  return refused([&] { Expression("--f", text); });
}

// Expects the mistake `what` at a column of a text.
void expect_mistake(const char* text, int column, const Message& what, const Message& advice = {}) {
  const char* id = advice.empty() ? "expression_wrong" : "expression_wrong_advice";
  ExpectedArguments expected{{"option", "--f"}, {"text", text}, {"what", what}, {"column", column}};
  if (!advice.empty()) expected.emplace_back("advice", advice);
  EXPECT_THAT(error_of(text), IsMessage(id, expected));
}

TEST(Expression, PointsToTheError) {
  expect_mistake("sin(x", 6, msg::expression_expected(")"));
  expect_mistake("x +", 4, msg::expression_value_expected());
  expect_mistake("", 1, msg::expression_value_expected());
  expect_mistake("x^2", 2, msg::expression_no_power(), msg::advice_write_pow());
  expect_mistake("x $", 3, msg::expression_unexpected("$"));
  expect_mistake("pow(x)", 6, msg::expression_expected(","));
  expect_mistake("2x", 2, msg::expression_unexpected_after_number("x"), msg::advice_write_number_alone());
  expect_mistake("1/2*x", 2, msg::expression_whole_division(), msg::advice_write_real_division());
  const Message unknown_name = error_of("1 + y");
  EXPECT_THAT(unknown_name, IsMessage("expression_wrong_advice",
                                      {{"what", msg::expression_unknown_name("y")}, {"column", 5}}));
  ASSERT_TRUE(find_argument(unknown_name, "functions"));
  EXPECT_THAT(shown_in_english(*find_argument(unknown_name, "functions")), testing::StartsWith("fabs"));
  expect_mistake("0 < x < 1", 7, msg::expression_unexpected("<"));
  expect_mistake("sin + 1", 5, msg::expression_expected("("));
  EXPECT_TRUE(error_of("1/2.0*x").empty());
  expect_mistake("1e999", 1, msg::expression_number_too_large());
}

TEST(Expression, SurvivesHostileText) {
  EXPECT_FALSE(error_of(std::string(100000, '(')).empty());
  EXPECT_FALSE(error_of(std::string(100000, '-') + "x").empty());
  std::string long_sum = "x";
  for (int i = 0; i < 20000; ++i) long_sum += "+x";
  EXPECT_EQ(value(long_sum, 1), 20001);
}

TEST(Expression, BecomesCudaWithDoublesOnly) {
  EXPECT_EQ(Expression("--f", "4/(1+x*x)").cuda(), "4.0 /  ( 1.0 + x * x ) ");
  EXPECT_EQ(Expression("--f", "2*x").cuda(), "2.0 * x");
  EXPECT_EQ(Expression("--f", "M_E").cuda(), "2.718281828459045");
}

TEST(Expression, TheErrorBoundHoldsAndIsNotIdle) {
  for (const char* text :
       {"sin(x)", "exp(-x*x)", "(x-1)*(x-1)*(x+3)", "x*x*x - 3*x*x + 3*x - 1", "log1p(x)/x"}) {
    const Expression f("--f", text);
    for (int i = 1; i <= 1000; ++i) {
      const double x = i * 0.0021;
      double computed = 0;
      f.evaluate({&x, 1}, {&computed, 1});
      const auto bounded = f.evaluate(Expression::Bounded{x, 0});
      EXPECT_LE(std::fabs(computed - bounded.value), bounded.error) << text << " at " << x;
      EXPECT_LT(bounded.error, 1e-13L) << text << " at " << x;
    }
  }
}

TEST(Expression, AnErrorOfXIsCarriedOn) {
  const auto square = Expression("--f", "x*x").evaluate({3, 1e-6L});
  EXPECT_NEAR(static_cast<double>(square.error), 6e-6, 1e-9);
  const auto jump = Expression("--f", "x < 1 ? 0 : 5").evaluate({1, 1e-6L});
  EXPECT_EQ(jump.error, 5);
}

}  // namespace
}  // namespace cudalab::lab
