// Checks a matrix multiplication C = A * B of any size.
#include "lab/verification/product_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lab/random.h"
#include "lab/verification/bounds.h"
#include "messages/lab.h"
#include "vgpu/levels.h"

namespace cudalab::lab {
namespace {

constexpr std::size_t kTrialLanes = 8;         // trials per loop
constexpr std::size_t kRowsTogether = 4;       // rows of C computed in one pass over B
constexpr std::size_t kColumnsTogether = 512;  // their sums fit in the L1 cache
constexpr std::size_t kRowsAtOnce = 1024;      // rows of C that are recomputed together
constexpr double kDoubleUnit = 0x1p-53;        // half the distance from 1 to the next double
constexpr double kSplitter = 0x1p27 + 1;       // Dekker's constant for 53 bits
using TrialLanes =
    double __attribute__((vector_size(kTrialLanes * sizeof(double)), aligned(sizeof(double)), may_alias));

// sum + lost += value * weights[j], for every j of a row and kTrialLanes weight vectors. All weights are
// powers of two, so products are exact.
template <class T>
__attribute__((always_inline)) inline void add_scaled_row(std::span<const T> row, const double* weights,
                                                          double* sums, double* losts) {
  TrialLanes sum{}, lost{};
  for (std::size_t j = 0; j < row.size(); ++j) {
    const TrialLanes term =
        *reinterpret_cast<const TrialLanes*>(weights + j * kTrialLanes) * static_cast<double>(row[j]);
    const TrialLanes after = sum + term, back = after - sum;
    lost += (sum - (after - back)) + (term - back);
    sum = after;
  }
  *reinterpret_cast<TrialLanes*>(sums) = sum;
  *reinterpret_cast<TrialLanes*>(losts) = lost;
}

// The same for arbitrary weights, each with a correction. The rounding error of a product is computed by
// Dekker's method (T. J. Dekker, "A floating-point technique for extending the available precision",
// Numerische Mathematik 18, 1971).
template <class T>
__attribute__((always_inline)) inline void add_product_row(std::span<const T> row, const double* weights,
                                                           const double* corrections, double* sums,
                                                           double* losts) {
  TrialLanes sum{}, lost{};
  for (std::size_t j = 0; j < row.size(); ++j) {
    const auto value = static_cast<double>(row[j]);
    const double scaled = kSplitter * value, high = scaled - (scaled - value), low = value - high;
    const TrialLanes weight = *reinterpret_cast<const TrialLanes*>(weights + j * kTrialLanes);
    const TrialLanes scaled_weight = kSplitter * weight;
    const TrialLanes high_weight = scaled_weight - (scaled_weight - weight),
                     low_weight = weight - high_weight;
    const TrialLanes term = weight * value;
    const TrialLanes of_term =
        ((high_weight * high - term) + high_weight * low + low_weight * high) + low_weight * low;
    const TrialLanes after = sum + term, back = after - sum;
    lost += (sum - (after - back)) + (term - back) + of_term +
            *reinterpret_cast<const TrialLanes*>(corrections + j * kTrialLanes) * value;
    sum = after;
  }
  *reinterpret_cast<TrialLanes*>(sums) = sum;
  *reinterpret_cast<TrialLanes*>(losts) = lost;
}

CUDALAB_EACH_LEVEL void add_scaled(std::span<const float> row, const double* weights, double* sums,
                                   double* losts) {
  add_scaled_row(row, weights, sums, losts);
}
CUDALAB_EACH_LEVEL void add_scaled(std::span<const double> row, const double* weights, double* sums,
                                   double* losts) {
  add_scaled_row(row, weights, sums, losts);
}
CUDALAB_EACH_LEVEL void add_products(std::span<const float> row, const double* weights,
                                     const double* corrections, double* sums, double* losts) {
  add_product_row(row, weights, corrections, sums, losts);
}
CUDALAB_EACH_LEVEL void add_products(std::span<const double> row, const double* weights,
                                     const double* corrections, double* sums, double* losts) {
  add_product_row(row, weights, corrections, sums, losts);
}

// Rows of C in double, with 2^-29 of float's rounding error. Goes through B row by row, so the compiler can
// vectorize.
CUDALAB_EACH_LEVEL void add_exactly(float a, std::span<const float> b, double* sums, double*) {
  for (std::size_t column = 0; column < b.size(); ++column) sums[column] += double{a} * b[column];
}
CUDALAB_EACH_LEVEL void add_exactly(double a, std::span<const double> b, double* sums, double* losts) {
  for (std::size_t column = 0; column < b.size(); ++column) {
    const double term = a * b[column], after = sums[column] + term, back = after - sums[column];
    losts[column] += (sums[column] - (after - back)) + (term - back) + std::fma(a, b[column], -term);
    sums[column] = after;
  }
}

// Adds the squares of a row to the sums of its columns.
template <class T>
void add_squares(std::span<const T> row, double* sums) {
  for (std::size_t column = 0; column < row.size(); ++column) {
    const auto value = static_cast<double>(row[column]);
    sums[column] += value * value;
  }
}

template <class T>
std::vector<double> lengths_of_rows(std::span<const T> matrix, std::size_t rows, std::size_t columns) {
  std::vector<double> lengths(rows);
  const auto work = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      double sum = 0;
      for (const T element : matrix.subspan(row * columns, columns))
        sum += static_cast<double>(element) * static_cast<double>(element);
      lengths[row] = std::sqrt(sum);
    }
  };
  for_pieces(rows, work, columns);
  return lengths;
}

