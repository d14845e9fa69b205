// Level 1 of cuBLAS: functions of vectors. Elements have type T; addresses are those that the program passed.
// Arithmetic is done in Compute<T>: float for half precision, otherwise T.
#pragma once

#include <algorithm>
#include <cmath>

#include "libraries/blas/call.h"

namespace cudalab::blas {

// A function of two vectors of equal length. It changes the second vector, and may change the first.
template <class T>
struct Pair {
  VectorOf<T> x, y;
  Pair(Call& call, std::int64_t n, const void* x_address, std::int64_t incx, Access x_access,
       const void* y_address, std::int64_t incy, Access y_access)
      : x(call.vector<T>("x", x_address, n, incx, x_access)),
        y(call.vector<T>("y", y_address, n, incy, y_access)) {}
};

template <class T>
cublasStatus_t axpy(Entry entry, std::int64_t n, const void* alpha, const void* x, std::int64_t incx, void* y,
                    std::int64_t incy) {
  using C = Compute<T>;
  Call call(entry);
  const Factor<C> factor = call.factor<C>("alpha", alpha);
  if (!call.is_valid() || n <= 0 || factor.is(C{})) return call.finish(nullptr);
  const Pair<T> pair(call, n, x, incx, Access::kRead, y, incy, Access::kUpdate);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>, kOperationsOf<T> * n);
  return call.finish([=](const Reached& reached) {
    const Vector<T> from = pair.x.in(reached), to = pair.y.in(reached);
    const C by = factor.in(reached);
    for (std::int64_t i = 0; i < n; ++i) to[i] = T(C(to[i]) + product(by, C(from[i])));
  });
}

template <class T>
cublasStatus_t copy(Entry entry, std::int64_t n, const void* x, std::int64_t incx, void* y,
                    std::int64_t incy) {
  Call call(entry);
  if (!call.is_valid() || n <= 0) return call.finish(nullptr);
  const Pair<T> pair(call, n, x, incx, Access::kRead, y, incy, Access::kWrite);
  return call.finish([=](const Reached& reached) {
    const Vector<T> from = pair.x.in(reached), to = pair.y.in(reached);
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
  });
}

template <class T>
cublasStatus_t swap(Entry entry, std::int64_t n, void* x, std::int64_t incx, void* y, std::int64_t incy) {
  Call call(entry);
  if (!call.is_valid() || n <= 0) return call.finish(nullptr);
  const Pair<T> pair(call, n, x, incx, Access::kUpdate, y, incy, Access::kUpdate);
  return call.finish([=](const Reached& reached) {
    const Vector<T> a = pair.x.in(reached), b = pair.y.in(reached);
    for (std::int64_t i = 0; i < n; ++i) std::swap(a[i], b[i]);
  });
}

template <class T, class S>
cublasStatus_t scal_by(Entry entry, std::int64_t n, const void* alpha, void* x, std::int64_t incx) {
  Call call(entry);
  const Factor<S> factor = call.factor<S>("alpha", alpha);
  if (!call.is_valid() || n <= 0 || incx <= 0) return call.finish(nullptr);
  const VectorOf<T> vector = call.vector<T>("x", x, n, incx, Access::kUpdate);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>, kOperationsOf<T> / 2 * n);
  return call.finish([=](const Reached& reached) {
    const Vector<T> to = vector.in(reached);
    const S by = factor.in(reached);
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<Compute<T>, S>)
        to[i] = T(product(by, S(to[i])));
      else
        to[i] *= by;
    }
  });
}
template <class T>
cublasStatus_t scal(Entry entry, std::int64_t n, const void* alpha, void* x, std::int64_t incx) {
  return scal_by<T, Compute<T>>(entry, n, alpha, x, incx);
}
template <class T>
cublasStatus_t scal_by_real(Entry entry, std::int64_t n, const void* alpha, void* x, std::int64_t incx) {
  return scal_by<T, Real<T>>(entry, n, alpha, x, incx);
}

