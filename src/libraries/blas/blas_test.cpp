// Tests cuBLAS against naive loops over the definitions in its documentation: transposes, triangles, strides,
// leading dimensions, factors on the host and the device, sizes of 0.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "libraries/blas/values.h"
#include "libraries/on_device_testing.h"

namespace cudalab::blas {
namespace {

using libraries::OnDevice;

using C = std::complex<float>;
using Z = std::complex<double>;

template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<T> values(count);
  for (T& value : values) {
    if constexpr (kIsComplex<T>)
      value = T(between(random), between(random));
    else
      value = T(between(random));
  }
  return values;
}

// Elements of a matrix: op(A)(i, j).
template <class T>
T element(const std::vector<T>& a, std::int64_t lda, cublasOperation_t op, std::int64_t i, std::int64_t j) {
  const T value = op == CUBLAS_OP_N ? a[i + j * lda] : a[j + i * lda];
  return op == CUBLAS_OP_C ? conjugate(value) : value;
}

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - wanted[i]), tolerance * (1 + std::abs(wanted[i]))) << "element " << i;
}

constexpr double kOfFloat = 2e-5, kOfDouble = 1e-12;
constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
constexpr cublasFillMode_t kTriangles[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr cublasSideMode_t kSides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
constexpr cublasDiagType_t kDiagonals[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};

class Blas : public ::testing::Test {
 protected:
  Blas() { EXPECT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS); }
  ~Blas() override { cublasDestroy(handle); }
  cublasHandle_t handle = nullptr;
};

// ---- level 3 -------------------------------------------------------------------------------------------

template <class T, class Interface, class Function>
void expect_gemm(cublasHandle_t handle, Function function, double tolerance) {
  constexpr int kM = 7, kN = 9, kK = 13, kLd = 17;
  const T alpha = T(1.5F), beta = T(-0.5F);
  for (const cublasOperation_t op_a : kOperations)
    for (const cublasOperation_t op_b : kOperations) {
      const auto a = random_values<T>(kLd * 13, 1), b = random_values<T>(kLd * 13, 2),
                 c = random_values<T>(kLd * kN, 3);
      const OnDevice<T> da(a), db(b), dc(c);
      ASSERT_EQ(function(handle, op_a, op_b, kM, kN, kK, reinterpret_cast<const Interface*>(&alpha),
                         da.template as<Interface>(), kLd, db.template as<Interface>(), kLd,
                         reinterpret_cast<const Interface*>(&beta), dc.template as<Interface>(), kLd),
                CUBLAS_STATUS_SUCCESS);
      std::vector<T> wanted = c;
      for (int j = 0; j < kN; ++j)
        for (int i = 0; i < kM; ++i) {
          T sum{};
          for (int k = 0; k < kK; ++k) sum += element<T>(a, kLd, op_a, i, k) * element<T>(b, kLd, op_b, k, j);
          wanted[i + j * kLd] = alpha * sum + beta * c[i + j * kLd];
        }
      expect_near(dc.read(), wanted, tolerance);
    }
}

TEST_F(Blas, MultipliesMatricesOfEachTypeAndTransposition) {
  expect_gemm<float, float>(handle, cublasSgemm, kOfFloat);
  expect_gemm<double, double>(handle, cublasDgemm, kOfDouble);
  expect_gemm<C, cuComplex>(handle, cublasCgemm, kOfFloat);
  expect_gemm<Z, cuDoubleComplex>(handle, cublasZgemm, kOfDouble);
  expect_gemm<double, double>(handle, cublasDgemm_v2_64, kOfDouble);
}

TEST_F(Blas, MultipliesMatricesOfSeveralTiles) {
  constexpr int kM = 300, kN = 270, kK = 65;
  const auto a = random_values<double>(kM * kK, 1), b = random_values<double>(kK * kN, 2);
  const OnDevice<double> da(a), db(b), dc(std::vector<double>(kM * kN, std::nan("")));
  const double one = 1, zero = 0;
  ASSERT_EQ(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &one, da.as(), kM, db.as(), kK, &zero,
                        dc.as(), kM),
            CUBLAS_STATUS_SUCCESS);
  std::vector<double> wanted(kM * kN);
  for (int j = 0; j < kN; ++j)
    for (int k = 0; k < kK; ++k)
      for (int i = 0; i < kM; ++i) wanted[i + j * kM] += a[i + k * kM] * b[k + j * kK];
  expect_near(dc.read(), wanted, kOfDouble);
}