template <class T>
std::vector<double> lengths_of_columns(std::span<const T> matrix, std::size_t rows, std::size_t columns) {
  std::vector<double> lengths(columns);
  const auto work = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = 0; row < rows; ++row)
      add_squares(matrix.subspan(row * columns + begin, end - begin), &lengths[begin]);
    for (std::size_t column = begin; column < end; ++column) lengths[column] = std::sqrt(lengths[column]);
  };
  for_pieces(columns, work, rows);
  return lengths;
}

// The index of a trial's value. Groups of kTrialLanes trials are stored one after another.
std::size_t place_of(std::size_t trial, std::size_t index, std::size_t count) {
  return (trial / kTrialLanes * count + index) * kTrialLanes + trial % kTrialLanes;
}

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

// The first and the last index, and others at random; sorted.
std::vector<std::size_t> sample(std::size_t count, std::size_t wanted, std::uint64_t stream) {
  std::vector<std::size_t> chosen{0, count - 1};
  for (std::size_t i = 2; i < wanted; ++i) chosen.push_back(random_bits(stream, i) % count);
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

// ---- what is computed once ---------------------------------------------------------------------------

template <class T>
ProductCheck<T>::ProductCheck(std::span<const T> a, std::span<const T> b, ProductSize size,
                              std::uint64_t stream, double most_exact_products)
    : a_(a),
      b_(b),
      size_(size),
      is_small_(size.products() <= most_exact_products),
      gamma_(gamma<T>(size.inner + 2)),
      row_lengths_(lengths_of_rows(a, size.rows, size.inner)),
      column_lengths_(lengths_of_columns(b, size.inner, size.columns)),
      exact_rows_(is_small_ ? numbers_below(size.rows) : sample(size.rows, kSampledRows, stream)),
      reference_(values_of(exact_rows_)) {
  if (is_small_) return;
  choose_vectors(stream);
  project();
}

template <class T>
double ProductCheck<T>::host_bytes(ProductSize size) {
  const auto results = static_cast<double>(size.results());
  if (size.products() <= kMostExactProducts) return 2 * results * sizeof(double);
  const auto sampled = static_cast<double>(kSampledRows * size.columns);
  const auto vectors = static_cast<double>(kTrials * (size.columns + 2 * size.inner + 2 * size.rows));
  return (sampled + vectors) * sizeof(double);
}

template <class T>
void ProductCheck<T>::choose_vectors(std::uint64_t stream) {
  vectors_.resize(size_.columns * kTrials);
  for (std::size_t column = 0; column < size_.columns; ++column) {
    const double length = column_lengths_[column];
    if (length == 0) zero_columns_.push_back(column);
    const double power = length == 0 ? 1 : std::ldexp(1.0, -std::ilogb(length));
    const std::uint64_t signs = random_bits(stream, column);
    for (std::size_t trial = 0; trial < kTrials; ++trial)
      vectors_[place_of(trial, column, size_.columns)] = (signs >> trial & 1) != 0 ? power : -power;
  }
}

template <class T>
void ProductCheck<T>::project() {
  std::vector<double> sums(size_.inner * kTrials), losts(size_.inner * kTrials);  // B x
  const auto rows_of_b = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t trial = 0; trial < kTrials; trial += kTrialLanes)
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t to = place_of(trial, k, size_.inner);
        add_scaled(b_.subspan(k * size_.columns, size_.columns), &vectors_[place_of(trial, 0, size_.columns)],
                   &sums[to], &losts[to]);
      }
  };
  for_pieces(size_.inner, rows_of_b, size_.columns * kTrials);
  expected_.resize(size_.rows * kTrials);
  lost_.resize(size_.rows * kTrials);
  const auto rows_of_a = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t trial = 0; trial < kTrials; trial += kTrialLanes)
      for (std::size_t row = begin; row < end; ++row) {
        const std::size_t from = place_of(trial, 0, size_.inner), to = row * kTrials + trial;
        add_products(a_.subspan(row * size_.inner, size_.inner), &sums[from], &losts[from], &expected_[to],
                     &lost_[to]);
      }
  };
  for_pieces(size_.rows, rows_of_a, size_.inner * kTrials);
}

