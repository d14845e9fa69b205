// Compares an output with the expected one. NaN never passes: an element is wrong if `!(error <= bound)`.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/arrays.h"
#include "lab/host.h"
#include "lab/result.h"
#include "lab/verification/patterns.h"
#include "messages/lab.h"

namespace cudalab::lab {

// Where the wrong elements of an output are: the whole array as a grid of cells, and the area around the
// first wrong element, element by element. Plain data that comparisons fill and reports draw.

struct WrongArea {
  std::int64_t first_row = 0, first_column = 0;
  std::int64_t rows_a_cell = 1, columns_a_cell = 1;
  std::int64_t rows = 0, columns = 0;  // of cells
  std::vector<std::uint32_t> wrong;    // number of wrong elements in each cell, row by row
};

struct WrongMap {
  std::int64_t elements = 0;
  std::int64_t rows = 0, columns = 0;  // an array of one dimension is shown in rows of kVectorColumns
  bool is_vector = false;
  WrongArea whole, near;  // near: elements around the first wrong one
};
inline constexpr std::int64_t kVectorColumns = 32;  // the threads of one warp per row

// An element is wrong if `!(error <= allowed)` or its error is not finite, whatever is allowed.

// Sizes of an array's dimensions, outermost first: {rows, columns}. Empty: one dimension.
using Shape = std::vector<std::int64_t>;

// The error allowed for each element: one number for all, or one per element.
struct Allowed {
  std::vector<double> each;  // a single entry holds for all
  Message bound;  // the origin of the bound, for the reader: "1049 roundings of u = 2^-24 on sum |a_i b_i|"
  double at(std::size_t index) const { return each.size() == 1 ? each.front() : each[index]; }
};

// The coordinates of the element with that linear index in an array of that shape.
std::vector<std::int64_t> coordinates(std::size_t index, const Shape& shape);

// "3 of 1048576 elements are wrong; the first is [0][32]: found 0.5, expected 0.25", and what the wrong
// elements have in common. Empty if nothing is wrong.
Message describe(const Check& check);

namespace detail {

inline bool is_wrong(double error, double allowed) { return !(error <= allowed && std::isfinite(error)); }

struct Tally {
  double error = 0, allowed = 0, used = -1;  // the element with the largest error / allowed ratio
  std::uint64_t mismatches = 0;
  std::size_t first = 0;
  void add(std::size_t index, double error_here, double allowed_here);
  void add(const Tally& later);
};

// The map of the wrong elements. `first` is the first of them.
std::shared_ptr<const WrongMap> wrong_map(std::size_t count, const Shape& shape, std::size_t first,
                                          const std::function<bool(std::size_t)>& is_wrong);

Check to_check(const Tally& tally, std::size_t compared, Message bound);

// |found - expected|, at least in double; NaN if either is NaN. Equal infinities differ by 0.
template <class T, class Reference>
double distance(T found, Reference expected) {
  using Wide =
      std::conditional_t<(sizeof(Reference) > sizeof(double)) || (sizeof(T) > 4 && std::is_integral_v<T>),
                         long double, double>;
  const Wide a = static_cast<Wide>(found), b = static_cast<Wide>(expected);
  if (a == b) return 0;
  return static_cast<double>(std::abs(a - b));
}

template <class T>
bool is_poison(const T& value) {
  std::uint8_t bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  return std::all_of(std::begin(bytes), std::end(bytes),
                     [](std::uint8_t byte) { return byte == kPoison<T>; });
}

// The shortest text that reads back to the same value; NaN without its meaningless sign.
template <class T>
std::string text_of(T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(value)) return "nan";
  return fmt::format("{}", value);
}

// Runs tally(begin, end) on all threads and adds up what they return.
template <class TallyRange>
Tally tally_all(std::size_t count, const TallyRange& tally) {
  std::vector<Tally> parts(piece_count(count));
  for_pieces(count, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    parts[piece] = tally(begin, end);
  });
  Tally all;
  for (const Tally& part : parts) all.add(part);
  return all;
}

template <class T, class Reference>
Check with_mismatches(Check check, const Tally& tally, std::span<const T> found,
                      std::span<const Reference> expected, const Shape& shape,
                      const std::function<bool(std::size_t)>& is_wrong) {
  if (check.mismatches == 0) return check;
  const std::size_t at = tally.first;
  check.wrong = wrong_map(found.size(), shape, at, is_wrong);
  check.first_mismatch =
      Mismatch{coordinates(at, shape), text_of(found[at]), text_of(expected[at]), is_poison(found[at])};
  const ComparedArrays arrays{.count = found.size(),
                              .found = [&](std::size_t i) { return static_cast<double>(found[i]); },
                              .expected = [&](std::size_t i) { return static_cast<double>(expected[i]); },
                              .is_wrong = is_wrong,
                              .shape = shape,
                              .is_exact = check.allowed == 0,
                              .is_double = std::is_same_v<T, double>,
                              .is_whole = std::is_integral_v<T>,
                              .has_unwritten = check.first_mismatch->never_written};
  check.patterns = patterns_of(arrays);
  if (!arrays.has_unwritten) check.values = kept_values(arrays);
  return check;
}

inline void require_equal_sizes(std::size_t found, std::size_t expected) {
  if (found != expected) throw std::logic_error("a check compares arrays of different sizes");
}

}  // namespace detail

// Equal bit for bit, as required of data movement and of whole numbers.
template <class T>
Check same_bits(std::span<const T> found, std::span<const T> expected, const Shape& shape = {}) {
  detail::require_equal_sizes(found.size(), expected.size());
  const auto tally = detail::tally_all(found.size(), [&](std::size_t begin, std::size_t end) {
    detail::Tally part;
    if (begin < end && std::memcmp(&found[begin], &expected[begin], (end - begin) * sizeof(T)) == 0)
      return part;
    for (std::size_t i = begin; i < end; ++i) {
      if (std::memcmp(&found[i], &expected[i], sizeof(T)) == 0) continue;
      const double error = detail::distance(found[i], expected[i]);
      part.add(i, error > 0 ? error : std::numeric_limits<double>::quiet_NaN(),
               0);  // different bits at distance 0: -0 and 0
    }
    return part;
  });
  return detail::with_mismatches(
      detail::to_check(tally, found.size(), msg::bound_equal_bits()), tally, found, expected, shape,
      [&](std::size_t i) { return std::memcmp(&found[i], &expected[i], sizeof(T)) != 0; });
}

// Within a bound; `expected` was computed in a higher precision than T. Reports the error and bound of the
// element with the largest error / bound ratio.
template <class T, class Reference>
Check within(std::span<const T> found, std::span<const Reference> expected, const Allowed& allowed,
             const Shape& shape = {}) {
  detail::require_equal_sizes(found.size(), expected.size());
  if (allowed.each.size() != 1) detail::require_equal_sizes(found.size(), allowed.each.size());
  const auto tally = detail::tally_all(found.size(), [&](std::size_t begin, std::size_t end) {
    detail::Tally part;
    for (std::size_t i = begin; i < end; ++i)
      part.add(i, detail::distance(found[i], expected[i]), allowed.at(i));
    return part;
  });
  return detail::with_mismatches(detail::to_check(tally, found.size(), allowed.bound), tally, found, expected,
                                 shape, [&](std::size_t i) {
                                   return detail::is_wrong(detail::distance(found[i], expected[i]),
                                                           allowed.at(i));
                                 });
}

}  // namespace cudalab::lab
