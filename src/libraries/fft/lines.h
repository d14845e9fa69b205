// Discrete Fourier transforms of one line of numbers, without a factor, as cuFFT defines them.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>

namespace cudalab::fft {

// Transforms lines of one length. An object has buffers of its own, so each thread needs one. Input and
// output must not overlap.
template <class R>
class Line {
 public:
  using C = std::complex<R>;
  virtual ~Line() = default;
  virtual void transform(const C* in, C* out, bool is_inverse) = 0;
  // The first length / 2 + 1 results; the others are their conjugates.
  virtual void transform(const R* in, C* out, bool) = 0;
  // The inverse of a line with conjugate symmetry, of which `in` has the first length / 2 + 1 numbers. The
  // imaginary parts of numbers that must be real are ignored.
  virtual void transform(const C* in, R* out, bool) = 0;
};

// Whether a length has a prime factor above 127, and so is transformed by Bluestein's algorithm, as in cuFFT.
bool takes_bluestein(std::int64_t length);

// The transform for lines of this length.
template <class R>
std::unique_ptr<Line<R>> line_of(std::int64_t length);

}  // namespace cudalab::fft
