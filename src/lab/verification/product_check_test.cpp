// Tests that one wrong element of a product is found wherever it is, and that allowed errors are accepted,
// for small and large products.
#include "lab/verification/product_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/diagnostics/message_testing.h"
#include "lab/random.h"
#include "lab/verification/bounds.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

using testing::ElementsAre;

// A product as a kernel computes it: sequential additions in T.
template <class T>
std::vector<T> multiply(const std::vector<T>& a, const std::vector<T>& b, ProductSize size) {
  std::vector<T> c(size.results());
  for (std::size_t row = 0; row < size.rows; ++row)
    for (std::size_t k = 0; k < size.inner; ++k)
      for (std::size_t column = 0; column < size.columns; ++column)
        c[row * size.columns + column] += a[row * size.inner + k] * b[k * size.columns + column];
  return c;
}

template <class T>
struct Problem {
  ProductSize size;
  std::uint64_t seed;
  std::vector<T> a = random_values<T>(size.rows * size.inner, random_stream(seed, "a"));
  std::vector<T> b = random_values<T>(size.inner * size.columns, random_stream(seed, "b"));
  std::vector<T> c = multiply(a, b, size);

  ProductCheck<T> large() const { return {a, b, size, random_stream(seed, "check"), 0}; }
  ProductCheck<T> small() const { return {a, b, size, random_stream(seed, "check")}; }

  AccurateSum exact(std::size_t row, std::size_t column) const {
    AccurateSum sum;
    for (std::size_t k = 0; k < size.inner; ++k)
      sum.add_product(a[row * size.inner + k], b[k * size.columns + column]);
    return sum;
  }
  double allowed(std::size_t row, std::size_t column) const {
    double of_row = 0, of_column = 0;
    for (std::size_t k = 0; k < size.inner; ++k) {
      of_row += double{a[row * size.inner + k]} * double{a[row * size.inner + k]};
      of_column += double{b[k * size.columns + column]} * double{b[k * size.columns + column]};
    }
    return gamma<T>(size.inner + 2) * std::sqrt(of_row) * std::sqrt(of_column);
  }
  // C with one element that is off by `times` its allowed error.
  std::vector<T> with_error(std::size_t row, std::size_t column, double times) const {
    std::vector<T> wrong = c;
    wrong[row * size.columns + column] =
        static_cast<T>(exact(row, column).value() + times * allowed(row, column));
    return wrong;
  }
};

template <class T>
class Products : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Types);

constexpr ProductSize kSizes[] = {{96, 64, 80}, {33, 500, 17}, {70, 200, 1}, {1, 300, 90}, {61, 40, 1000}};

TYPED_TEST(Products, WhatAKernelComputesPasses) {
  for (const ProductSize size : kSizes)
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const Problem<TypeParam> problem{size, seed};
      for (const Check& check : {problem.large().check(problem.c), problem.small().check(problem.c)}) {
        EXPECT_EQ(check.mismatches, 0u);
        EXPECT_EQ(check.compared, size.results());
        EXPECT_GT(check.allowed, 0);
        EXPECT_LT(check.max_error, check.allowed);
      }
    }
}

// Corners, edges and the middle (a float's own rounding error is up to a fortieth of the bound): an error
// just above the bound is found, with its place; one just below is accepted.
TYPED_TEST(Products, OneElementJustAboveTheBoundIsFoundWhereverItStands) {
  for (const ProductSize size : kSizes)
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const Problem<TypeParam> problem{size, seed};
      const ProductCheck<TypeParam> large = problem.large(), small = problem.small();
      for (const std::size_t row : {std::size_t{0}, size.rows / 2, size.rows - 1})
        for (const std::size_t column : {std::size_t{0}, size.columns / 2, size.columns - 1})
          for (const double sign : {-1.0, 1.0}) {
            const auto above = problem.with_error(row, column, sign * 1.05);
            const auto below = problem.with_error(row, column, sign * 0.95);
            for (const ProductCheck<TypeParam>* check : {&large, &small}) {
              const Check found = check->check(above);
              ASSERT_EQ(found.mismatches, 1u) << row << ' ' << column;
              EXPECT_THAT(found.first_mismatch->at, ElementsAre(row, column));
              EXPECT_NEAR(found.max_error / found.allowed, 1.05, 0.03);
              EXPECT_EQ(check->check(below).mismatches, 0u);
            }
          }
    }
}

// Errors that would cancel in a plain sum of the row do not hide each other.
TYPED_TEST(Products, ManyWrongElementsAreCountedExactly) {
  const Problem<TypeParam> problem{{96, 64, 80}, 5};
  std::vector<TypeParam> wrong = problem.c;
  for (const std::size_t row : {7u, 8u, 50u})
    for (const std::size_t column : {3u, 4u}) {
      const double error = (column == 3 ? 2 : -2) * problem.allowed(row, 3);
      wrong[row * 80 + column] += static_cast<TypeParam>(error);
    }
  const Check small = problem.small().check(wrong), large = problem.large().check(wrong);
  EXPECT_EQ(small.mismatches, 6u);
  EXPECT_EQ(large.mismatches, 6u);
  EXPECT_THAT(large.first_mismatch->at, ElementsAre(7, 3));
  EXPECT_EQ(large.first_mismatch->expected, small.first_mismatch->expected);
  EXPECT_EQ(large.max_error, small.max_error);
  const Check nothing = problem.large().check(std::vector<TypeParam>(problem.size.results()));
  EXPECT_EQ(nothing.mismatches,
            problem.small().check(std::vector<TypeParam>(problem.size.results())).mismatches);
  EXPECT_THAT(nothing.first_mismatch->at, ElementsAre(0, 0));
}

