// Fourier transforms of batches of arrays with one to three dimensions, as a plan of cuFFT describes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cudalab::fft {

enum class Kind : std::uint8_t { kComplex, kRealToComplex, kComplexToReal };

// Of the numbers in memory. Half precision and bfloat16 are transformed as float.
enum class Precision : std::uint8_t { kHalf, kBfloat16, kSingle, kDouble };
constexpr bool is_16_bit(Precision precision) { return precision < Precision::kSingle; }
// Of a real number.
constexpr std::size_t bytes_of(Precision precision) {
  return is_16_bit(precision) ? 2 : precision == Precision::kSingle ? 4 : 8;
}

inline constexpr int kMaxRank = 3;
using Sizes = std::array<std::int64_t, kMaxRank>;

// The places of a batch's elements. Element (x, y, z) of array b is at b * distance + x * strides[0] +
// y * strides[1] + z * strides[2]. All numbers count elements (real or complex).
struct Layout {
  Sizes strides{};
  std::int64_t distance = 0;
};

struct Shape {
  Kind kind = Kind::kComplex;
  Precision precision = Precision::kSingle;
  int rank = 1;
  Sizes size{1, 1, 1};  // of the real or complex array; those behind the rank are 1
  std::int64_t batch = 1;

  std::int64_t last() const { return size[rank - 1]; }
  // Of a complex array with conjugate symmetry, only the first half of the last dimension is stored.
  std::int64_t stored_last(bool is_half) const { return is_half ? last() / 2 + 1 : last(); }
  bool is_half(bool is_output) const {
    return kind == (is_output ? Kind::kRealToComplex : Kind::kComplexToReal);
  }
  bool is_real(bool is_output) const {
    return kind == (is_output ? Kind::kComplexToReal : Kind::kRealToComplex);
  }
  std::size_t element_bytes(bool is_output) const {
    return bytes_of(precision) * (is_real(is_output) ? 1U : 2U);
  }
  // The sizes of the input or output as it is stored.
  Sizes stored(bool is_output) const {
    Sizes sizes = size;
    sizes[rank - 1] = stored_last(is_half(is_output));
    return sizes;
  }
};

// The layout without gaps, except that real numbers of a transform in place leave room for the complex ones.
Layout basic_layout(const Shape& shape, bool is_output, bool is_in_place);

// One or more rows of memory in which a layout has elements. If `has_gaps`, other bytes are between them.
struct Extent {
  std::int64_t row_elements = 0, rows = 1, pitch = 0;  // in elements
  bool has_gaps = false;
};
Extent extent_of(const Shape& shape, const Layout& layout, bool is_output);

// A transform whose tables are made once. Threads may run it at the same time.
class Transform {
 public:
  virtual ~Transform() = default;
  // Input and output may be the same memory. No result depends on the number of threads.
  virtual void run(const Layout& input, const void* in, const Layout& output, void* out, bool is_inverse,
                   unsigned threads) const = 0;
};
std::shared_ptr<const Transform> transform_of(const Shape& shape);

}  // namespace cudalab::fft
