// Transforms lines with Eigen's FFT (kissfft), and those with a large prime factor with Bluestein's algorithm
// on top of it. Eigen is header-only, so packages need no further library.
#include "libraries/fft/lines.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace cudalab::fft {
namespace {

std::int64_t largest_factor(std::int64_t number) {
  std::int64_t largest = 1;
  for (std::int64_t factor = 2; number > 1; ++factor) {
    if (factor * factor > number) factor = number;
    for (; number % factor == 0; number /= factor) largest = factor;
  }
  return largest;
}

template <class R>
class MixedRadix final : public Line<R> {
 public:
  using C = std::complex<R>;
  explicit MixedRadix(std::int64_t length) : length_(length) {
    fft_.SetFlag(Eigen::FFT<R>::Unscaled);
    fft_.SetFlag(Eigen::FFT<R>::HalfSpectrum);
  }
  void transform(const C* in, C* out, bool is_inverse) override {
    if (length_ == 1)
      *out = *in;
    else if (is_inverse)
      fft_.inv(out, in, length_);
    else
      fft_.fwd(out, in, length_);
  }
  void transform(const R* in, C* out, bool) override {
    if (length_ == 1)
      *out = *in;
    else
      fft_.fwd(out, in, length_);
  }
  void transform(const C* in, R* out, bool) override {
    if (length_ == 1)
      *out = in->real();
    else
      fft_.inv(out, in, length_);
  }

 private:
  std::int64_t length_;
  Eigen::FFT<R> fft_;
};

// Bluestein's algorithm: with jk = (j^2 + k^2 - (k - j)^2) / 2, a transform of any length is a convolution
// with a chirp, computed by transforms of a power of two. In double precision, because a convolution loses
// digits. (L. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
// 1970)
template <class R>
class Bluestein final : public Line<R> {
 public:
  using C = std::complex<R>;
  using Wide = std::complex<double>;
  explicit Bluestein(std::int64_t length)
      : length_(length),
        chirp_(length),
        padded_(std::bit_ceil(static_cast<std::uint64_t>(2 * length - 1))),
        convolution_(padded_),
        filter_(padded_),
        line_(padded_),
        other_(padded_) {
    for (std::int64_t i = 0; i < length; ++i) {
      const auto turns = static_cast<double>(static_cast<std::uint64_t>(i) * i % (2 * length));
      chirp_[i] = std::polar(1.0, -std::numbers::pi * turns / static_cast<double>(length));
      line_[i] = line_[(padded_ - i) % padded_] = std::conj(chirp_[i]) / static_cast<double>(padded_);
    }
    convolution_.transform(line_.data(), filter_.data(), false);
  }
  void transform(const C* in, C* out, bool is_inverse) override {
    run(is_inverse, [&](std::int64_t i) { return Wide(in[i]); });
    for (std::int64_t i = 0; i < length_; ++i) out[i] = C(result(i, is_inverse));
  }
  void transform(const R* in, C* out, bool) override {
    run(false, [&](std::int64_t i) { return Wide(in[i]); });
    for (std::int64_t i = 0; i <= length_ / 2; ++i) out[i] = C(result(i, false));
  }
  void transform(const C* in, R* out, bool) override {
    run(true, [&](std::int64_t i) {
      const bool is_given = i <= length_ / 2, is_real = i == 0 || 2 * i == length_;
      const Wide value = is_given ? Wide(in[i]) : std::conj(Wide(in[length_ - i]));
      return is_real ? Wide(value.real()) : value;
    });
    for (std::int64_t i = 0; i < length_; ++i) out[i] = static_cast<R>(result(i, true).real());
  }

 private:
  // The inverse is the conjugate of the transform of the conjugates.
  template <class Input>
  void run(bool is_inverse, const Input& input) {
    std::ranges::fill(line_, Wide());
    for (std::int64_t i = 0; i < length_; ++i)
      line_[i] = (is_inverse ? std::conj(input(i)) : input(i)) * chirp_[i];
    convolution_.transform(line_.data(), other_.data(), false);
    for (std::int64_t i = 0; i < padded_; ++i) other_[i] *= filter_[i];
    convolution_.transform(other_.data(), line_.data(), true);
  }
  Wide result(std::int64_t i, bool is_inverse) const {
    const Wide value = line_[i] * chirp_[i];
    return is_inverse ? std::conj(value) : value;
  }

  std::int64_t length_;
  std::vector<Wide> chirp_;
  std::int64_t padded_;
  MixedRadix<double> convolution_;
  std::vector<Wide> filter_, line_, other_;
};

}  // namespace

bool takes_bluestein(std::int64_t length) {
  constexpr std::int64_t kLargestRadix = 127;
  return largest_factor(length) > kLargestRadix;
}

template <class R>
std::unique_ptr<Line<R>> line_of(std::int64_t length) {
  if (takes_bluestein(length)) return std::make_unique<Bluestein<R>>(length);
  return std::make_unique<MixedRadix<R>>(length);
}

template std::unique_ptr<Line<float>> line_of(std::int64_t);
template std::unique_ptr<Line<double>> line_of(std::int64_t);

}  // namespace cudalab::fft
