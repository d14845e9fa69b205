// Level 3 of cuBLAS, and its extensions for whole matrices. Each function brings its matrices into the form
// that multiply() takes (transposed, mirrored, converted) and states how each element of the product is
// stored.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "libraries/blas/call.h"
#include "libraries/blas/level2.h"
#include "libraries/blas/multiply.h"

namespace cudalab::blas {

// How inputs are rounded before the multiplication, as on tensor cores.
enum class Rounding : std::uint8_t { kNone, kTf32, kHalf, kBfloat16 };

template <class To, class From>
To converted(From value, Rounding rounding) {
  if constexpr (kIsComplex<From>) {
    using R = Real<To>;
    return {converted<R>(value.real(), rounding), converted<R>(value.imag(), rounding)};
  } else if constexpr (std::is_same_v<From, float>) {
    switch (rounding) {
      case Rounding::kNone: break;
      case Rounding::kTf32: return To(rounded_to_tf32(value));
      case Rounding::kHalf: return To(float(Half(value)));
      case Rounding::kBfloat16: return To(float(Bfloat16(value)));
    }
    return To(value);
  } else {
    return To(value);
  }
}

// op(A), with `rows` rows and `columns` columns, in the compute type.
template <class To, class From>
Dense<To> operand(const From* data, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                  cublasOperation_t operation, Rounding rounding = Rounding::kNone) {
  if constexpr (std::is_same_v<To, From>)
    if (operation == CUBLAS_OP_N && rounding == Rounding::kNone) return {{data, rows, columns, leading}};
  return dense_of<To>(rows, columns, [=](std::int64_t i, std::int64_t j) {
    if (operation == CUBLAS_OP_N) return converted<To>(data[i + j * leading], rounding);
    const From element = data[j + i * leading];
    if constexpr (kIsComplex<From>)
      return converted<To>(operation == CUBLAS_OP_C ? std::conj(element) : element, rounding);
    else
      return converted<To>(element, rounding);
  });
}

enum class Part : std::uint8_t { kAll, kLower, kUpper };
inline Part part_of(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? Part::kLower : Part::kUpper;
}

// Converts an element from the compute type to the type in memory.
template <class Out, class C>
Out stored_as(C value) {
  if constexpr (std::is_integral_v<Out>)
    return static_cast<Out>(static_cast<std::int64_t>(value));
  else
    return Out(value);
}

// c = alpha (a b) + beta c for a part of c.
template <class C, class Out>
void multiply_into(const Matrix<Out>& c, const Dense<C>& a, const Dense<C>& b, C alpha, C beta,
                   unsigned threads, Part part = Part::kAll) {
  multiply<C>(a.view, b.view, threads, [&](const Tile<C>& tile) {
    for (std::int64_t j = 0; j < tile.elements.columns; ++j) {
      const std::int64_t column = tile.column + j;
      std::int64_t from = 0, to = tile.elements.rows;
      if (part == Part::kLower) from = std::clamp<std::int64_t>(column - tile.row, 0, to);
      if (part == Part::kUpper) to = std::clamp<std::int64_t>(column - tile.row + 1, 0, to);
      for (std::int64_t i = from; i < to; ++i) {
        Out& element = c(tile.row + i, column);
        const C added = product(alpha, tile.elements(i, j));
        element = stored_as<Out>(beta == C{} ? added : added + product(beta, C(element)));
      }
    }
  });
}

// ---- gemm ----------------------------------------------------------------------------------------------

// The types of a multiplication: inputs, output, alpha and beta, and computation.
template <class InT, class OutT, class ScaleT, class ComputeT>
struct GemmTypes {
  using In = InT;
  using Out = OutT;
  using Scale = ScaleT;
  using C = ComputeT;
};
template <class T>
using PlainTypes = GemmTypes<T, T, T, Compute<T>>;

// The unit that a multiplication runs on, and how its inputs are rounded.
struct GemmUnit {
  LibraryUnit unit = LibraryUnit::kFp32;
  double factor = 1;  // operations of tensor cores per operation
  Rounding rounding = Rounding::kNone;
};

inline GemmUnit unit_of_mode(cublasMath_t mode) {
  if ((mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) == CUBLAS_TF32_TENSOR_OP_MATH)
    return {LibraryUnit::kTensor, 2, Rounding::kTf32};
  if ((mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) == CUBLAS_TENSOR_OP_MATH)
    return {LibraryUnit::kTensor, 1, Rounding::kHalf};
  return {};
}
template <class T>
GemmUnit unit_of(const Call& call) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) return {LibraryUnit::kTensor, 1};
  if constexpr (std::is_same_v<T, std::int8_t>) return {LibraryUnit::kTensor, 0.5};
  if constexpr (std::is_same_v<Real<T>, float>)
    return call.is_valid() ? unit_of_mode(call.context().math_mode) : GemmUnit{};
  return {kMatrixUnitOf<T>};
}

