// Tests what is concluded about wrong quadrature rules from the integrals of a few functions.
#include "course/reasons/quadrature_evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/message_testing.h"
#include "lab/expression.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

struct Point {
  double x, weight;
};
// The points of a rule for a range; h is the width of a strip.
using Rule = std::vector<Point> (*)(double from, double to, int n);

std::vector<Point> rectangles(double from, double to, int n) {
  std::vector<Point> points;
  const double h = (to - from) / n;
  for (int i = 0; i < n; ++i) points.push_back({from + (i + 0.5) * h, h});
  return points;
}
std::vector<Point> trapezoids(double from, double to, int n) {
  std::vector<Point> points;
  const double h = (to - from) / n;
  for (int i = 0; i <= n; ++i) points.push_back({from + i * h, i == 0 || i == n ? h / 2 : h});
  return points;
}
std::vector<Point> parabolas(double from, double to, int n) {
  std::vector<Point> points;
  const double h = (to - from) / (2 * n);
  for (int i = 0; i <= 2 * n; ++i)
    points.push_back({from + i * h, h / 3 * (i == 0 || i == 2 * n ? 1 : i % 2 == 1 ? 4 : 2)});
  return points;
}

double integral(const Rule& rule, const QuadratureProbe& probe) {
  const lab::Expression f("--f", probe.integrand);
  double sum = 0;
  for (const Point& point : rule(probe.from, probe.to, static_cast<int>(probe.strips))) {
    double y = 0;
    f.evaluate({&point.x, 1}, {&y, 1});
    sum += point.weight * y;
  }
  return sum;
}

std::string said(Rule wrong, Rule right, std::int64_t failing = 1) {
  const AskForIntegral ask = [&](const QuadratureProbe& probe) -> std::optional<QuadratureAnswer> {
    const double found = integral(wrong, probe), expected = integral(right, probe);
    QuadratureAnswer answer{.threads = 2048};
    if (std::abs(found - expected) <= 1e-12 * (1 + std::abs(expected))) return answer;
    return QuadratureAnswer{false, found, expected, answer.threads};
  };
  const auto reason = reason_of_quadrature(ask, failing);
  return reason ? with_ids(reason->what) : "nothing";
}

TEST(QuadratureEvidence, IsNothingForARightRule) {
  for (const Rule rule : {rectangles, trapezoids, parabolas}) EXPECT_EQ(said(rule, rule, 5000), "nothing");
}

TEST(QuadratureEvidence, IsNothingIfARunHasAHazard) {
  EXPECT_FALSE(reason_of_quadrature([](const QuadratureProbe&) { return std::nullopt; }, 1));
}

// A rule whose points are changed one by one: `change` gets the point, its index, h and n.
template <Rule kRule, auto kChange>
std::vector<Point> changed(double from, double to, int n) {
  std::vector<Point> points = kRule(from, to, n);
  const double h = (to - from) / n;
  int i = 0;
  for (Point& point : points) kChange(point, i++, h, n, from);
  return points;
}

TEST(QuadratureEvidence, IsAFactorOfTheSum) {
  EXPECT_EQ(said(changed<parabolas, [](Point& p, int, double, int, double) { p.weight /= 2; }>, parabolas),
            with_ids(msg::evidence_integral_factor(0.5)));
  EXPECT_EQ(
      said(changed<rectangles, [](Point& p, int, double h, int, double) { p.weight /= h; }>, rectangles),
      with_ids(msg::evidence_integral_without_width()));
  EXPECT_EQ(
      said(changed<rectangles, [](Point& p, int, double h, int, double) { p.weight *= h; }>, rectangles),
      with_ids(msg::evidence_integral_width_twice()));
  EXPECT_EQ(said(changed<rectangles, [](Point& p, int, double, int, double) { p.weight *= 0; }>, rectangles),
            with_ids(msg::evidence_integral_zero()));
}

TEST(QuadratureEvidence, IsTheWidthOfAStrip) {
  const auto more = [](double from, double to, int n) {
    return trapezoids(from, from + (to - from) * n / (n + 1), n);
  };
  EXPECT_EQ(said(more, trapezoids), with_ids(msg::evidence_integral_strip_width(9.0, 8)));
  const auto whole = [](double from, double to, int n) {
    return rectangles(from, from + static_cast<int>((to - from) / n) * n, n);
  };
  EXPECT_EQ(said(whole, rectangles), with_ids(msg::evidence_integral_whole_width(0.25)));
  const auto from_sum = [](double from, double to, int n) { return rectangles(from, 2 * from + to, n); };
  EXPECT_EQ(said(from_sum, rectangles), with_ids(msg::evidence_integral_depends_on_place()));
}