TEST_F(Blas, DoesNotReadOperandsWithAFactorOfZero) {
  const std::vector<float> nans(16, std::nanf("")), ones(16, 1);
  const OnDevice<float> bad(nans), good(ones), result(nans);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, good.as(), 4, good.as(), 4, &zero, result.as(),
              4);
  EXPECT_EQ(result.read(), std::vector<float>(16, 4));
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &zero, bad.as(), 4, bad.as(), 4, &one, good.as(), 4);
  EXPECT_EQ(good.read(), ones);
  cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &zero, bad.as(), 4, bad.as(), 1, &one, good.as(), 1);
  EXPECT_EQ(good.read(), ones);
}

TEST_F(Blas, DoesNothingForSizesOfZero) {
  const OnDevice<float> memory(std::vector<float>(16, 3));
  const float two = 2, one = 1;
  for (const int m : {0, 4})
    for (const int n : {0, 4}) {
      if (m * n != 0) continue;
      EXPECT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, 4, &one, memory.as(), 4, memory.as(), 4,
                            &two, memory.as(), 4),
                CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(
          cublasSgemv(handle, CUBLAS_OP_N, m, n, &one, memory.as(), 4, memory.as(), 1, &two, memory.as(), 1),
          CUBLAS_STATUS_SUCCESS);
    }
  EXPECT_EQ(memory.read(), std::vector<float>(16, 3));
  // With k = 0, C is still scaled.
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 0, &one, memory.as(), 4, memory.as(), 4, &two,
              memory.as(), 4);
  EXPECT_EQ(memory.read(), std::vector<float>(16, 6));
}

TEST_F(Blas, TakesFactorsFromDeviceMemory) {
  const OnDevice<float> factors({2, 0}), a(std::vector<float>(4, 1)), c(std::vector<float>(4, std::nanf("")));
  ASSERT_EQ(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, factors.as(), a.as(), 2, a.as(), 2, factors.as() + 1,
              c.as(), 2);
  EXPECT_EQ(c.read(), std::vector<float>(4, 4));
  cublasSdot(handle, 4, c.as(), 1, a.as(), 1, factors.as());
  EXPECT_EQ(factors.read()[0], 16);
}

// An element (i, j) of a matrix of which one triangle is stored.
template <class T>
T mirrored_element(const std::vector<T>& a, int lda, cublasFillMode_t uplo, bool is_hermitian, int i, int j) {
  const bool is_stored = uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
  if (is_hermitian && i == j) return std::real(a[i + j * lda]);
  if (is_stored) return a[i + j * lda];
  return is_hermitian ? conjugate(a[j + i * lda]) : a[j + i * lda];
}

TEST_F(Blas, MultipliesSymmetricAndHermitianMatrices) {
  constexpr int kM = 5, kN = 6, kLd = 8;
  const C alpha(1, 0.5F), beta(0.25F, -1);
  const auto* by = reinterpret_cast<const cuComplex*>(&alpha);
  const auto* kept = reinterpret_cast<const cuComplex*>(&beta);
  for (const cublasSideMode_t side : kSides)
    for (const cublasFillMode_t uplo : kTriangles)
      for (const bool is_hermitian : {false, true}) {
        const auto a = random_values<C>(kLd * 6, 1), b = random_values<C>(kLd * kN, 2),
                   c = random_values<C>(kLd * kN, 3);
        const OnDevice<C> da(a), db(b), dc(c);
        (is_hermitian ? cublasChemm : cublasCsymm)(handle, side, uplo, kM, kN, by, da.as<cuComplex>(), kLd,
                                                   db.as<cuComplex>(), kLd, kept, dc.as<cuComplex>(), kLd);
        std::vector<C> wanted = c;
        for (int j = 0; j < kN; ++j)
          for (int i = 0; i < kM; ++i) {
            C sum = 0;
            if (side == CUBLAS_SIDE_LEFT)
              for (int k = 0; k < kM; ++k)
                sum += mirrored_element(a, kLd, uplo, is_hermitian, i, k) * b[k + j * kLd];
            else
              for (int k = 0; k < kN; ++k)
                sum += b[i + k * kLd] * mirrored_element(a, kLd, uplo, is_hermitian, k, j);
            wanted[i + j * kLd] = alpha * sum + beta * c[i + j * kLd];
          }
        expect_near(dc.read(), wanted, kOfFloat);
      }
}