struct GemmShape {
  cublasOperation_t transa, transb;
  std::int64_t m, n, k, lda, ldb, ldc, batch = 1;

  std::int64_t rows_of_a() const { return is_transposed(transa) ? k : m; }
  std::int64_t columns_of_a() const { return is_transposed(transa) ? m : k; }
  std::int64_t rows_of_b() const { return is_transposed(transb) ? n : k; }
  std::int64_t columns_of_b() const { return is_transposed(transb) ? k : n; }
  double multiplications() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(batch);
  }
  void check(Call& call) const {
    call.operation("transa", transa);
    call.operation("transb", transb);
    call.size("m", m);
    call.size("n", n);
    call.size("k", k);
    call.at_least("lda", lda, std::max<std::int64_t>(1, rows_of_a()));
    call.at_least("ldb", ldb, std::max<std::int64_t>(1, rows_of_b()));
    call.at_least("ldc", ldc, std::max<std::int64_t>(1, m));
    call.size("batchCount", batch);
  }
};

// A matrix argument of a batched call: the first matrix, and where the others are.
struct Batched {
  const void* first = nullptr;  // with `is_array`: device memory with the addresses of all matrices
  std::int64_t stride = 0;
  bool is_array = false;
};

template <class Types>
class Gemm {
 public:
  using In = typename Types::In;
  using Out = typename Types::Out;
  using C = typename Types::C;

  Gemm(const GemmShape& shape, Rounding rounding) : shape_(shape), rounding_(rounding) {}

  // If beta is 0, C is only written.
  LibraryMemory a(const void* address) const {
    return memory<In>("A", address, shape_.rows_of_a(), shape_.columns_of_a(), shape_.lda);
  }
  LibraryMemory b(const void* address) const {
    return memory<In>("B", address, shape_.rows_of_b(), shape_.columns_of_b(), shape_.ldb);
  }
  LibraryMemory c(const void* address, Access access) const {
    LibraryMemory made = memory<Out>("C", address, shape_.m, shape_.n, shape_.ldc);
    made.is_read = access != Access::kWrite;
    made.is_written = true;
    made.is_read_in_part = access == Access::kUpdateInPart;
    return made;
  }
  void run(const void* a, const void* b, void* c, C alpha, C beta, unsigned threads) const {
    // As in BLAS, A and B are not read if alpha is 0.
    const std::int64_t depth = alpha == C{} ? 0 : shape_.k;
    multiply_into<C, Out>(
        {static_cast<Out*>(c), shape_.m, shape_.n, shape_.ldc},
        operand<C>(static_cast<const In*>(a), shape_.m, depth, shape_.lda, shape_.transa, rounding_),
        operand<C>(static_cast<const In*>(b), depth, shape_.n, shape_.ldb, shape_.transb, rounding_), alpha,
        beta, threads);
  }

 private:
  template <class T>
  static LibraryMemory memory(const char* name, const void* address, std::int64_t rows, std::int64_t columns,
                              std::int64_t leading) {
    return {name, address, rows * sizeof(T), static_cast<std::size_t>(columns), leading * sizeof(T)};
  }

  GemmShape shape_;
  Rounding rounding_;
};

