// Distributes a matrix multiplication over tiles and host threads, at the best instruction-set level of the
// host.
#include "libraries/blas/multiply.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>
#include <vector>

namespace cudalab::blas {

#define CUDALAB_BLAS_LEVEL(level)                                                             \
  namespace level {                                                                           \
  template <class T>                                                                          \
  void multiply_tile(std::int64_t rows, std::int64_t columns, std::int64_t depth, const T* a, \
                     std::int64_t lda, const T* b, std::int64_t ldb, T* c);                   \
  }
#include "libraries/blas_levels.inc"
#undef CUDALAB_BLAS_LEVEL

namespace {

bool has_level(std::string_view level) {
  if (level == "generic") return true;
#if defined(__x86_64__)
  if (level == "x86_64_v4") return __builtin_cpu_supports("x86-64-v4");
  if (level == "x86_64_v3") return __builtin_cpu_supports("x86-64-v3");
#endif
  return false;
}

template <class T>
using MultiplyTile = void (*)(std::int64_t, std::int64_t, std::int64_t, const T*, std::int64_t, const T*,
                              std::int64_t, T*);

template <class T>
MultiplyTile<T> best_level() {
#define CUDALAB_BLAS_LEVEL(level) \
  if (has_level(#level)) return level::multiply_tile<T>;
#include "libraries/blas_levels.inc"
#undef CUDALAB_BLAS_LEVEL
  return nullptr;
}

constexpr std::int64_t kTile = 256;

std::int64_t tiles_over(std::int64_t length) { return (length + kTile - 1) / kTile; }

// Starting a thread takes about as long as this many multiplications.
constexpr double kWorthAThread = 1e6;

// c = a b for one tile, which is zero at first and has no gaps between its columns.
template <class T>
void multiply_real(const Matrix<const T>& a, const Matrix<const T>& b, T* c) {
  static const MultiplyTile<T> multiply_tile = best_level<T>();
  if (a.columns == 0) return;
  multiply_tile(a.rows, b.columns, a.columns, a.data, a.leading, b.data, b.leading, c);
}

}  // namespace

// The two factors of a product, from which each tile is computed.
template <class T>
struct Factors {
  Matrix<const T> a, b;
  void tile(const Matrix<T>& c, std::int64_t row, std::int64_t column) const {
    multiply_real<T>({&a(row, 0), c.rows, a.columns, a.leading},
                     {&b(0, column), b.rows, c.columns, b.leading}, c.data);
  }
};

// Complex numbers: four real multiplications of the real and imaginary parts.
template <class R>
struct Factors<std::complex<R>> {
  Dense<R> a[2], b[2];

  Factors(const Matrix<const std::complex<R>>& left, const Matrix<const std::complex<R>>& right) {
    const auto part = [](const Matrix<const std::complex<R>>& of, bool is_imaginary) {
      return dense_of<R>(of.rows, of.columns, [&](std::int64_t i, std::int64_t j) {
        return is_imaginary ? of(i, j).imag() : of(i, j).real();
      });
    };
    for (const bool is_imaginary : {false, true}) {
      a[is_imaginary] = part(left, is_imaginary);
      b[is_imaginary] = part(right, is_imaginary);
    }
  }
  void tile(const Matrix<std::complex<R>>& c, std::int64_t row, std::int64_t column) const {
    const std::int64_t count = c.rows * c.columns;
    std::vector<R> made(static_cast<std::size_t>(count));
    for (const int i : {0, 1})
      for (const int j : {0, 1}) {
        Factors<R>{a[i].view, b[j].view}.tile({made.data(), c.rows, c.columns, c.rows}, row, column);
        for (std::int64_t at = 0; at < count; ++at)
          c.data[at] +=
              i + j == 1 ? std::complex<R>(0, made[at]) : std::complex<R>(i ? -made[at] : made[at], 0);
      }
  }
};

template <class T>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, unsigned threads,
              const std::function<void(const Tile<T>&)>& take) {
  const Factors<T> factors{a, b};
  const std::int64_t down = tiles_over(a.rows), all = down * tiles_over(b.columns);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    std::vector<T> elements;
    for (std::int64_t number = next++; number < all; number = next++) {
      const std::int64_t row = number % down * kTile, column = number / down * kTile;
      const std::int64_t height = std::min(kTile, a.rows - row), width = std::min(kTile, b.columns - column);
      elements.assign(static_cast<std::size_t>(height * width), T{});
      factors.tile({elements.data(), height, width, height}, row, column);
      take({row, column, {elements.data(), height, width, height}});
    }
  };
  const double cost =
      static_cast<double>(a.rows) * static_cast<double>(b.columns) * static_cast<double>(a.columns);
  const auto useful =
      static_cast<std::int64_t>(std::min<double>(static_cast<double>(all), cost / kWorthAThread));
  std::vector<std::jthread> helpers;
  for (std::int64_t i = 1; i < std::min<std::int64_t>(threads, useful); ++i) helpers.emplace_back(work);
  work();
}

#define CUDALAB_MULTIPLY(T)                                                           \
  template void multiply<T>(const Matrix<const T>&, const Matrix<const T>&, unsigned, \
                            const std::function<void(const Tile<T>&)>&);
CUDALAB_MULTIPLY(float)
CUDALAB_MULTIPLY(double)
CUDALAB_MULTIPLY(std::complex<float>)
CUDALAB_MULTIPLY(std::complex<double>)

}  // namespace cudalab::blas