TEST_F(Blas, SolvingUndoesMultiplicationByATriangle) {
  constexpr int kM = 70, kN = 67, kLd = 72;  // more than one block
  const Z alpha(2, 1), inverse = 1.0 / alpha;
  for (const cublasSideMode_t side : kSides)
    for (const cublasFillMode_t uplo : kTriangles)
      for (const cublasOperation_t op : kOperations)
        for (const cublasDiagType_t diag : kDiagonals) {
          auto a = random_values<Z>(kLd * kLd, 1);
          for (Z& value : a) value *= 0.02;
          for (int i = 0; i < kLd; ++i) a[i + i * kLd] += 1;
          const auto b = random_values<Z>(kLd * kN, 2);
          const OnDevice<Z> da(a), db(b), dc(b);
          cublasZtrmm(handle, side, uplo, op, diag, kM, kN, reinterpret_cast<const cuDoubleComplex*>(&alpha),
                      da.as<cuDoubleComplex>(), kLd, db.as<cuDoubleComplex>(), kLd, dc.as<cuDoubleComplex>(),
                      kLd);
          const auto product = dc.read();
          Z first = 0;  // element (0, 0) of the product
          const bool is_left = side == CUBLAS_SIDE_LEFT;
          for (int k = 0; k < (is_left ? kM : kN); ++k) {
            const int i = is_left ? 0 : k, j = is_left ? k : 0, row = op == CUBLAS_OP_N ? i : j,
                      column = i + j - row;
            const bool is_stored = uplo == CUBLAS_FILL_MODE_LOWER ? row >= column : row <= column;
            if (!is_stored) continue;
            const Z value = i == j && diag == CUBLAS_DIAG_UNIT ? Z(1) : element<Z>(a, kLd, op, i, j);
            first += value * (is_left ? b[k] : b[k * kLd]);
          }
          EXPECT_LE(std::abs(product[0] - alpha * first), kOfDouble);
          cublasZtrsm(handle, side, uplo, op, diag, kM, kN,
                      reinterpret_cast<const cuDoubleComplex*>(&inverse), da.as<cuDoubleComplex>(), kLd,
                      dc.as<cuDoubleComplex>(), kLd);
          expect_near(dc.read(), b, kOfDouble);
        }
}

TEST_F(Blas, UpdatesATriangleByRankK) {
  constexpr int kN = 6, kK = 4, kLd = 7;
  const C alpha(0.5F, 2), beta(2, 1);
  const float real_beta = 2;
  for (const cublasFillMode_t uplo : kTriangles)
    for (const bool is_hermitian : {false, true})
      for (const bool is_turned : {false, true}) {
        const cublasOperation_t op = !is_turned ? CUBLAS_OP_N : is_hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
        const auto a = random_values<C>(kLd * kN, 1), b = random_values<C>(kLd * kN, 2),
                   c = random_values<C>(kLd * kN, 3);
        const OnDevice<C> da(a), db(b), dc(c);
        const auto* by = reinterpret_cast<const cuComplex*>(&alpha);
        if (is_hermitian)
          cublasCher2k(handle, uplo, op, kN, kK, by, da.as<cuComplex>(), kLd, db.as<cuComplex>(), kLd,
                       &real_beta, dc.as<cuComplex>(), kLd);
        else
          cublasCsyr2k(handle, uplo, op, kN, kK, by, da.as<cuComplex>(), kLd, db.as<cuComplex>(), kLd,
                       reinterpret_cast<const cuComplex*>(&beta), dc.as<cuComplex>(), kLd);
        std::vector<C> wanted = c;
        const auto other = [&](C value) { return is_hermitian ? std::conj(value) : value; };
        for (int j = 0; j < kN; ++j)
          for (int i = 0; i < kN; ++i) {
            if (uplo == CUBLAS_FILL_MODE_LOWER ? i < j : i > j) continue;
            C sum = 0;
            for (int k = 0; k < kK; ++k)
              sum += alpha * element<C>(a, kLd, op, i, k) * other(element<C>(b, kLd, op, j, k)) +
                     other(alpha) * element<C>(b, kLd, op, i, k) * other(element<C>(a, kLd, op, j, k));
            wanted[i + j * kLd] = sum + (is_hermitian ? C(real_beta) : beta) * c[i + j * kLd];
            if (is_hermitian && i == j) wanted[i + j * kLd] = std::real(wanted[i + j * kLd]);
          }
        expect_near(dc.read(), wanted, kOfFloat);
      }
}

