// Generates seeded inputs, which are the same on every machine and for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/digest.h"
#include "lab/host.h"

namespace cudalab::lab {

// The `index`-th number of a stream: splitmix64 (Steele, Lea, Flood 2014) evaluated at any position.
constexpr std::uint64_t random_bits(std::uint64_t stream, std::uint64_t index) {
  std::uint64_t z = stream + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Each seed and name ("a", "b") has its own stream, so two arrays never hold the same numbers.
constexpr std::uint64_t random_stream(std::uint64_t seed, std::string_view name) {
  return random_bits(fnv_hash(name), seed);
}

namespace detail {

template <class T, class Make>
std::vector<T> generate(std::size_t count, const Make& make) {
  std::vector<T> values(count);
  for_pieces(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = make(i);
  });
  return values;
}

}  // namespace detail

// Floating types: uniform in [low, high); every bit of the mantissa varies.
template <class T>
requires std::is_floating_point_v<T> std::vector<T> random_reals(std::size_t count, std::uint64_t stream,
                                                                 double low = -1, double high = 1) {
  return detail::generate<T>(count, [=](std::size_t i) {
    const double unit = static_cast<double>(random_bits(stream, i) >> 11) * 0x1p-53;
    return static_cast<T>(low + (high - low) * unit);
  });
}

// Whole numbers from low to high, inclusive, in any type. Sums of few enough of them are exact in every
// order.
template <class T>
std::vector<T> random_integers(std::size_t count, std::uint64_t stream, std::int64_t low, std::int64_t high) {
  const std::uint64_t span =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;  // 0: all 2^64 values
  return detail::generate<T>(count, [=](std::size_t i) {
    const std::uint64_t bits = random_bits(stream, i);
    return static_cast<T>(low + static_cast<std::int64_t>(span == 0 ? bits : bits % span));
  });
}

// The usual values of a type: reals in [-1, 1), or whole numbers over the type's whole range.
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t stream) {
  if constexpr (std::is_floating_point_v<T>)
    return random_reals<T>(count, stream);
  else
    return detail::generate<T>(count,
                               [=](std::size_t i) { return static_cast<T>(random_bits(stream, i) >> 7); });
}

}  // namespace cudalab::lab