template <class Types>
cublasStatus_t gemm_call(Call& call, const GemmShape& shape, GemmUnit unit, const void* alpha,
                         const Batched& a, const Batched& b, const void* beta, const Batched& c) {
  using In = typename Types::In;
  using Out = typename Types::Out;
  using C = typename Types::C;
  shape.check(call);
  const auto by = call.factor<typename Types::Scale>("alpha", alpha),
             kept = call.factor<typename Types::Scale>("beta", beta);
  if (!call.is_valid() || shape.m == 0 || shape.n == 0 || shape.batch == 0) return call.finish(nullptr);
  const bool is_overwritten = kept.value && C(*kept.value) == C{};
  const Access access = access_with(is_overwritten, !kept.value);
  const Gemm<Types> gemm(shape, unit.rounding);
  const auto add = [&](const LibraryMemory& memory) { call.memory(memory); };
  std::size_t first = call.memory_count();
  double bytes = 0;
  if (a.is_array) {
    for (const auto& [name, array] :
         {std::pair{"Aarray", &a}, std::pair{"Barray", &b}, std::pair{"Carray", &c}})
      add({name, array->first, shape.batch * sizeof(void*)});
    bytes = static_cast<double>(shape.batch) *
            static_cast<double>((shape.m + shape.n) * shape.k * sizeof(In) + shape.m * shape.n * sizeof(Out));
  } else {
    const auto at = [](const Batched& of, std::int64_t i, std::size_t size) {
      return static_cast<const std::byte*>(of.first) + i * of.stride * static_cast<std::int64_t>(size);
    };
    for (std::int64_t i = 0; i < shape.batch; ++i) {
      add(gemm.a(at(a, i, sizeof(In))));
      add(gemm.b(at(b, i, sizeof(In))));
      add(gemm.c(at(c, i, sizeof(Out)), access));
    }
  }
  call.costs(LibraryPattern::kProduct, unit.unit, kOperationsOf<C> * unit.factor * shape.multiplications(),
             bytes);
  return call.finish([=, is_array = a.is_array](const Reached& reached) {
    LibraryReach& reach = reached.reach();
    const C alpha_value = C(by.in(reached)), beta_value = C(kept.in(reached));
    for (std::int64_t i = 0; i < shape.batch; ++i) {
      std::byte* places[3];
      for (std::size_t j = 0; j < 3; ++j) {
        if (!is_array) {
          places[j] = reached.at<std::byte>(first + static_cast<std::size_t>(i) * 3 + j);
          continue;
        }
        const void* address = reached.at<const void*>(first + j)[i];
        places[j] = reach.of(j == 0 ? gemm.a(address) : j == 1 ? gemm.b(address) : gemm.c(address, access));
      }
      gemm.run(places[0], places[1], places[2], alpha_value, beta_value, reach.threads());
    }
  });
}

template <class T>
cublasStatus_t gemm(Entry entry, cublasOperation_t transa, cublasOperation_t transb, std::int64_t m,
                    std::int64_t n, std::int64_t k, const void* alpha, const void* a, std::int64_t lda,
                    const void* b, std::int64_t ldb, const void* beta, void* c, std::int64_t ldc) {
  Call call(entry);
  return gemm_call<PlainTypes<T>>(call, {transa, transb, m, n, k, lda, ldb, ldc}, unit_of<T>(call), alpha,
                                  {a}, {b}, beta, {c});
}
template <class T>
cublasStatus_t gemm_batched(Entry entry, cublasOperation_t transa, cublasOperation_t transb, std::int64_t m,
                            std::int64_t n, std::int64_t k, const void* alpha, const void* a,
                            std::int64_t lda, const void* b, std::int64_t ldb, const void* beta,
                            const void* c, std::int64_t ldc, std::int64_t batch) {
  Call call(entry);
  return gemm_call<PlainTypes<T>>(call, {transa, transb, m, n, k, lda, ldb, ldc, batch}, unit_of<T>(call),
                                  alpha, {a, 0, true}, {b, 0, true}, beta, {c, 0, true});
}
template <class T>
cublasStatus_t gemm_strided_batched(Entry entry, cublasOperation_t transa, cublasOperation_t transb,
                                    std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,
                                    const void* a, std::int64_t lda, std::int64_t stride_a, const void* b,
                                    std::int64_t ldb, std::int64_t stride_b, const void* beta, void* c,
                                    std::int64_t ldc, std::int64_t stride_c, std::int64_t batch) {
  Call call(entry);
  return gemm_call<PlainTypes<T>>(call, {transa, transb, m, n, k, lda, ldb, ldc, batch}, unit_of<T>(call),
                                  alpha, {a, stride_a}, {b, stride_b}, beta, {c, stride_c});
}