TEST_F(Blas, SyrkWritesOnlyItsTriangle) {
  const auto a = random_values<double>(12, 1);
  const OnDevice<double> da(a), dc(std::vector<double>(16, 9));
  const double one = 1, zero = 0;
  cublasDsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 4, 3, &one, da.as(), 4, &zero, dc.as(), 4);
  std::vector<double> wanted(16, 9);
  for (int j = 0; j < 4; ++j)
    for (int i = j; i < 4; ++i) {
      wanted[i + j * 4] = 0;
      for (int k = 0; k < 3; ++k) wanted[i + j * 4] += a[i + k * 4] * a[j + k * 4];
    }
  expect_near(dc.read(), wanted, kOfDouble);
}

TEST_F(Blas, AddsTransposesAndScalesMatrices) {
  constexpr int kM = 4, kN = 3;
  const auto a = random_values<float>(kM * kN, 1), b = random_values<float>(kM * kN, 2),
             x = random_values<float>(kM, 3);
  const OnDevice<float> da(a), db(b), dx(x), dc(std::vector<float>(kM * kN, 0));
  const float two = 2, zero = 0;
  cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, kM, kN, &two, da.as(), kN, &zero, nullptr, kM, dc.as(), kM);
  std::vector<float> wanted(kM * kN);
  for (int j = 0; j < kN; ++j)
    for (int i = 0; i < kM; ++i) wanted[i + j * kM] = 2 * a[j + i * kN];
  EXPECT_EQ(dc.read(), wanted);
  cublasSdgmm(handle, CUBLAS_SIDE_LEFT, kM, kN, db.as(), kM, dx.as(), 1, dc.as(), kM);
  for (int j = 0; j < kN; ++j)
    for (int i = 0; i < kM; ++i) wanted[i + j * kM] = b[i + j * kM] * x[i];
  EXPECT_EQ(dc.read(), wanted);
}

// ---- level 2 -------------------------------------------------------------------------------------------

TEST_F(Blas, MultipliesVectorsWithStridesOfBothSigns) {
  constexpr int kM = 5, kN = 4, kLd = 6;
  const Z alpha(1, 2), beta(0, 1);
  for (const cublasOperation_t op : kOperations)
    for (const int incx : {1, 3, -2})
      for (const int incy : {2, -1}) {
        const int inputs = op == CUBLAS_OP_N ? kN : kM, outputs = op == CUBLAS_OP_N ? kM : kN;
        const auto a = random_values<Z>(kLd * kN, 1), x = random_values<Z>(3 * 5, 2),
                   y = random_values<Z>(2 * 5, 3);
        const OnDevice<Z> da(a), dx(x), dy(y);
        cublasZgemv(handle, op, kM, kN, reinterpret_cast<const cuDoubleComplex*>(&alpha),
                    da.as<cuDoubleComplex>(), kLd, dx.as<cuDoubleComplex>(), incx,
                    reinterpret_cast<const cuDoubleComplex*>(&beta), dy.as<cuDoubleComplex>(), incy);
        const auto at = [](int i, int count, int increment) {
          return increment > 0 ? i * increment : (i - count + 1) * increment;
        };
        std::vector<Z> wanted = y;
        for (int i = 0; i < outputs; ++i) {
          Z sum = 0;
          for (int k = 0; k < inputs; ++k) sum += element<Z>(a, kLd, op, i, k) * x[at(k, inputs, incx)];
          wanted[at(i, outputs, incy)] = alpha * sum + beta * y[at(i, outputs, incy)];
        }
        expect_near(dy.read(), wanted, kOfDouble);
      }
}

