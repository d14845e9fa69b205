// The types of elements and indices that cuSPARSE takes as values, and their conversion to the numbers that
// the host computes with: double, or complex<double>.
#pragma once

#include <cusparse.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "libraries/blas/values.h"

namespace cudalab::sparse {

using Complex = std::complex<double>;

// Calls body(T{}) with the C++ type; returns body's result, or a value-initialized one for an unknown type.
template <class Body>
auto with_type(cudaDataType type, const Body& body) {
  switch (type) {
    case CUDA_R_32F: return body(float{});
    case CUDA_R_64F: return body(double{});
    case CUDA_C_32F: return body(std::complex<float>{});
    case CUDA_C_64F: return body(std::complex<double>{});
    case CUDA_R_16F: return body(blas::Half{});
    case CUDA_R_16BF: return body(blas::Bfloat16{});
    case CUDA_R_8I: return body(std::int8_t{});
    case CUDA_R_32I: return body(std::int32_t{});
    default: return decltype(body(float{}))();
  }
}

// 0 for a type that the library does not know.
inline std::size_t bytes_of(cudaDataType type) {
  return with_type(type, [](auto zero) { return sizeof zero; });
}
inline bool is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }
inline std::size_t bytes_of(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_64I ? 8 : 4; }

// Calls body(W{}), where W is the host's type for computations of this type.
template <class Body>
auto with_numbers(cudaDataType compute, const Body& body) {
  return is_complex(compute) ? body(Complex{}) : body(double{});
}

template <class W, class T>
W widened(T value) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, Complex>) {
    if constexpr (std::is_same_v<W, Complex>)
      return W(value);
    else
      return value.real();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return W(static_cast<double>(value));
  } else {
    return W(static_cast<double>(static_cast<float>(value)));
  }
}

template <class T, class W>
T narrowed(W value) {
  const Complex wide(value);
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, Complex>)
    return T(wide);
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(wide.real());
  else
    return T(static_cast<float>(wide.real()));
}

template <class W>
std::vector<W> read(const std::byte* memory, cudaDataType type, std::int64_t count) {
  std::vector<W> numbers(static_cast<std::size_t>(count));
  with_type(type, [&](auto zero) {
    const auto* elements = reinterpret_cast<const decltype(zero)*>(memory);
    for (std::int64_t i = 0; i < count; ++i) numbers[i] = widened<W>(elements[i]);
    return 0;
  });
  return numbers;
}

template <class W>
void write(std::byte* memory, cudaDataType type, std::int64_t at, W value) {
  with_type(type, [&](auto zero) {
    reinterpret_cast<decltype(zero)*>(memory)[at] = narrowed<decltype(zero)>(value);
    return 0;
  });
}

inline double conjugate(double value) { return value; }
inline Complex conjugate(Complex value) { return std::conj(value); }

inline std::int64_t read_index(const std::byte* memory, cusparseIndexType_t type, std::int64_t at) {
  return type == CUSPARSE_INDEX_64I ? reinterpret_cast<const std::int64_t*>(memory)[at]
                                    : reinterpret_cast<const std::int32_t*>(memory)[at];
}
inline void write_index(std::byte* memory, cusparseIndexType_t type, std::int64_t at, std::int64_t value) {
  if (type == CUSPARSE_INDEX_64I)
    reinterpret_cast<std::int64_t*>(memory)[at] = value;
  else
    reinterpret_cast<std::int32_t*>(memory)[at] = static_cast<std::int32_t>(value);
}

}  // namespace cudalab::sparse