// ---- values of vectors ---------------------------------------------------------------------------------

template <class T>
double sum_of_magnitudes(T value) {
  if constexpr (kIsComplex<T>)
    return std::abs(static_cast<double>(value.real())) + std::abs(static_cast<double>(value.imag()));
  else
    return std::abs(static_cast<double>(value));
}

// A value computed from one vector; 0 for an empty vector.
template <class T, class Result, class Compute>
cublasStatus_t value_of_vector(Entry entry, std::int64_t n, const void* x, std::int64_t incx, Result* result,
                               Compute compute) {
  Call call(entry);
  const bool is_empty = n <= 0 || incx <= 0;
  const VectorOf<T> vector = call.vector<T>("x", x, is_empty ? 0 : n, is_empty ? 1 : incx, Access::kRead);
  call.costs(LibraryPattern::kReduce, kUnitOf<T>, is_empty ? 0.0 : kOperationsOf<T> * n);
  return call.finish_with<Result>(result, [=](const Reached& reached) {
    return is_empty ? Result{} : static_cast<Result>(compute(vector.in(reached), n));
  });
}

template <class T>
cublasStatus_t asum(Entry entry, std::int64_t n, const void* x, std::int64_t incx, Real<T>* result) {
  return value_of_vector<T>(entry, n, x, incx, result, [](const Vector<T>& values, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += sum_of_magnitudes(values[i]);
    return sum;
  });
}

// The Euclidean norm with scaling, as in LAPACK, because squares may overflow.
template <class T>
cublasStatus_t nrm2(Entry entry, std::int64_t n, const void* x, std::int64_t incx, Real<T>* result) {
  return value_of_vector<T>(entry, n, x, incx, result, [](const Vector<T>& values, std::int64_t count) {
    double scale = 0, sum = 1;
    const auto add = [&](double part) {
      const double magnitude = std::abs(part);
      if (std::isnan(magnitude)) scale = magnitude;
      if (magnitude == 0 || std::isnan(scale)) return;
      if (std::isinf(magnitude)) {
        scale = magnitude, sum = 1;
      } else if (magnitude > scale) {
        sum = 1 + sum * (scale / magnitude) * (scale / magnitude);
        scale = magnitude;
      } else if (!std::isinf(scale)) {
        sum += (magnitude / scale) * (magnitude / scale);
      }
    };
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (kIsComplex<T>) add(values[i].imag());
      add(std::real(Compute<T>(values[i])));
    }
    return scale * std::sqrt(sum);
  });
}

// The index, counted from 1, of the first element with the largest (or smallest) magnitude.
template <class T, class Int>
cublasStatus_t extreme(Entry entry, std::int64_t n, const void* x, std::int64_t incx, Int* result,
                       bool is_largest) {
  return value_of_vector<T>(entry, n, x, incx, result, [=](const Vector<T>& values, std::int64_t count) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < count; ++i) {
      const double here = sum_of_magnitudes(values[i]), there = sum_of_magnitudes(values[best]);
      if (is_largest ? here > there : here < there) best = i;
    }
    return best + 1;
  });
}
template <class T, class Int>
cublasStatus_t amax(Entry entry, std::int64_t n, const void* x, std::int64_t incx, Int* result) {
  return extreme<T>(entry, n, x, incx, result, true);
}
template <class T, class Int>
cublasStatus_t amin(Entry entry, std::int64_t n, const void* x, std::int64_t incx, Int* result) {
  return extreme<T>(entry, n, x, incx, result, false);
}