// C[i][j] = sum over k of A[i][k] * B[j][k], and the same of A; matrices that are not square keep their
// memory.
TYPED_TEST(Products, AMatrixThatIsReadAsItsTransposeIsNamed) {
  const ProductSize size{12, 10, 14};
  const Problem<TypeParam> problem{size, 3};
  const auto product = [&](bool of_a, bool of_b) {
    std::vector<TypeParam> c(size.results());
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::size_t row = i / size.columns, column = i % size.columns;
      double sum = 0;
      for (std::size_t k = 0; k < size.inner; ++k)
        sum += static_cast<double>(problem.a[of_a ? k * size.rows + row : row * size.inner + k]) *
               problem.b[of_b ? column * size.inner + k : k * size.columns + column];
      c[i] = static_cast<TypeParam>(sum);
    }
    return problem.small().check(c);
  };
  EXPECT_THAT(product(false, true).patterns, testing::Contains(msg::wrong_matrix_transposed(Code{"b"})));
  EXPECT_THAT(product(true, false).patterns, testing::Contains(msg::wrong_matrix_transposed(Code{"a"})));
  EXPECT_THAT(product(true, true).patterns,
              testing::Contains(msg::wrong_matrices_transposed(Code{"a"}, Code{"b"})));
  EXPECT_EQ(product(false, false).mismatches, 0u);
}

TYPED_TEST(Products, NanAndInfinityNeverPass) {
  const Problem<TypeParam> problem{{96, 64, 80}, 1};
  for (const TypeParam bad :
       {std::numeric_limits<TypeParam>::quiet_NaN(), std::numeric_limits<TypeParam>::infinity()}) {
    std::vector<TypeParam> wrong = problem.c;
    wrong[40 * 80 + 77] = bad;
    const Check check = problem.large().check(wrong);
    EXPECT_EQ(check.mismatches, 1u);
    EXPECT_THAT(check.first_mismatch->at, ElementsAre(40, 77));
  }
}

// The allowed error is 0 if a row or a column is 0.
TYPED_TEST(Products, NothingButZeroIsRightWhereARowOrAColumnIsZero) {
  Problem<TypeParam> problem{{96, 64, 80}, 1};
  for (std::size_t k = 0; k < 64; ++k) problem.a[50 * 64 + k] = problem.b[k * 80 + 9] = 0;
  problem.c = multiply(problem.a, problem.b, problem.size);
  const ProductCheck<TypeParam> large = problem.large();
  EXPECT_EQ(large.check(problem.c).mismatches, 0u);
  for (const std::size_t at : {50u * 80 + 33, 20u * 80 + 9}) {
    std::vector<TypeParam> wrong = problem.c;
    wrong[at] = std::numeric_limits<TypeParam>::min();
    EXPECT_EQ(large.check(wrong).mismatches, 1u) << at;
  }
}

// Columns of very different lengths: an error that is large for a short column is small next to a long one.
TYPED_TEST(Products, AnErrorInAShortColumnIsSeenBesideLongOnes) {
  Problem<TypeParam> problem{{96, 64, 80}, 1};
  for (std::size_t k = 0; k < 64; ++k)
    for (std::size_t column = 0; column < 80; ++column)
      problem.b[k * 80 + column] *= static_cast<TypeParam>(std::ldexp(1.0, column == 9 ? -30 : 10));
  problem.c = multiply(problem.a, problem.b, problem.size);
  EXPECT_EQ(problem.large().check(problem.c).mismatches, 0u);
  EXPECT_EQ(problem.large().check(problem.with_error(60, 9, 1.05)).mismatches, 1u);
  EXPECT_EQ(problem.large().check(problem.with_error(60, 9, 0.95)).mismatches, 0u);
}

TYPED_TEST(Products, ALargeProductIsCheckedByRandomVectors) {
  const Problem<TypeParam> problem{{96, 64, 80}, 1};
  EXPECT_THAT(problem.large().check(problem.c).bound, IsMessage("bound_product_random", {{"products", 32}}));
  EXPECT_THAT(problem.small().check(problem.c).bound, IsMessage("bound_product"));
  EXPECT_LT(ProductCheck<TypeParam>::host_bytes({8192, 8192, 8192}), 50e6);
  EXPECT_THROW(problem.large().check(std::span(problem.c).first(80)), std::logic_error);
}

// Few rows of a correct product are recomputed; otherwise the check would take as long as the product.
TYPED_TEST(Products, AnHonestRowSeldomArousesSuspicion) {
  const Problem<TypeParam> problem{{200, 256, 100}, 1};
  EXPECT_EQ(problem.large().suspicious_rows(problem.c).size(), 0u);
  EXPECT_EQ(problem.large().suspicious_rows(problem.with_error(77, 5, 2)).size(), 1u);
}

}  // namespace
}  // namespace cudalab::lab
