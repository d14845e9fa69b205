// The types of elements: real, complex, half precision and 8-bit integers, and their conversions.
#pragma once

#include <cuComplex.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "libraries/half.h"

struct __half;

namespace cudalab::blas {

using libraries::Bfloat16;
using libraries::Half;

// The 10 bits of fraction that a tensor core takes from a float; rounds to nearest, ties away from zero.
inline float rounded_to_tf32(float value) {
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000) & 0xffffe000);
}

// The C++ type of an element with the interface's type.
template <class T>
struct ValueOf {
  using Type = T;
};
template <>
struct ValueOf<cuComplex> {
  using Type = std::complex<float>;
};
template <>
struct ValueOf<cuDoubleComplex> {
  using Type = std::complex<double>;
};
template <>
struct ValueOf<__half> {
  using Type = Half;
};
template <class T>
using Value = typename ValueOf<T>::Type;

template <class T>
inline constexpr bool kIsComplex = false;
template <class R>
inline constexpr bool kIsComplex<std::complex<R>> = true;

template <class T>
struct RealOf {
  using Type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using Type = R;
};
template <class T>
using Real = typename RealOf<T>::Type;

template <class T>
T conjugate(T value) {
  if constexpr (kIsComplex<T>)
    return std::conj(value);
  else
    return value;
}

// The product of complex numbers as BLAS computes it, without the C++ library's handling of infinities.
template <class T>
T product(T a, T b) {
  if constexpr (kIsComplex<T>)
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return a * b;
}

// Sums are accumulated in double precision, whatever the precision of the terms.
template <class T>
struct SumOf {
  using Type = double;
};
template <class R>
struct SumOf<std::complex<R>> {
  using Type = std::complex<double>;
};
template <class T>
using Sum = typename SumOf<T>::Type;

// The type in which products of elements are computed.
template <class T>
struct ComputeOf {
  using Type = T;
};
template <>
struct ComputeOf<Half> {
  using Type = float;
};
template <>
struct ComputeOf<Bfloat16> {
  using Type = float;
};
template <class T>
using Compute = typename ComputeOf<T>::Type;

}  // namespace cudalab::blas