TEST(QuadratureEvidence, IsTheWidthInTheWeights) {
  EXPECT_EQ(
      said(changed<rectangles, [](Point& p, int, double h, int n, double) { p.weight = h * n / (n - 1); }>,
           rectangles),
      with_ids(msg::evidence_integral_width_of_weights(1.143, 7.0, 8)));
  const auto reversed = [](double from, double to, int n) { return rectangles(from, 2 * from - to, n); };
  EXPECT_EQ(said(reversed, rectangles), with_ids(msg::evidence_integral_strip_width(-8.0, 8)));
}

TEST(QuadratureEvidence, IsTheWeightOfThePoints) {
  const auto weights = [](Message what) {
    return with_ids(msg::evidence_integral_weights(8, std::move(what)));
  };
  EXPECT_EQ(said(changed<trapezoids, [](Point& p, int, double h, int, double) { p.weight = h; }>, trapezoids),
            weights(msg::weight_is(msg::points_at_both_ends(), 2.0)));
  EXPECT_EQ(said(changed<trapezoids,
                         [](Point& p, int i, double, int n, double) {
                           if (i == n) p.weight = 0;
                         }>,
                 trapezoids),
            weights(msg::weight_is_missing(msg::points_at_end())));
  EXPECT_EQ(said(changed<parabolas, [](Point& p, int i, double h, int,
                                       double) { p.weight = h / 6 * (i % 2 == 0 ? 4 : 2); }>,
                 parabolas),
            weights(msg::clause_and_more(msg::weight_is(msg::points_at_both_ends(), 4.0), 2)));
  EXPECT_EQ(said(changed<parabolas,
                         [](Point& p, int i, double h, int n, double) {
                           if (i == n)
                             p.weight = h / 6;
                           else if (i == 2 * n)
                             p.weight = h / 3;
                         }>,
                 parabolas),
            weights(msg::weights_of_two(msg::weight_is(msg::points_one(4.0), 0.5),
                                        msg::weight_is(msg::points_at_end(), 2.0))));
}

TEST(QuadratureEvidence, IsAPointOutsideTheRange) {
  const auto one_more = [](double from, double to, int n) {
    auto points = rectangles(from, to, n);
    points.push_back({to + (to - from) / n / 2, (to - from) / n});
    return points;
  };
  EXPECT_EQ(said(one_more, rectangles), with_ids(msg::evidence_integral_outside(8, 8.5)));
}

TEST(QuadratureEvidence, IsTheShiftOfThePoints) {
  EXPECT_EQ(said(changed<rectangles, [](Point& p, int, double h, int, double) { p.x -= h / 2; }>, rectangles),
            with_ids(msg::evidence_integral_shifted_left(0.5)));
  EXPECT_EQ(said(changed<rectangles, [](Point& p, int, double h, int, double) { p.x += h; }>, rectangles),
            with_ids(msg::evidence_integral_shifted_right(1.0)));
  EXPECT_EQ(
      said(changed<rectangles, [](Point& p, int, double h, int, double) { p.x += 0.5 - h / 2; }>, rectangles),
      with_ids(msg::evidence_integral_shift_without_width(0.375, 0.25, 0.4375, 0.125)));
  EXPECT_EQ(
      said(changed<rectangles, [](Point& p, int, double, int, double from) { p.x -= from; }>, rectangles),
      with_ids(msg::evidence_integral_from_zero()));
  EXPECT_EQ(
      said(changed<rectangles, [](Point& p, int, double, int, double from) { p.x -= (p.x - from) / 2; }>,
           rectangles),
      with_ids(msg::evidence_integral_distance(0.5)));
}

TEST(QuadratureEvidence, IsFoundWithSeveralBlocks) {
  EXPECT_EQ(said(changed<trapezoids,
                         [](Point& p, int i, double, int, double) {
                           if (i != 0 && i % 256 == 0) p.weight /= 2;
                         }>,
                 trapezoids, 300),
            with_ids(msg::evidence_integral_first_weight(600, 256.0, 0.5)));
  EXPECT_EQ(said(changed<trapezoids,
                         [](Point& p, int i, double, int, double) {
                           if (i >= 512) p.weight = 0;
                         }>,
                 trapezoids, 599),
            with_ids(msg::evidence_integral_first_missing(600, 512.0)));
}

TEST(QuadratureEvidence, IsTheNumberOfPointsIfOnlyManyStripsFail) {
  const auto once = [](double from, double to, int n) {
    auto points = rectangles(from, to, n);
    if (points.size() > 2048) points.resize(2048);
    return points;
  };
  EXPECT_EQ(said(once, rectangles, 3000),
            with_ids(msg::evidence_integral_once_per_thread(3000, std::uint64_t{2048})));
}

}  // namespace
}  // namespace cudalab::course
