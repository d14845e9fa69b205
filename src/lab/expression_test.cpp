// Expressions mean what C means, errors point to their place, and the error bound holds for what double
// computes.
#include "lab/expression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/refusal_testing.h"

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

std::string error_of(std::string_view text) {
  return refusal_of([&] { Expression("--f", text); });
}

TEST(Expression, PointsToTheError) {
  EXPECT_EQ(error_of("sin(x"), "--f \"sin(x\": expected ')' at column 6");
  EXPECT_EQ(error_of("x +"), "--f \"x +\": expected a number, x or a function at column 4");
  EXPECT_EQ(error_of(""), "--f \"\": expected a number, x or a function at column 1");
  EXPECT_EQ(error_of("x^2"), "--f \"x^2\": '^' is no power in C at column 2; write pow(x, 2)");
  EXPECT_EQ(error_of("x $"), "--f \"x $\": unexpected '$' at column 3");
  EXPECT_EQ(error_of("pow(x)"), "--f \"pow(x)\": expected ',' at column 6");
  EXPECT_EQ(error_of("2x"),
            "--f \"2x\": unexpected 'x' after a number at column 2; write the number without it, or a '*'");
  EXPECT_EQ(error_of("1/2*x"),
            "--f \"1/2*x\": '/' between whole numbers drops the fraction in C at column 2; write 1.0/2 "
            "instead of 1/2");
  EXPECT_TRUE(error_of("1 + y").starts_with(
      "--f \"1 + y\": unknown name 'y' at column 5; there are x, M_PI, M_E and fabs"));
  EXPECT_EQ(error_of("0 < x < 1"), "--f \"0 < x < 1\": unexpected '<' at column 7");
  EXPECT_EQ(error_of("sin + 1"), "--f \"sin + 1\": expected '(' at column 5");
  EXPECT_EQ(error_of("1/2.0*x"), "");
  EXPECT_EQ(error_of("1e999"), "--f \"1e999\": no number that a double can hold at column 1");
}

TEST(Expression, SurvivesHostileText) {
  EXPECT_NE(error_of(std::string(100000, '(')), "");
  EXPECT_NE(error_of(std::string(100000, '-') + "x"), "");
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