template <class T>
cublasStatus_t dot_of(Entry entry, std::int64_t n, const void* x, std::int64_t incx, const void* y,
                      std::int64_t incy, void* result, bool is_conjugate) {
  Call call(entry);
  const std::int64_t count = std::max<std::int64_t>(n, 0);
  const Pair<T> pair(call, count, x, incx, Access::kRead, y, incy, Access::kRead);
  call.costs(LibraryPattern::kReduce, kUnitOf<T>, kOperationsOf<T> * count);
  return call.finish_with<T>(static_cast<T*>(result), [=](const Reached& reached) {
    const Vector<T> a = pair.x.in(reached), b = pair.y.in(reached);
    const auto wide = [](T value) { return Sum<T>(Compute<T>(value)); };
    Sum<T> sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
      sum += product(wide(is_conjugate ? conjugate(a[i]) : a[i]), wide(b[i]));
    return T(Compute<T>(sum));
  });
}
template <class T>
cublasStatus_t dot(Entry entry, std::int64_t n, const void* x, std::int64_t incx, const void* y,
                   std::int64_t incy, void* result) {
  return dot_of<T>(entry, n, x, incx, y, incy, result, false);
}
template <class T>
cublasStatus_t dotc(Entry entry, std::int64_t n, const void* x, std::int64_t incx, const void* y,
                    std::int64_t incy, void* result) {
  return dot_of<T>(entry, n, x, incx, y, incy, result, true);
}

// ---- rotations -----------------------------------------------------------------------------------------

template <class T, class S>
cublasStatus_t rot_by(Entry entry, std::int64_t n, void* x, std::int64_t incx, void* y, std::int64_t incy,
                      const void* c, const void* s) {
  using C = Compute<T>;
  Call call(entry);
  const auto cosine = call.factor<Real<T>>("c", c);
  const auto sine = call.factor<S>("s", s);
  if (!call.is_valid() || n <= 0) return call.finish(nullptr);
  const Pair<T> pair(call, n, x, incx, Access::kUpdate, y, incy, Access::kUpdate);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>, 2 * kOperationsOf<T> * n);
  return call.finish([=](const Reached& reached) {
    const Vector<T> a = pair.x.in(reached), b = pair.y.in(reached);
    const C by_c = C(cosine.in(reached)), by_s = C(sine.in(reached));
    for (std::int64_t i = 0; i < n; ++i) {
      const C first = C(a[i]), second = C(b[i]);
      a[i] = T(product(by_c, first) + product(by_s, second));
      b[i] = T(product(by_c, second) - product(conjugate(by_s), first));
    }
  });
}
template <class T>
cublasStatus_t rot(Entry entry, std::int64_t n, void* x, std::int64_t incx, void* y, std::int64_t incy,
                   const void* c, const void* s) {
  return rot_by<T, T>(entry, n, x, incx, y, incy, c, s);
}
template <class T>
cublasStatus_t rot_by_real(Entry entry, std::int64_t n, void* x, std::int64_t incx, void* y,
                           std::int64_t incy, const void* c, const void* s) {
  return rot_by<T, Real<T>>(entry, n, x, incx, y, incy, c, s);
}

// `param` holds a flag and h11, h21, h12, h22. The flag fixes some of these values.
template <class T>
struct ModifiedRotation {
  T parameters[5];
  bool operator==(const ModifiedRotation&) const = default;
};

template <class T>
cublasStatus_t rotm(Entry entry, std::int64_t n, void* x, std::int64_t incx, void* y, std::int64_t incy,
                    const void* param) {
  Call call(entry);
  const auto rotation = call.factor<ModifiedRotation<T>>("param", param);
  if (!call.is_valid() || n <= 0) return call.finish(nullptr);
  const Pair<T> pair(call, n, x, incx, Access::kUpdate, y, incy, Access::kUpdate);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>, 2 * kOperationsOf<T> * n);
  return call.finish([=](const Reached& reached) {
    auto [flag, h11, h21, h12, h22] = rotation.in(reached).parameters;
    if (flag == -2) return;
    if (flag == 0) h11 = h22 = 1;
    if (flag == 1) h12 = 1, h21 = -1;
    const Vector<T> a = pair.x.in(reached), b = pair.y.in(reached);
    for (std::int64_t i = 0; i < n; ++i) {
      const T first = a[i], second = b[i];
      a[i] = h11 * first + h12 * second;
      b[i] = h21 * first + h22 * second;
    }
  });
}

}  // namespace cudalab::blas
