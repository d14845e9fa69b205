// The product of two small matrices with Eigen: the part of a matrix multiplication that is compiled once for
// each instruction-set level. Eigen is header-only, so packages need no further library, and one source
// serves all levels.
#define CUDALAB_JOINED(a, b) a##b
#define CUDALAB_NAMED(a, b) CUDALAB_JOINED(a, b)
#define Eigen CUDALAB_NAMED(eigen_, CUDALAB_LEVEL)
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <cstdint>

namespace cudalab::blas::CUDALAB_LEVEL {

// c = a b, where c has no gaps between its columns.
template <class T>
void multiply_tile(std::int64_t rows, std::int64_t columns, std::int64_t depth, const T* a, std::int64_t lda,
                   const T* b, std::int64_t ldb, T* c) {
  using Elements = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Stride = Eigen::OuterStride<>;
  const Eigen::Map<const Elements, 0, Stride> left(a, rows, depth, Stride(lda));
  const Eigen::Map<const Elements, 0, Stride> right(b, depth, columns, Stride(ldb));
  Eigen::Map<Elements> to(c, rows, columns);
  to.noalias() = left * right;
}

#define CUDALAB_MULTIPLY(T)                                                                                  \
  template void multiply_tile<T>(std::int64_t, std::int64_t, std::int64_t, const T*, std::int64_t, const T*, \
                                 std::int64_t, T*);
CUDALAB_MULTIPLY(float)
CUDALAB_MULTIPLY(double)

}  // namespace cudalab::blas::CUDALAB_LEVEL