// ---- symmetric, Hermitian and triangular matrices ------------------------------------------------------

// All elements of a matrix of which one triangle is stored.
template <class T>
Dense<T> mirrored(const T* data, std::int64_t n, std::int64_t leading, cublasFillMode_t uplo,
                  bool is_hermitian) {
  return dense_of<T>(n, n, [=](std::int64_t i, std::int64_t j) {
    const bool is_stored = uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
    const T element = is_stored ? data[i + j * leading] : data[j + i * leading];
    if (!is_hermitian) return element;
    return i == j ? T(std::real(element)) : is_stored ? element : conjugate(element);
  });
}

// op(A) of a triangular matrix, with zeros in the other triangle.
template <class T>
Dense<T> triangle_of(const T* data, std::int64_t n, std::int64_t leading, cublasFillMode_t uplo,
                     cublasOperation_t trans, cublasDiagType_t diag) {
  return dense_of<T>(n, n, [=](std::int64_t i, std::int64_t j) {
    const auto [row, column] = is_transposed(trans) ? std::pair(j, i) : std::pair(i, j);
    if (uplo == CUBLAS_FILL_MODE_LOWER ? row < column : row > column) return T{};
    if (row == column && diag == CUBLAS_DIAG_UNIT) return T(1);
    const T element = data[row + column * leading];
    return trans == CUBLAS_OP_C ? conjugate(element) : element;
  });
}

struct SidedShape {
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  std::int64_t m, n, lda, ldb, ldc;
  std::int64_t order() const { return side == CUBLAS_SIDE_LEFT ? m : n; }
  void check(Call& call) const {
    call.side(side);
    call.fill(uplo);
    call.size("m", m);
    call.size("n", n);
    call.at_least("lda", lda, std::max<std::int64_t>(1, order()));
    call.at_least("ldb", ldb, std::max<std::int64_t>(1, m));
    call.at_least("ldc", ldc, std::max<std::int64_t>(1, m));
  }
  double multiplications() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(order());
  }
  Access access_of_a() const { return order() > 1 ? Access::kReadInPart : Access::kRead; }
};

template <class T>
cublasStatus_t symm(Entry entry, bool is_hermitian, cublasSideMode_t side, cublasFillMode_t uplo,
                    std::int64_t m, std::int64_t n, const void* alpha, const void* a, std::int64_t lda,
                    const void* b, std::int64_t ldb, const void* beta, void* c, std::int64_t ldc) {
  Call call(entry);
  const SidedShape shape{side, uplo, m, n, lda, ldb, ldc};
  shape.check(call);
  const Factor<T> by = call.factor<T>("alpha", alpha), kept = call.factor<T>("beta", beta);
  if (!call.is_valid() || m == 0 || n == 0) return call.finish(nullptr);
  const std::int64_t order = shape.order();
  const std::size_t one = call.matrix<T>("A", a, order, order, lda, shape.access_of_a());
  const std::size_t other = call.matrix<T>("B", b, m, n, ldb, Access::kRead);
  const std::size_t to = call.matrix<T>("C", c, m, n, ldc, access_with(kept));
  call.costs(LibraryPattern::kProduct, kMatrixUnitOf<T>, kOperationsOf<T> * shape.multiplications());
  return call.finish([=](const Reached& reached) {
    const Dense<T> whole = mirrored(reached.at<const T>(one), order, lda, uplo, is_hermitian);
    const Dense<T> factor{{reached.at<const T>(other), m, n, ldb}};
    const bool is_left = side == CUBLAS_SIDE_LEFT;
    multiply_into<T, T>({reached.at<T>(to), m, n, ldc}, is_left ? whole : factor, is_left ? factor : whole,
                        by.in(reached), kept.in(reached), reached.reach().threads());
  });
}