// The same matrix in full, band and packed storage gives the same results.
TEST_F(Blas, AgreesOverStorageSchemes) {
  constexpr int kN = 7, kK = 2;
  for (const cublasFillMode_t uplo : kTriangles) {
    const bool is_lower = uplo == CUBLAS_FILL_MODE_LOWER;
    auto a = random_values<double>(kN * kN, 1);
    std::vector<double> band((kK + 1) * kN, 77), packed;
    for (int j = 0; j < kN; ++j)
      for (int i = 0; i < kN; ++i) {
        const bool is_stored = is_lower ? i >= j : i <= j;
        double& value = a[i + j * kN];
        if (std::abs(i - j) > kK) value = 0;
        if (i == j) value += 4;
        if (is_stored && std::abs(i - j) <= kK) band[(is_lower ? i - j : kK + i - j) + j * (kK + 1)] = value;
        if (is_stored) packed.push_back(value);
      }
    const auto x = random_values<double>(kN, 2);
    const double one = 1, zero = 0;
    const OnDevice<double> full(a), banded(band), triangle(packed), dx(x);
    const OnDevice<double> y1(x), y2(x), y3(x);
    cublasDsymv(handle, uplo, kN, &one, full.as(), kN, dx.as(), 1, &zero, y1.as(), 1);
    cublasDsbmv(handle, uplo, kN, kK, &one, banded.as(), kK + 1, dx.as(), 1, &zero, y2.as(), 1);
    cublasDspmv(handle, uplo, kN, &one, triangle.as(), dx.as(), 1, &zero, y3.as(), 1);
    std::vector<double> wanted(kN);
    for (int i = 0; i < kN; ++i)
      for (int j = 0; j < kN; ++j) wanted[i] += mirrored_element(a, kN, uplo, false, i, j) * x[j];
    for (const auto* y : {&y1, &y2, &y3}) expect_near(y->read(), wanted, kOfDouble);
    for (const cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T})
      for (const cublasDiagType_t diag : kDiagonals) {
        const OnDevice<double> v1(x), v2(x), v3(x);
        cublasDtrmv(handle, uplo, op, diag, kN, full.as(), kN, v1.as(), 1);
        cublasDtbmv(handle, uplo, op, diag, kN, kK, banded.as(), kK + 1, v2.as(), 1);
        cublasDtpmv(handle, uplo, op, diag, kN, triangle.as(), v3.as(), 1);
        const auto multiplied = v1.read();
        expect_near(v2.read(), multiplied, kOfDouble);
        expect_near(v3.read(), multiplied, kOfDouble);
        cublasDtrsv(handle, uplo, op, diag, kN, full.as(), kN, v1.as(), 1);
        cublasDtbsv(handle, uplo, op, diag, kN, kK, banded.as(), kK + 1, v2.as(), 1);
        cublasDtpsv(handle, uplo, op, diag, kN, triangle.as(), v3.as(), 1);
        for (const auto* v : {&v1, &v2, &v3}) expect_near(v->read(), x, kOfDouble);
      }
  }
}

TEST_F(Blas, MultipliesBandMatrices) {
  constexpr int kM = 6, kN = 5, kBelow = 2, kAbove = 1, kLd = kBelow + kAbove + 1;
  const auto band = random_values<float>(kLd * kN, 1), x = random_values<float>(kM, 2);
  const float one = 1, zero = 0;
  for (const bool is_turned : {false, true}) {
    const OnDevice<float> da(band), dx(x), dy(std::vector<float>(kM, 0));
    cublasSgbmv(handle, is_turned ? CUBLAS_OP_T : CUBLAS_OP_N, kM, kN, kBelow, kAbove, &one, da.as(), kLd,
                dx.as(), 1, &zero, dy.as(), 1);
    std::vector<float> wanted(kM, 0);
    for (int j = 0; j < kN; ++j)
      for (int i = 0; i < kM; ++i) {
        if (i - j > kBelow || j - i > kAbove) continue;
        const float value = band[kAbove + i - j + j * kLd];
        wanted[is_turned ? j : i] += value * x[is_turned ? i : j];
      }
    expect_near(dy.read(), wanted, kOfFloat);
  }
}