// The given rows of C, one after another; for double, as if computed in twice the precision.
template <class T>
std::vector<double> ProductCheck<T>::values_of(std::span<const std::size_t> rows) const {
  const std::size_t groups = (rows.size() + kRowsTogether - 1) / kRowsTogether;
  const std::size_t parts = (size_.columns + kColumnsTogether - 1) / kColumnsTogether;
  std::vector<double> exact(rows.size() * size_.columns);
  const auto work = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece) {
      const std::size_t first = piece / parts * kRowsTogether, left = piece % parts * kColumnsTogether;
      const std::size_t count = std::min(kRowsTogether, rows.size() - first);
      const std::size_t width = std::min(kColumnsTogether, size_.columns - left);
      std::array<std::array<double, kColumnsTogether>, kRowsTogether> sums{}, losts{};
      for (std::size_t k = 0; k < size_.inner; ++k)
        for (std::size_t i = 0; i < count; ++i)
          add_exactly(a_[rows[first + i] * size_.inner + k], b_.subspan(k * size_.columns + left, width),
                      sums[i].data(), losts[i].data());
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t column = 0; column < width; ++column)
          exact[(first + i) * size_.columns + left + column] = sums[i][column] + losts[i][column];
    }
  };
  for_pieces(groups * parts, work, kRowsTogether * kColumnsTogether * size_.inner);
  return exact;
}

// ---- checking ----------------------------------------------------------------------------------------

// `rounding`: the error of the sums themselves. A pair (sum, lost) has an error of at most 2 n^2 u^2 times
// the sum of n terms' magnitudes (Ogita, Rump, Oishi, section 4). The terms of C x, of A (B x) and of B x
// inside it add up to at most 2 columns |row of A| each. The comparison is written so that NaN is suspicious.
template <class T>
bool ProductCheck<T>::is_suspicious(std::span<const T> row_of_c, std::size_t row) const {
  for (const std::size_t column : zero_columns_)
    if (row_of_c[column] != 0) return true;
  const double terms = static_cast<double>(size_.columns + size_.inner);
  const double rounding = 16 * terms * terms * kDoubleUnit * kDoubleUnit * terms * row_lengths_[row];
  const double least_wrong = gamma_ * row_lengths_[row] * (1 - 4 * kDoubleUnit) - rounding;
  std::array<double, kTrialLanes> sums{}, losts{};
  for (std::size_t trial = 0; trial < kTrials; trial += kTrialLanes) {
    add_scaled(row_of_c, &vectors_[place_of(trial, 0, size_.columns)], sums.data(), losts.data());
    for (std::size_t lane = 0; lane < kTrialLanes; ++lane) {
      const std::size_t at = row * kTrials + trial + lane;
      const double off = (sums[lane] - expected_[at]) + (losts[lane] - lost_[at]);
      if (!(std::fabs(off) <= least_wrong)) return true;
    }
  }
  return false;
}

template <class T>
std::vector<std::size_t> ProductCheck<T>::suspicious_rows(std::span<const T> found) const {
  std::vector<std::uint8_t> suspicious(size_.rows);
  const auto work = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      suspicious[row] = is_suspicious(found.subspan(row * size_.columns, size_.columns), row);
  };
  for_pieces(size_.rows, work, size_.columns * kTrials);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < size_.rows; ++row)
    if (suspicious[row] != 0 && !std::ranges::binary_search(exact_rows_, row)) rows.push_back(row);
  return rows;
}

template <class T>
detail::Tally ProductCheck<T>::compare(std::span<const T> found, std::span<const std::size_t> rows,
                                       std::span<const double> exact) const {
  return detail::tally_all(exact.size(), [&](std::size_t begin, std::size_t end) {
    detail::Tally part;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = rows[i / size_.columns], column = i % size_.columns,
                        at = row * size_.columns + column;
      part.add(at, detail::distance(found[at], exact[i]), allowed(row, column));
    }
    return part;
  });
}