template <class T>
cublasStatus_t trmm(Entry entry, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, std::int64_t m, std::int64_t n, const void* alpha, const void* a,
                    std::int64_t lda, const void* b, std::int64_t ldb, void* c, std::int64_t ldc) {
  Call call(entry);
  const SidedShape shape{side, uplo, m, n, lda, ldb, ldc};
  shape.check(call);
  call.operation("trans", trans);
  call.diagonal(diag);
  const Factor<T> by = call.factor<T>("alpha", alpha);
  if (!call.is_valid() || m == 0 || n == 0) return call.finish(nullptr);
  const std::int64_t order = shape.order();
  const std::size_t one = call.matrix<T>("A", a, order, order, lda, shape.access_of_a());
  const std::size_t other = call.matrix<T>("B", b, m, n, ldb, Access::kRead);
  const std::size_t to = call.matrix<T>("C", c, m, n, ldc, Access::kWrite);
  call.costs(LibraryPattern::kProduct, kMatrixUnitOf<T>, kOperationsOf<T> / 2 * shape.multiplications());
  return call.finish([=](const Reached& reached) {
    const Dense<T> whole = triangle_of(reached.at<const T>(one), order, lda, uplo, trans, diag);
    const T* given = reached.at<const T>(other);
    // A copy, because B and C may be the same matrix.
    const Dense<T> factor =
        dense_of<T>(m, n, [=](std::int64_t i, std::int64_t j) { return given[i + j * ldb]; });
    const bool is_left = side == CUBLAS_SIDE_LEFT;
    multiply_into<T, T>({reached.at<T>(to), m, n, ldc}, is_left ? whole : factor, is_left ? factor : whole,
                        by.in(reached), T{}, reached.reach().threads());
  });
}

// x = a^-1 x, in blocks of rows: solves each block, then subtracts its contribution from the following rows.
template <class T>
void solve_in_blocks(const Matrix<const T>& a, bool is_lower, const Matrix<T>& x, unsigned threads) {
  constexpr std::int64_t kBlock = 64;
  const std::int64_t n = a.rows, blocks = (n + kBlock - 1) / kBlock;
  for (std::int64_t step = 0; step < blocks; ++step) {
    const std::int64_t begin = (is_lower ? step : blocks - 1 - step) * kBlock,
                       size = std::min(kBlock, n - begin);
    const Storage storage =
        triangle(full(size, size, a.leading), is_lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER);
    for (std::int64_t j = 0; j < x.columns; ++j)
      solve_triangle<T>(storage, &a(begin, begin), CUBLAS_OP_N, false, {&x(begin, j), 1});
    const std::int64_t rest = is_lower ? begin + size : 0, height = is_lower ? n - rest : begin;
    if (height == 0) continue;
    multiply_into<T, T>({&x(rest, 0), height, x.columns, x.leading},
                        {{&a(rest, begin), height, size, a.leading}},
                        {{&x(begin, 0), size, x.columns, x.leading}}, T(-1), T(1), threads);
  }
}

// X op(A) = B is solved as op(A)^T X^T = B^T.
template <class T>
void solve_sided(const SidedShape& shape, cublasOperation_t trans, cublasDiagType_t diag, const T* a, T* b,
                 T alpha, unsigned threads) {
  const bool is_left = shape.side == CUBLAS_SIDE_LEFT;
  const std::int64_t order = shape.order(), width = is_left ? shape.n : shape.m;
  const Dense<T> whole = triangle_of(a, order, shape.lda, shape.uplo, trans, diag);
  const Dense<T> turned = is_left ? whole : operand<T>(whole.own.get(), order, order, order, CUBLAS_OP_T);
  const bool is_lower = ((shape.uplo == CUBLAS_FILL_MODE_LOWER) != is_transposed(trans)) == is_left;
  const auto at = [&](std::int64_t i, std::int64_t j) -> T& {
    return is_left ? b[i + j * shape.ldb] : b[j + i * shape.ldb];
  };
  const Filled<T> x = fresh<T>(order, width);
  for (std::int64_t j = 0; j < width; ++j)
    for (std::int64_t i = 0; i < order; ++i) x.matrix(i, j) = alpha == T{} ? T{} : product(alpha, at(i, j));
  solve_in_blocks<T>(turned.view, is_lower, x.matrix, threads);
  for (std::int64_t j = 0; j < width; ++j)
    for (std::int64_t i = 0; i < order; ++i) at(i, j) = x.matrix(i, j);
}

