// cuBLAS beyond the three levels: vectors of types that are values, packed triangles, modified rotations, updates of rank k with
// complex int8, groups of products, batches of LU and QR factorizations, and settings of emulated products. Each result is
// compared with a loop on the host.
// nvcc: -lcublas
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "check.h"

#define BLAS(call)                                                         \
  do {                                                                     \
    const cublasStatus_t status_ = (call);                                 \
    if (status_ != CUBLAS_STATUS_SUCCESS) {                                \
      std::printf("line %d: %s\n", __LINE__, cublasGetStatusName(status_)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

using Z = std::complex<double>;
using C = std::complex<float>;

// Device memory with the elements of a vector.
template <class T>
class Memory {
 public:
  explicit Memory(const std::vector<T>& values) : count_(values.size()) {
    CHECK(cudaMalloc(&memory_, count_ * sizeof(T)));
    CHECK(cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Memory() { CHECK(cudaFree(memory_)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  template <class To = T>
  To* at(std::size_t index = 0) const {
    return (To*)(memory_ + index);
  }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    CHECK(cudaMemcpy(values.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* memory_ = nullptr;
  std::size_t count_;
};

// The addresses of `batch` matrices of `size` elements each.
template <class T>
std::vector<T*> addresses(const Memory<T>& matrices, int batch, int size) {
  std::vector<T*> all;
  for (int i = 0; i < batch; ++i) all.push_back(matrices.at(std::size_t(i) * size));
  return all;
}

double wide(float value) { return value; }
double wide(double value) { return value; }
double wide(__half value) { return double(float(value)); }
Z wide(C value) { return Z(value); }
Z wide(Z value) { return value; }

void report(const char* name, double error, double tolerance) {
  if (error <= tolerance)
    std::printf("%s: right\n", name);
  else
    std::printf("%s: wrong by %g\n", name, error);
}

template <class T, class Wanted>
double difference(const std::vector<T>& found, const std::vector<Wanted>& wanted) {
  double worst = found.size() == wanted.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < found.size() && i < wanted.size(); ++i)
    worst = std::fmax(worst, std::abs(wide(found[i]) - Wanted(wanted[i])));
  return worst;
}

// ---- vectors -------------------------------------------------------------------------------------------

constexpr int kN = 40;

template <class T>
T number(float real, float) {
  return T(real);
}
template <>
C number<C>(float real, float imaginary) {
  return C(real, imaginary);
}
template <>
Z number<Z>(float real, float imaginary) {
  return Z(real, imaginary);
}
double conjugate(double value) { return value; }
Z conjugate(Z value) { return std::conj(value); }

template <class T, class Scale, class Wide>
void combine_vectors(cublasHandle_t handle, const char* name, cudaDataType type, cudaDataType scale, cudaDataType execution,
                     double tolerance) {
  std::vector<T> x, y;
  for (int i = 0; i < kN; ++i)
    x.push_back(number<T>(float(i % 7 - 3) / 4, float(i % 3))), y.push_back(number<T>(float(i % 5 - 1) / 2, float(i % 4 - 2)));
  const Scale alpha = Scale(1.5F), half = Scale(0.5F);
  const Memory<T> device_x(x), device_y(y);
  BLAS(cublasAxpyEx(handle, kN, &alpha, scale, device_x.at(), type, 1, device_y.at(), type, 1, execution));
  BLAS(cublasScalEx(handle, kN / 2, &half, scale, device_x.at(), type, 2, execution));
  std::vector<Wide> wanted_x, wanted_y;
  Wide wanted_dot = 0, wanted_dotc = 0;
  for (int i = 0; i < kN; ++i) {
    wanted_x.push_back(wide(x[i]) * (i % 2 == 0 ? 0.5 : 1.0));
    wanted_y.push_back(wide(y[i]) + 1.5 * wide(x[i]));
    wanted_dot += wanted_x[i] * wanted_y[i];
    wanted_dotc += conjugate(wanted_x[i]) * wanted_y[i];
  }
  T dot{}, dotc{};
  BLAS(cublasDotEx(handle, kN, device_x.at(), type, 1, device_y.at(), type, 1, &dot, type, execution));
  BLAS(cublasDotcEx(handle, kN, device_x.at(), type, 1, device_y.at(), type, 1, &dotc, type, execution));
  double error = std::fmax(difference(device_x.read(), wanted_x), difference(device_y.read(), wanted_y));
  error = std::fmax(error, std::abs(wide(dot) - wanted_dot));
  error = std::fmax(error, std::abs(wide(dotc) - wanted_dotc)); 
  report(name, error, tolerance);
}

void rotate_and_measure(cublasHandle_t handle) {
  std::vector<Z> x, y, wanted_x, wanted_y;
  const double c = 0.8;
  const Z s(0, 0.6);
  for (int i = 0; i < kN; ++i) {
    x.push_back(Z(i % 7, i % 3)), y.push_back(Z(-i % 5, 1));
    wanted_x.push_back(c * x[i] + s * y[i]);
    wanted_y.push_back(c * y[i] - std::conj(s) * x[i]);
  }
  const Memory<Z> device_x(x), device_y(y);
  BLAS(cublasRotEx(handle, kN, device_x.at(), CUDA_C_64F, 1, device_y.at(), CUDA_C_64F, 1, &c, &s, CUDA_C_64F, CUDA_C_64F));
  report("rotation", std::fmax(difference(device_x.read(), wanted_x), difference(device_y.read(), wanted_y)), 1e-12);
  double norm = 0, squares = 0;
  BLAS(cublasNrm2Ex(handle, kN, device_y.at(), CUDA_C_64F, 1, &norm, CUDA_R_64F, CUDA_R_64F));
  for (const Z value : wanted_y) squares += std::norm(value);
  report("norm", std::fabs(norm - std::sqrt(squares)), 1e-12);

  // The rotation sets the second component to 0 and keeps d1 x1^2 + d2 y1^2.
  double d1 = 3.1, d2 = 0.62, x1 = 0.5, param[5] = {0, 0, 0, 0, 0};
  const double y1 = 5.4, kept = d1 * x1 * x1 + d2 * y1 * y1, before = x1;
  BLAS(cublasDrotmg(handle, &d1, &d2, &x1, &y1, param));
  const double h11 = param[0] == 0 ? 1 : param[1], h22 = param[0] == 0 ? 1 : param[4];
  const double h21 = param[0] == 1 ? -1 : param[2], h12 = param[0] == 1 ? 1 : param[3];
  const double error = std::fabs(h11 * before + h12 * y1 - x1) + std::fabs(h21 * before + h22 * y1) +
                       std::fabs(d1 * x1 * x1 - kept);
  report("modified rotation", error, 1e-12);
}

// ---- triangles and updates -----------------------------------------------------------------------------

void copy_triangles(cublasHandle_t handle) {
  constexpr int kSize = 6, kLd = 8;
  double error = 0;
  for (const cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    std::vector<double> packed, whole(kLd * kSize, -1), turned(kSize * (kSize + 1) / 2, -1);
    for (std::size_t i = 0; i < turned.size(); ++i) packed.push_back(double(i));
    std::vector<double> wanted = whole;
    for (int j = 0, next = 0; j < kSize; ++j)
      for (int i = 0; i < kSize; ++i)
        if (uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j) wanted[i + j * kLd] = packed[next++];
    const Memory<double> from(packed), to(whole), back(turned);
    BLAS(cublasDtpttr(handle, uplo, kSize, from.at(), to.at(), kLd));
    BLAS(cublasDtrttp(handle, uplo, kSize, to.at(), kLd, back.at()));
    error = std::fmax(error, std::fmax(difference(to.read(), wanted), difference(back.read(), packed)));
  }
  report("triangles", error, 0);
}

struct Complex8 {
  std::int8_t x, y;
};

void update_of_rank_k(cublasHandle_t handle) {
  constexpr int kSize = 5, kDepth = 7;
  std::vector<C> a, c(kSize * kSize, C(1, 0));
  std::vector<Complex8> small;
  for (int i = 0; i < kSize * kDepth; ++i) {
    small.push_back({std::int8_t(i % 11 - 5), std::int8_t(i % 6 - 2)});
    a.push_back(C(small[i].x, small[i].y));
  }
  const float alpha = 2, beta = 0.5F;
  const cuComplex alphas = {2, 1}, betas = {0.5F, 0};
  std::vector<Z> hermitian(kSize * kSize, Z(1, 0)), symmetric = hermitian;
  for (int j = 0; j < kSize; ++j)
    for (int i = j; i < kSize; ++i) {
      Z sum = 0, other = 0;
      for (int k = 0; k < kDepth; ++k) {
        sum += wide(a[i + k * kSize]) * std::conj(wide(a[j + k * kSize]));
        other += wide(a[i + k * kSize]) * wide(a[j + k * kSize]);
      }
      hermitian[i + j * kSize] = 2.0 * sum + 0.5;
      symmetric[i + j * kSize] = Z(2, 1) * other + 0.5;
    }
  const Memory<C> device_a(a);
  const Memory<Complex8> device_small(small);
  double error = 0;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  for (const auto& [data, type] :
       {std::pair<const void*, cudaDataType>{device_a.at(), CUDA_C_32F}, {device_small.at(), CUDA_C_8I}})
    for (const bool is_3m : {false, true}) {
      const Memory<C> of_a(c), of_b(c);
      BLAS((is_3m ? cublasCherk3mEx : cublasCherkEx)(handle, lower, CUBLAS_OP_N, kSize, kDepth, &alpha, data, type, kSize,
                                                    &beta, of_a.at(), CUDA_C_32F, kSize));
      BLAS((is_3m ? cublasCsyrk3mEx : cublasCsyrkEx)(handle, lower, CUBLAS_OP_N, kSize, kDepth, &alphas, data, type, kSize,
                                                    &betas, of_b.at(), CUDA_C_32F, kSize));
      error = std::fmax(error, difference(of_a.read(), hermitian));
      error = std::fmax(error, difference(of_b.read(), symmetric));
    }
  report("updates of rank k", error, 1e-3);
}

// ---- groups of products --------------------------------------------------------------------------------

template <class T>
double multiply_groups(cublasHandle_t handle, bool by_type, cudaDataType type, cublasComputeType_t compute) {
  constexpr int kGroups = 2;
  const int m[] = {3, 5}, n[] = {4, 2}, k[] = {6, 3}, sizes[] = {2, 1};
  const cublasOperation_t plain[] = {CUBLAS_OP_N, CUBLAS_OP_N}, turned[] = {CUBLAS_OP_T, CUBLAS_OP_N};
  const T alpha[] = {2, 1}, beta[] = {0, 3};
  const int lda[] = {3, 5}, ldb[] = {4, 3}, ldc[] = {3, 5};
  constexpr int kRoom = 32, kCount = 3;
  std::vector<T> a, b;
  for (int i = 0; i < kRoom * kCount; ++i) a.push_back(T(i % 9 - 4)), b.push_back(T(i % 7 - 2));
  const std::vector<T> c(kRoom * kCount, 1);
  const Memory<T> device_a(a), device_b(b), device_c(c);
  const Memory<T*> as(addresses(device_a, kCount, kRoom)), bs(addresses(device_b, kCount, kRoom)),
      cs(addresses(device_c, kCount, kRoom));
  std::vector<double> wanted(c.begin(), c.end());
  for (int group = 0, matrix = 0; group < kGroups; ++group)
    for (int each = 0; each < sizes[group]; ++each, ++matrix)
      for (int j = 0; j < n[group]; ++j)
        for (int i = 0; i < m[group]; ++i) {
          double sum = 0;
          for (int l = 0; l < k[group]; ++l)
            sum += a[matrix * kRoom + i + l * lda[group]] *
                   b[matrix * kRoom + (turned[group] == CUBLAS_OP_T ? j + l * ldb[group] : l + j * ldb[group])];
          wanted[matrix * kRoom + i + j * ldc[group]] = alpha[group] * sum + beta[group];
        }
  if (by_type)
    BLAS(cublasGemmGroupedBatchedEx(handle, plain, turned, m, n, k, alpha, as.template at<const void*>(), type, lda,
                                    bs.template at<const void*>(), type, ldb, beta, cs.template at<void*>(), type, ldc,
                                    kGroups, sizes, compute));
  else
    BLAS(cublasDgemmGroupedBatched(handle, plain, turned, m, n, k, (const double*)alpha, as.template at<const double*>(), lda,
                                   bs.template at<const double*>(), ldb, (const double*)beta, cs.template at<double*>(),
                                   ldc, kGroups, sizes));
  return difference(device_c.read(), wanted);
}

// ---- batches of systems of equations -------------------------------------------------------------------

constexpr int kBatch = 3, kSize = 7;

// Matrices that need exchanges of rows: the first pivot is 0.
std::vector<Z> systems() {
  std::vector<Z> all;
  for (int i = 0; i < kBatch * kSize * kSize; ++i)
    all.push_back(i % (kSize * kSize) == 0 ? Z(0, 0) : Z(i * 37 % 101 / 50.0 - 1, i * 53 % 89 / 44.0 - 1));
  return all;
}

// The largest element of op(A) X - B for one system.
double residual(const Z* a, int rows, int columns, const Z* x, int ldx, const Z* b, int count, bool is_turned) {
  double worst = 0;
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < rows; ++i) {
      Z sum = -b[i + j * rows];
      for (int k = 0; k < columns; ++k)
        sum += (is_turned ? std::conj(a[k + i * rows]) : a[i + k * rows]) * x[k + j * ldx];
      worst = std::fmax(worst, std::abs(sum));
    }
  return worst;
}

void solve_with_lu(cublasHandle_t handle) {
  constexpr int kRight = 2, kElements = kSize * kSize;
  const std::vector<Z> a = systems();
  std::vector<Z> b(kBatch * kSize * kRight), unit(kElements, 0);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = Z(double(i % 5), double(i % 3));
  for (int i = 0; i < kSize; ++i) unit[i * (kSize + 1)] = 1;
  using E = cuDoubleComplex;
  const Memory<Z> lu(a), given(a), inverses(std::vector<Z>(kBatch * kElements)), others(std::vector<Z>(kBatch * kElements));
  const Memory<int> pivots(std::vector<int>(kBatch * kSize)), info(std::vector<int>(kBatch, -1));
  const Memory<Z*> lus(addresses(lu, kBatch, kElements)), all_given(addresses(given, kBatch, kElements)),
      all_inverses(addresses(inverses, kBatch, kElements)), all_others(addresses(others, kBatch, kElements));
  BLAS(cublasZgetrfBatched(handle, kSize, lus.at<E*>(), kSize, pivots.at(), info.at(), kBatch));
  double error = 0;
  for (const int one : info.read()) error += std::abs(one);
  for (const bool is_turned : {false, true}) {
    const Memory<Z> x(b);
    const Memory<Z*> xs(addresses(x, kBatch, kSize * kRight));
    int failed = -1;
    BLAS(cublasZgetrsBatched(handle, is_turned ? CUBLAS_OP_C : CUBLAS_OP_N, kSize, kRight, lus.at<const E*>(), kSize,
                             pivots.at(), xs.at<E*>(), kSize, &failed, kBatch));
    const std::vector<Z> found = x.read();
    for (int i = 0; i < kBatch; ++i)
      error = std::fmax(error, residual(&a[i * kElements], kSize, kSize, &found[i * kSize * kRight], kSize,
                                        &b[i * kSize * kRight], kRight, is_turned));
    error += failed;
  }
  report("solutions with LU", error, 1e-11);
  BLAS(cublasZgetriBatched(handle, kSize, lus.at<const E*>(), kSize, pivots.at(), all_inverses.at<E*>(), kSize, info.at(),
                           kBatch));
  BLAS(cublasZmatinvBatched(handle, kSize, all_given.at<const E*>(), kSize, all_others.at<E*>(), kSize, info.at(), kBatch));
  const std::vector<Z> first = inverses.read(), second = others.read();
  error = difference(first, second);
  for (int i = 0; i < kBatch; ++i)
    error = std::fmax(error, residual(&a[i * kElements], kSize, kSize, &first[i * kElements], kSize, unit.data(), kSize, false));
  report("inverses", error, 1e-11);

  // A column of zeros: its number is reported.
  std::vector<double> singular{1, 2, 3, 2, 4, 6, 1, 5, 7};
  const Memory<double> bad(singular);
  const Memory<double*> bads(addresses(bad, 1, 9));
  BLAS(cublasDgetrfBatched(handle, 3, bads.at(), 3, nullptr, info.at(), 1));
  std::printf("singular: %d\n", info.read()[0]);
}

void solve_least_squares(cublasHandle_t handle) {
  constexpr int kRows = 9, kColumns = 4, kElements = kRows * kColumns;
  using E = cuDoubleComplex;
  std::vector<Z> a, b;
  for (int i = 0; i < kBatch * kElements; ++i) a.push_back(Z(i * 37 % 101 / 50.0 - 1, i * 53 % 89 / 44.0 - 1));
  for (int i = 0; i < kBatch * kRows; ++i) b.push_back(Z(i % 5, i % 4));
  const Memory<Z> qr(a), least(a), taus(std::vector<Z>(kBatch * kColumns)), x(b);
  const Memory<Z*> qrs(addresses(qr, kBatch, kElements)), leasts(addresses(least, kBatch, kElements)),
      all_taus(addresses(taus, kBatch, kColumns)), xs(addresses(x, kBatch, kRows));
  int failed = -1;
  BLAS(cublasZgeqrfBatched(handle, kRows, kColumns, qrs.at<E*>(), kRows, all_taus.at<E*>(), &failed, kBatch));
  double error = failed;
  // R^H R = A^H A.
  const std::vector<Z> r = qr.read();
  for (int matrix = 0; matrix < kBatch; ++matrix)
    for (int i = 0; i < kColumns; ++i)
      for (int j = 0; j < kColumns; ++j) {
        Z sum = 0;
        for (int k = 0; k < kRows; ++k) {
          const auto at = [&](int column) { return matrix * kElements + k + column * kRows; };
          sum += std::conj(a[at(i)]) * a[at(j)];
          if (k <= i && k <= j) sum -= std::conj(r[at(i)]) * r[at(j)];
        }
        error = std::fmax(error, std::abs(sum));
      }
  report("QR", error, 1e-12);
  const Memory<int> singular(std::vector<int>(kBatch, -1));
  BLAS(cublasZgelsBatched(handle, CUBLAS_OP_N, kRows, kColumns, 1, leasts.at<E*>(), kRows, xs.at<E*>(), kRows, &failed,
                          singular.at(), kBatch));
  // The rest b - A x is orthogonal to the columns of A.
  const std::vector<Z> found = x.read();
  error = failed + std::abs(singular.read()[kBatch - 1]);
  for (int matrix = 0; matrix < kBatch; ++matrix)
    for (int column = 0; column < kColumns; ++column) {
      Z sum = 0;
      for (int i = 0; i < kRows; ++i) {
        Z rest = b[matrix * kRows + i];
        for (int k = 0; k < kColumns; ++k) rest -= a[matrix * kElements + i + k * kRows] * found[matrix * kRows + k];
        sum += std::conj(a[matrix * kElements + i + column * kRows]) * rest;
      }
      error = std::fmax(error, std::abs(sum));
    }
  report("least squares", error, 1e-11);
}

void use_batches_of_triangles_and_vectors(cublasHandle_t handle) {
  constexpr int kElements = kSize * kSize, kRight = 2;
  std::vector<float> a, b, x;
  for (int i = 0; i < kBatch * kElements; ++i) a.push_back(i % kElements % (kSize + 1) == 0 ? 4.0F : float(i % 5) / 4);
  for (int i = 0; i < kBatch * kSize * kRight; ++i) b.push_back(float(i % 7));
  const Memory<float> matrices(a), solved(b), vectors(b), results(std::vector<float>(kBatch * kSize, 2));
  const Memory<float*> all(addresses(matrices, kBatch, kElements)), xs(addresses(solved, kBatch, kSize * kRight)),
      from(addresses(vectors, kBatch, kSize)), to(addresses(results, kBatch, kSize));
  const float alpha = 2, beta = 0.5F;
  BLAS(cublasStrsmBatched(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, kSize, kRight,
                          &alpha, all.at<const float*>(), kSize, xs.at<float*>(), kSize, kBatch));
  const std::vector<float> found = solved.read();
  double error = 0;
  for (int matrix = 0; matrix < kBatch; ++matrix)
    for (int j = 0; j < kRight; ++j)
      for (int i = 0; i < kSize; ++i) {
        const int column = matrix * kSize * kRight + j * kSize;
        double sum = -2.0 * b[column + i];
        for (int k = 0; k <= i; ++k) sum += double(a[matrix * kElements + i + k * kSize]) * found[column + k];
        error = std::fmax(error, std::fabs(sum));
      }
  report("triangular systems", error, 1e-4);
  BLAS(cublasSgemvBatched(handle, CUBLAS_OP_T, kSize, kSize, &alpha, all.at<const float*>(), kSize, from.at<const float*>(), 1,
                          &beta, to.at<float*>(), 1, kBatch));
  std::vector<double> wanted;
  for (int matrix = 0; matrix < kBatch; ++matrix)
    for (int i = 0; i < kSize; ++i) {
      double sum = 0;
      for (int k = 0; k < kSize; ++k) sum += double(a[matrix * kElements + k + i * kSize]) * b[matrix * kSize + k];
      wanted.push_back(2 * sum + 1);
    }
  report("matrices and vectors", difference(results.read(), wanted), 1e-4);
}

// ---- emulated products ---------------------------------------------------------------------------------

void emulate(cublasHandle_t handle) {
  cublasEmulationStrategy_t strategy;
  cudaEmulationMantissaControl control;
  int bits = -1;
  BLAS(cublasSetMathMode(handle, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH));
  BLAS(cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER));
  BLAS(cublasSetFixedPointEmulationMantissaControl(handle, CUDA_EMULATION_MANTISSA_CONTROL_FIXED));
  BLAS(cublasSetFixedPointEmulationMaxMantissaBitCount(handle, 55));
  BLAS(cublasGetEmulationStrategy(handle, &strategy));
  BLAS(cublasGetFixedPointEmulationMantissaControl(handle, &control));
  BLAS(cublasGetFixedPointEmulationMaxMantissaBitCount(handle, &bits));
  std::printf("emulation: %d %d %d\n", int(strategy), int(control), bits);
  const Memory<double> a({1, 2, 3, 4}), b({5, 6, 7, 8}), c({0, 0, 0, 0});
  const Memory<float> small(std::vector<float>{1, 2, 3, 4}), product(std::vector<float>(4));
  const double one = 1, zero = 0;
  const float one_float = 1, zero_float = 0;
  BLAS(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a.at(), 2, b.at(), 2, &zero, c.at(), 2));
  BLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one_float, small.at(), CUDA_R_32F, 2, small.at(), CUDA_R_32F,
                    2, &zero_float, product.at(), CUDA_R_32F, 2, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUBLAS_GEMM_DEFAULT));
  const auto doubles = c.read();
  const auto floats = product.read();
  std::printf("products: %g %g %g %g, %g %g %g %g\n", doubles[0], doubles[1], doubles[2], doubles[3], floats[0], floats[1],
              floats[2], floats[3]);
}

int main() {
  cublasHandle_t handle;
  BLAS(cublasCreate(&handle));
  combine_vectors<__half, float, double>(handle, "half", CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, 0.02);
  combine_vectors<float, float, double>(handle, "float", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 1e-4);
  combine_vectors<double, double, double>(handle, "double", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, 1e-12);
  combine_vectors<C, C, Z>(handle, "complex float", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 1e-4);
  combine_vectors<Z, Z, Z>(handle, "complex double", CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, 1e-12);
  rotate_and_measure(handle);
  copy_triangles(handle);
  update_of_rank_k(handle);
  report("groups of products",
         std::fmax(multiply_groups<double>(handle, false, CUDA_R_64F, CUBLAS_COMPUTE_64F),
                   multiply_groups<float>(handle, true, CUDA_R_32F, CUBLAS_COMPUTE_32F)),
         1e-4);
  solve_with_lu(handle);
  solve_least_squares(handle);
  use_batches_of_triangles_and_vectors(handle);
  emulate(handle);
  BLAS(cublasDestroy(handle));
}