TEST_F(Blas, UpdatesMatricesByRank1And2) {
  constexpr int kM = 4, kN = 3;
  const auto x = random_values<C>(kM, 1), y = random_values<C>(kM, 2), a = random_values<C>(kM * kM, 3);
  const C alpha(1, -2);
  const float real_alpha = 3;
  const OnDevice<C> dx(x), dy(y);
  const auto* by = reinterpret_cast<const cuComplex*>(&alpha);
  for (const bool is_conjugate : {false, true}) {
    const OnDevice<C> da(a);
    (is_conjugate ? cublasCgerc : cublasCgeru)(handle, kM, kN, by, dx.as<cuComplex>(), 1, dy.as<cuComplex>(),
                                               1, da.as<cuComplex>(), kM);
    std::vector<C> wanted = a;
    for (int j = 0; j < kN; ++j)
      for (int i = 0; i < kM; ++i)
        wanted[i + j * kM] += alpha * x[i] * (is_conjugate ? std::conj(y[j]) : y[j]);
    expect_near(da.read(), wanted, kOfFloat);
  }
  const OnDevice<C> da(a);
  cublasCher(handle, CUBLAS_FILL_MODE_UPPER, kM, &real_alpha, dx.as<cuComplex>(), 1, da.as<cuComplex>(), kM);
  cublasCher2(handle, CUBLAS_FILL_MODE_UPPER, kM, by, dx.as<cuComplex>(), 1, dy.as<cuComplex>(), 1,
              da.as<cuComplex>(), kM);
  std::vector<C> wanted = a;
  for (int j = 0; j < kM; ++j)
    for (int i = 0; i <= j; ++i) {
      wanted[i + j * kM] += real_alpha * x[i] * std::conj(x[j]) + alpha * x[i] * std::conj(y[j]) +
                            std::conj(alpha) * y[i] * std::conj(x[j]);
      if (i == j) wanted[i + j * kM] = std::real(wanted[i + j * kM]);
    }
  expect_near(da.read(), wanted, kOfFloat);
}

// ---- level 1 -------------------------------------------------------------------------------------------

TEST_F(Blas, ReducesVectors) {
  const std::vector<C> x{{1, -2}, {0, 3}, {-4, 0}}, y{{2, 1}, {1, 1}, {0, -1}};
  const OnDevice<C> dx(x), dy(y);
  C dot, dotc;
  float sum = 0, norm = 0;
  int largest = 0, smallest = 0;
  cublasCdotu(handle, 3, dx.as<cuComplex>(), 1, dy.as<cuComplex>(), 1, reinterpret_cast<cuComplex*>(&dot));
  cublasCdotc(handle, 3, dx.as<cuComplex>(), 1, dy.as<cuComplex>(), 1, reinterpret_cast<cuComplex*>(&dotc));
  cublasScasum(handle, 3, dx.as<cuComplex>(), 1, &sum);
  cublasScnrm2(handle, 3, dx.as<cuComplex>(), 1, &norm);
  cublasIcamax(handle, 3, dx.as<cuComplex>(), 1, &largest);
  cublasIcamin(handle, 3, dx.as<cuComplex>(), 1, &smallest);
  EXPECT_EQ(dot, C(1, 4));
  EXPECT_EQ(dotc, C(3, 6));
  EXPECT_EQ(sum, 10);
  EXPECT_FLOAT_EQ(norm, std::sqrt(30.F));
  EXPECT_EQ(largest, 3);
  EXPECT_EQ(smallest, 1);
}

TEST_F(Blas, TheNormOfLargeNumbersDoesNotOverflow) {
  const OnDevice<double> x({3e300, 4e300});
  double norm = 0;
  cublasDnrm2(handle, 2, x.as(), 1, &norm);
  EXPECT_DOUBLE_EQ(norm, 5e300);
}