template <class T>
cublasStatus_t trsm(Entry entry, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, std::int64_t m, std::int64_t n, const void* alpha, const void* a,
                    std::int64_t lda, void* b, std::int64_t ldb) {
  Call call(entry);
  const SidedShape shape{side, uplo, m, n, lda, ldb, ldb};
  shape.check(call);
  call.operation("trans", trans);
  call.diagonal(diag);
  const Factor<T> by = call.factor<T>("alpha", alpha);
  if (!call.is_valid() || m == 0 || n == 0) return call.finish(nullptr);
  const std::size_t one = call.matrix<T>("A", a, shape.order(), shape.order(), lda, shape.access_of_a());
  const std::size_t other = call.matrix<T>("B", b, m, n, ldb, Access::kUpdate);
  call.costs(LibraryPattern::kSolve, kMatrixUnitOf<T>, kOperationsOf<T> / 2 * shape.multiplications(), 0,
             static_cast<double>(shape.order()));
  return call.finish([=](const Reached& reached) {
    solve_sided<T>(shape, trans, diag, reached.at<const T>(one), reached.at<T>(other), by.in(reached),
                   reached.reach().threads());
  });
}

// ---- updates of rank k ---------------------------------------------------------------------------------

struct RankShape {
  bool is_hermitian;
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  std::int64_t n, k, lda, ldb, ldc;
  std::int64_t rows() const { return is_transposed(trans) ? k : n; }
  std::int64_t columns() const { return is_transposed(trans) ? n : k; }
  void check(Call& call) const {
    call.fill(uplo);
    call.operation("trans", trans);
    call.size("n", n);
    call.size("k", k);
    call.at_least("lda", lda, std::max<std::int64_t>(1, rows()));
    call.at_least("ldb", ldb, std::max<std::int64_t>(1, rows()));
    call.at_least("ldc", ldc, std::max<std::int64_t>(1, n));
  }
  double multiplications() const {
    return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k) / 2;
  }
};

// c = alpha left right^T + beta c for one triangle of c; for Hermitian matrices, right^T is conjugated.
template <class T, class In>
void update_of_rank_k(const RankShape& shape, const Matrix<T>& c, const In* left, std::int64_t left_leading,
                      const In* right, std::int64_t right_leading, T alpha, T beta, unsigned threads) {
  const bool is_turned = is_transposed(shape.trans);
  const cublasOperation_t turned = shape.is_hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
  const std::int64_t depth = alpha == T{} ? 0 : shape.k;
  multiply_into<T, T>(c, operand<T>(left, shape.n, depth, left_leading, is_turned ? turned : CUBLAS_OP_N),
                      operand<T>(right, depth, shape.n, right_leading, is_turned ? CUBLAS_OP_N : turned),
                      alpha, beta, threads, part_of(shape.uplo));
  if constexpr (kIsComplex<T>)
    for (std::int64_t i = 0; shape.is_hermitian && i < shape.n; ++i) c(i, i) = std::real(c(i, i));
}

// `In`: the type of A's elements, which may be narrower.
template <class T, class S, class In = T>
cublasStatus_t rank_k_call(Call& call, const RankShape& shape, const void* alpha, const void* a,
                           const void* beta, void* c) {
  shape.check(call);
  const Factor<S> by = call.factor<S>("alpha", alpha), kept = call.factor<S>("beta", beta);
  if (!call.is_valid() || shape.n == 0) return call.finish(nullptr);
  const std::size_t one = call.matrix<In>("A", a, shape.rows(), shape.columns(), shape.lda, Access::kRead);
  const std::size_t to = call.matrix<T>("C", c, shape.n, shape.n, shape.ldc, access_with(kept.is(S{}), true));
  call.costs(LibraryPattern::kProduct, kMatrixUnitOf<T>, kOperationsOf<T> * shape.multiplications());
  return call.finish([=](const Reached& reached) {
    const In* elements = reached.at<const In>(one);
    update_of_rank_k<T>(shape, {reached.at<T>(to), shape.n, shape.n, shape.ldc}, elements, shape.lda,
                        elements, shape.lda, by.in(reached), kept.in(reached), reached.reach().threads());
  });
}