template <class T>
detail::Tally ProductCheck<T>::compare_all(std::span<const T> found) const {
  detail::Tally tally = compare(found, exact_rows_, reference_);
  if (is_small_) return tally;
  const std::vector<std::size_t> suspicious = suspicious_rows(found);
  const std::span<const std::size_t> all(suspicious);
  for (std::size_t done = 0; done < all.size(); done += kRowsAtOnce) {
    const auto rows = all.subspan(done, std::min(kRowsAtOnce, all.size() - done));
    const detail::Tally more = compare(found, rows, values_of(rows));
    const bool begins_before = more.mismatches > 0 && (tally.mismatches == 0 || more.first < tally.first);
    const std::size_t first = begins_before ? more.first : tally.first;
    tally.add(more);
    tally.first = first;
  }
  return tally;
}

template <class T>
Check ProductCheck<T>::check(std::span<const T> found) const {
  detail::require_equal_sizes(found.size(), size_.results());
  const detail::Tally tally = compare_all(found);
  Check check = detail::to_check(tally, found.size(), bound());
  if (check.mismatches == 0) return check;
  const std::size_t row = tally.first / size_.columns, column = tally.first % size_.columns;
  check.first_mismatch = Mismatch{{static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)},
                                  detail::text_of(found[tally.first]),
                                  detail::text_of(values_of(std::span(&row, 1))[column]),
                                  detail::is_poison(found[tally.first])};
  if (is_small_) add_patterns(check, found, tally.first);
  return check;
}

template <class T>
void ProductCheck<T>::add_patterns(Check& check, std::span<const T> found, std::size_t first) const {
  const Shape shape{static_cast<std::int64_t>(size_.rows), static_cast<std::int64_t>(size_.columns)};
  const auto is_wrong = [&](std::size_t i) {
    return detail::is_wrong(detail::distance(found[i], reference_[i]),
                            allowed(i / size_.columns, i % size_.columns));
  };
  check.wrong = detail::wrong_map(found.size(), shape, first, is_wrong);
  check.patterns = patterns_of({.count = found.size(),
                                .found = [&](std::size_t i) { return static_cast<double>(found[i]); },
                                .expected = [&](std::size_t i) { return reference_[i]; },
                                .is_wrong = is_wrong,
                                .shape = shape,
                                .is_double = std::is_same_v<T, double>,
                                .has_unwritten = check.first_mismatch->never_written});
  if (Message other = pattern_of_matrices(found, is_wrong); !other.empty())
    check.patterns.insert(check.patterns.begin(), std::move(other));
}

// Whether the wrong elements are those of a product in which a matrix is read as its transpose. Looks at a
// sample of them.
template <class T>
Message ProductCheck<T>::pattern_of_matrices(std::span<const T> found,
                                             const std::function<bool(std::size_t)>& is_wrong) const {
  constexpr std::size_t kFewest = 4, kMost = 64;
  std::vector<std::size_t> wrong;
  const std::size_t step = std::max<std::size_t>(1, found.size() / (4 * kMost) | 1);
  for (std::size_t i = 0; i < found.size() && wrong.size() < kMost; i += step)
    if (is_wrong(i)) wrong.push_back(i);
  if (wrong.size() < kFewest || size_.inner < 2) return {};
  const auto fits = [&](bool a_is_transposed, bool b_is_transposed) {
    return std::ranges::all_of(wrong, [&](std::size_t at) {
      const std::size_t row = at / size_.columns, column = at % size_.columns;
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < size_.inner; ++k) {
        const double x = a_[a_is_transposed ? k * size_.rows + row : row * size_.inner + k],
                     y = b_[b_is_transposed ? column * size_.inner + k : k * size_.columns + column];
        sum += x * y;
        magnitude += std::fabs(x * y);
      }
      return std::fabs(static_cast<double>(found[at]) - sum) <= gamma_ * magnitude;
    });
  };
  if (fits(false, true)) return msg::wrong_matrix_transposed(Code{"b"});
  if (fits(true, false)) return msg::wrong_matrix_transposed(Code{"a"});
  return fits(true, true) ? msg::wrong_matrices_transposed(Code{"a"}, Code{"b"}) : Message();
}

template <class T>
Message ProductCheck<T>::bound() const {
  constexpr int kDigits = std::numeric_limits<T>::digits;
  if (is_small_) return msg::bound_product(size_.inner + 2, kDigits);
  return msg::bound_product_random(size_.inner + 2, kDigits, kTrials, exact_rows_.size());
}

template class ProductCheck<float>;
template class ProductCheck<double>;

}  // namespace cudalab::lab