TEST_F(Blas, EmptyVectorsGiveZero) {
  float sum = 7, dot = 7;
  int largest = 7;
  const OnDevice<float> x({1});
  EXPECT_EQ(cublasSasum(handle, 0, x.as(), 1, &sum), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasIsamax(handle, 0, x.as(), 1, &largest), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSdot(handle, -1, x.as(), 1, x.as(), 1, &dot), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(dot, 0);
  EXPECT_EQ(largest, 0);
}

TEST_F(Blas, ChangesVectors) {
  const OnDevice<float> x({1, 2, 3}), y({10, 20, 30});
  const float two = 2, c = 0.6F, s = 0.8F;
  cublasSaxpy(handle, 3, &two, x.as(), 1, y.as(), -1);
  EXPECT_EQ(y.read(), (std::vector<float>{16, 24, 32}));
  cublasSscal(handle, 2, &two, x.as(), 2);
  EXPECT_EQ(x.read(), (std::vector<float>{2, 2, 6}));
  cublasSswap(handle, 3, x.as(), 1, y.as(), 1);
  EXPECT_EQ(x.read(), (std::vector<float>{16, 24, 32}));
  cublasScopy(handle, 3, x.as(), 1, y.as(), 1);
  EXPECT_EQ(y.read(), x.read());
  cublasSrot(handle, 1, x.as(), 1, y.as(), 1, &c, &s);
  EXPECT_FLOAT_EQ(x.read()[0], 22.4F);
  EXPECT_FLOAT_EQ(y.read()[0], -3.2F);
  float a = 3, b = 4, cosine = 0, sine = 0;
  cublasSrotg(handle, &a, &b, &cosine, &sine);
  EXPECT_FLOAT_EQ(a, 5);
  EXPECT_FLOAT_EQ(cosine, 0.6F);
  EXPECT_FLOAT_EQ(sine, 0.8F);
}

// ---- types ---------------------------------------------------------------------------------------------

TEST(BlasValues, HalfPrecisionRoundsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    ASSERT_EQ(Half(static_cast<float>(half)).bits, bits);
  }
  EXPECT_EQ(Half(2049.F).bits, Half(2048.F).bits);
  EXPECT_EQ(Half(2051.F).bits, Half(2052.F).bits);
  EXPECT_EQ(Half(65520.F).bits, 0x7c00);
  EXPECT_EQ(Half(-1e-8F).bits, 0x8000);
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(std::nanf("")))));
}

TEST_F(Blas, RoundsInputsToTf32OnlyIfAsked) {
  const float fine = 1 + std::ldexp(1.F, -12), one = 1, zero = 0;  // TF32 keeps ten bits
  const OnDevice<float> a({fine}), b({1}), c({0});
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.as(), 1, b.as(), 1, &zero, c.as(), 1);
  EXPECT_EQ(c.read()[0], fine);
  cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.as(), 1, b.as(), 1, &zero, c.as(), 1);
  EXPECT_EQ(c.read()[0], 1);
}

// ---- statuses ------------------------------------------------------------------------------------------

TEST_F(Blas, RefusesAHandleThatIsDestroyed) {
  cublasHandle_t gone = nullptr;
  ASSERT_EQ(cublasCreate(&gone), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasDestroy(gone), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasDestroy(gone), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasSetStream(gone, nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_NOT_INITIALIZED), "CUBLAS_STATUS_NOT_INITIALIZED");
}

TEST_F(Blas, CopiesMatricesAndStridedVectors) {
  const std::vector<int> host{1, 2, 3, 4, 5, 6};
  const OnDevice<int> memory(std::vector<int>(6, 0));
  EXPECT_EQ(cublasSetMatrix(2, 3, sizeof(int), host.data(), 2, memory.as(), 2), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(memory.read(), host);
  std::vector<int> back(3, 0);
  EXPECT_EQ(cublasGetVector(3, sizeof(int), memory.as(), 2, back.data(), 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(back, (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(cublasSetMatrix(2, 3, sizeof(int), host.data(), 1, memory.as(), 2), CUBLAS_STATUS_INVALID_VALUE);
}

}  // namespace
}  // namespace cudalab::blas