template <class T>
cublasStatus_t syrk(Entry entry, bool is_hermitian, cublasFillMode_t uplo, cublasOperation_t trans,
                    std::int64_t n, std::int64_t k, const void* alpha, const void* a, std::int64_t lda,
                    const void* beta, void* c, std::int64_t ldc) {
  Call call(entry);
  const RankShape shape{is_hermitian, uplo, trans, n, k, lda, lda, ldc};
  return is_hermitian ? rank_k_call<T, Real<T>>(call, shape, alpha, a, beta, c)
                      : rank_k_call<T, T>(call, shape, alpha, a, beta, c);
}

template <class T, class S>
cublasStatus_t rank_2k_call(Call& call, const RankShape& shape, bool has_both, const void* alpha,
                            const void* a, const void* b, const void* beta, void* c) {
  shape.check(call);
  const Factor<T> by = call.factor<T>("alpha", alpha);
  const Factor<S> kept = call.factor<S>("beta", beta);
  if (!call.is_valid() || shape.n == 0) return call.finish(nullptr);
  const std::size_t one = call.matrix<T>("A", a, shape.rows(), shape.columns(), shape.lda, Access::kRead);
  const std::size_t other = call.matrix<T>("B", b, shape.rows(), shape.columns(), shape.ldb, Access::kRead);
  const std::size_t to = call.matrix<T>("C", c, shape.n, shape.n, shape.ldc, access_with(kept.is(S{}), true));
  call.costs(LibraryPattern::kProduct, kMatrixUnitOf<T>,
             (has_both ? 2 : 1) * kOperationsOf<T> * shape.multiplications());
  return call.finish([=](const Reached& reached) {
    const T *left = reached.at<const T>(one), *right = reached.at<const T>(other);
    const Matrix<T> result{reached.at<T>(to), shape.n, shape.n, shape.ldc};
    const T factor = by.in(reached);
    const unsigned threads = reached.reach().threads();
    update_of_rank_k<T>(shape, result, left, shape.lda, right, shape.ldb, factor, kept.in(reached), threads);
    if (has_both)
      update_of_rank_k<T>(shape, result, right, shape.ldb, left, shape.lda,
                          shape.is_hermitian ? conjugate(factor) : factor, T(1), threads);
  });
}

template <class T>
cublasStatus_t syr2k(Entry entry, bool is_hermitian, bool has_both, cublasFillMode_t uplo,
                     cublasOperation_t trans, std::int64_t n, std::int64_t k, const void* alpha,
                     const void* a, std::int64_t lda, const void* b, std::int64_t ldb, const void* beta,
                     void* c, std::int64_t ldc) {
  Call call(entry);
  const RankShape shape{is_hermitian, uplo, trans, n, k, lda, ldb, ldc};
  return is_hermitian ? rank_2k_call<T, Real<T>>(call, shape, has_both, alpha, a, b, beta, c)
                      : rank_2k_call<T, T>(call, shape, has_both, alpha, a, b, beta, c);
}

// ---- extensions ----------------------------------------------------------------------------------------

// C = alpha op(A) + beta op(B). A matrix whose factor is 0 is not read; its pointer may be null.
template <class T>
cublasStatus_t geam(Entry entry, cublasOperation_t transa, cublasOperation_t transb, std::int64_t m,
                    std::int64_t n, const void* alpha, const void* a, std::int64_t lda, const void* beta,
                    const void* b, std::int64_t ldb, void* c, std::int64_t ldc) {
  Call call(entry);
  call.operation("transa", transa);
  call.operation("transb", transb);
  call.size("m", m);
  call.size("n", n);
  const auto rows = [=](cublasOperation_t operation) { return is_transposed(operation) ? n : m; };
  const auto columns = [=](cublasOperation_t operation) { return is_transposed(operation) ? m : n; };
  call.at_least("lda", lda, std::max<std::int64_t>(1, rows(transa)));
  call.at_least("ldb", ldb, std::max<std::int64_t>(1, rows(transb)));
  call.at_least("ldc", ldc, std::max<std::int64_t>(1, m));
  const Factor<T> by_a = call.factor<T>("alpha", alpha), by_b = call.factor<T>("beta", beta);
  if (!call.is_valid() || m == 0 || n == 0) return call.finish(nullptr);
  const bool has_a = !by_a.is(T{}), has_b = !by_b.is(T{});
  const std::size_t one =
      call.matrix<T>("A", a, has_a ? rows(transa) : 0, columns(transa), lda, Access::kRead);
  const std::size_t other =
      call.matrix<T>("B", b, has_b ? rows(transb) : 0, columns(transb), ldb, Access::kRead);
  const std::size_t to = call.matrix<T>("C", c, m, n, ldc, Access::kWrite);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>,
             kOperationsOf<T> * static_cast<double>(m) * static_cast<double>(n));
  return call.finish([=](const Reached& reached) {
    const T nothing{};
    const auto term = [](const T* data, std::int64_t leading, cublasOperation_t operation, std::int64_t i,
                         std::int64_t j) {
      const T element = is_transposed(operation) ? data[j + i * leading] : data[i + j * leading];
      return operation == CUBLAS_OP_C ? conjugate(element) : element;
    };
    const T *left = reached.at<const T>(one), *right = reached.at<const T>(other);
    const T alpha_value = by_a.in(reached), beta_value = by_b.in(reached);
    T* result = reached.at<T>(to);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        result[i + j * ldc] =
            (alpha_value == T{} ? nothing : product(alpha_value, term(left, lda, transa, i, j))) +
            (beta_value == T{} ? nothing : product(beta_value, term(right, ldb, transb, i, j)));
  });
}

// Copies a triangle from the packed to the full format, or back (`is_packed`). The other triangle of the full
// matrix is not touched.
template <class T>
cublasStatus_t copy_triangle(Entry entry, bool is_packed, cublasFillMode_t uplo, std::int64_t n,
                             const void* from, void* to, std::int64_t lda) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  if (!call.is_valid() || n == 0) return call.finish(nullptr);
  const Storage whole = triangle(full(n, n, lda), uplo), dense = packed(n, uplo);
  const auto source = stored<T>(call, is_packed ? "A" : "AP", from, is_packed ? whole : dense, Access::kRead);
  const auto target = stored<T>(call, is_packed ? "AP" : "A", to, is_packed ? dense : whole,
                                is_packed ? Access::kWrite : Access::kUpdateInPart);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>, 0);
  return call.finish([=](const Reached& reached) {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = whole.first(j); i < whole.last(j); ++i)
        target.in(reached)[target.storage.offset(i, j)] = source.in(reached)[source.storage.offset(i, j)];
  });
}
template <class T>
cublasStatus_t tpttr(Entry entry, cublasFillMode_t uplo, std::int64_t n, const void* ap, void* a,
                     std::int64_t lda) {
  return copy_triangle<T>(entry, false, uplo, n, ap, a, lda);
}
template <class T>
cublasStatus_t trttp(Entry entry, cublasFillMode_t uplo, std::int64_t n, const void* a, std::int64_t lda,
                     void* ap) {
  return copy_triangle<T>(entry, true, uplo, n, a, ap, lda);
}

// C = A diag(x), or diag(x) A.
template <class T>
cublasStatus_t dgmm(Entry entry, cublasSideMode_t mode, std::int64_t m, std::int64_t n, const void* a,
                    std::int64_t lda, const void* x, std::int64_t incx, void* c, std::int64_t ldc) {
  Call call(entry);
  call.side(mode);
  call.size("m", m);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, m));
  call.at_least("ldc", ldc, std::max<std::int64_t>(1, m));
  if (!call.is_valid() || m == 0 || n == 0) return call.finish(nullptr);
  const bool is_left = mode == CUBLAS_SIDE_LEFT;
  const std::size_t one = call.matrix<T>("A", a, m, n, lda, Access::kRead);
  const VectorOf<T> diagonal = call.vector<T>("x", x, is_left ? m : n, incx, Access::kRead);
  const std::size_t to = call.matrix<T>("C", c, m, n, ldc, Access::kWrite);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>,
             kOperationsOf<T> / 2 * static_cast<double>(m) * static_cast<double>(n));
  return call.finish([=](const Reached& reached) {
    const T* from = reached.at<const T>(one);
    const Vector<T> by = diagonal.in(reached);
    T* result = reached.at<T>(to);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        result[i + j * ldc] = product(from[i + j * lda], by[is_left ? i : j]);
  });
}

}  // namespace cudalab::blas
