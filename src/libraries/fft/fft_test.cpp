// Tests cuFFT against sums over the definition of the discrete Fourier transform.
#include <cufft.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <type_traits>
#include <vector>

#include "libraries/fft/transform.h"
#include "libraries/on_device_testing.h"

namespace cudalab::fft {
namespace {

using libraries::OnDevice;
using Z = std::complex<double>;

// Relative errors of a result as a whole.
constexpr double kOfFloat = 1e-6, kOfDouble = 1e-13;
template <class R>
constexpr double kToleranceOf = std::is_same_v<R, float> ? kOfFloat : kOfDouble;

std::vector<Z> random_numbers(std::size_t count, bool is_real) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<Z> values(count);
  for (Z& value : values) value = Z(between(random), is_real ? 0 : between(random));
  return values;
}

// Transforms each line of the last dimension of length n, by the definition.
std::vector<Z> line_sums(const std::vector<Z>& in, int n, int sign) {
  std::vector<Z> roots(n), out(in.size());
  for (int i = 0; i < n; ++i) roots[i] = std::polar(1.0, sign * 2 * std::numbers::pi * i / n);
  for (std::size_t line = 0; line < in.size(); line += n)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) out[line + k] += in[line + j] * roots[std::size_t(j) * k % n];
  return out;
}

// Moves the last of the dimensions to the front.
std::vector<Z> turned(const std::vector<Z>& in, int last) {
  std::vector<Z> out(in.size());
  const std::size_t others = in.size() / last;
  for (std::size_t i = 0; i < in.size(); ++i) out[i % last * others + i / last] = in[i];
  return out;
}

// The transform of one array, by the definition.
std::vector<Z> direct(std::vector<Z> values, const std::vector<int>& size, int sign) {
  for (auto n = size.rbegin(); n != size.rend(); ++n) values = turned(line_sums(values, *n, sign), *n);
  return values;
}

std::vector<Z> direct_batch(const std::vector<Z>& in, const std::vector<int>& size, int batch, int sign) {
  std::vector<Z> out;
  const std::size_t each = in.size() / batch;
  for (int b = 0; b < batch; ++b) {
    const auto one = direct({in.begin() + b * each, in.begin() + (b + 1) * each}, size, sign);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

// The first half of the last dimension, and one more.
std::vector<Z> half(const std::vector<Z>& whole, int last) {
  std::vector<Z> kept;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (static_cast<int>(i % last) <= last / 2) kept.push_back(whole[i]);
  return kept;
}

template <class T>
std::vector<T> narrowed(const std::vector<Z>& values) {
  std::vector<T> result;
  for (const Z& value : values) {
    if constexpr (std::is_floating_point_v<T>)
      result.push_back(static_cast<T>(value.real()));
    else
      result.push_back(T(value));
  }
  return result;
}

template <class T>
double error_of(const std::vector<T>& found, const std::vector<Z>& wanted) {
  EXPECT_EQ(found.size(), wanted.size());
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    difference += std::norm(Z(found[i]) - wanted[i]), size += std::norm(wanted[i]);
  return std::sqrt(difference / size);
}

// A plan that is destroyed with the object.
class MadePlan {
 public:
  MadePlan(std::vector<int> size, cufftType type, int batch) {
    EXPECT_EQ(cufftPlanMany(&handle_, static_cast<int>(size.size()), size.data(), nullptr, 1, 0, nullptr, 1,
                            0, type, batch),
              CUFFT_SUCCESS);
  }
  MadePlan(const MadePlan&) = delete;
  MadePlan& operator=(const MadePlan&) = delete;
  ~MadePlan() { EXPECT_EQ(cufftDestroy(handle_), CUFFT_SUCCESS); }
  operator cufftHandle() const { return handle_; }

 private:
  cufftHandle handle_ = CUFFT_PLAN_NULL;
};

cufftResult run(cufftHandle plan, std::complex<float>* in, std::complex<float>* out, int direction) {
  return cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(in), reinterpret_cast<cufftComplex*>(out),
                      direction);
}
cufftResult run(cufftHandle plan, Z* in, Z* out, int direction) {
  return cufftExecZ2Z(plan, reinterpret_cast<cufftDoubleComplex*>(in),
                      reinterpret_cast<cufftDoubleComplex*>(out), direction);
}
cufftResult run(cufftHandle plan, float* in, std::complex<float>* out, int) {
  return cufftExecR2C(plan, in, reinterpret_cast<cufftComplex*>(out));
}
cufftResult run(cufftHandle plan, double* in, Z* out, int) {
  return cufftExecD2Z(plan, in, reinterpret_cast<cufftDoubleComplex*>(out));
}
cufftResult run(cufftHandle plan, std::complex<float>* in, float* out, int) {
  return cufftExecC2R(plan, reinterpret_cast<cufftComplex*>(in), out);
}
cufftResult run(cufftHandle plan, Z* in, double* out, int) {
  return cufftExecZ2D(plan, reinterpret_cast<cufftDoubleComplex*>(in), out);
}

template <class In, class Out>
std::vector<Out> transformed(cufftHandle plan, const std::vector<In>& in, std::size_t count, int direction) {
  const OnDevice<In> from(in);
  const OnDevice<Out> to(std::vector<Out>(count, Out(-77)));
  EXPECT_EQ(run(plan, from.as(), to.as(), direction), CUFFT_SUCCESS);
  EXPECT_EQ(from.read(), in);
  return to.read();
}

// Compares all transforms of one precision with sums.
template <class R>
void expect_transforms(const std::vector<int>& size, int batch) {
  using C = std::complex<R>;
  constexpr bool kIsDouble = std::is_same_v<R, double>;
  std::size_t count = batch;
  std::string name;
  for (const int n : size) count *= n, name += std::to_string(n) + " ";
  SCOPED_TRACE(name + (kIsDouble ? "double" : "float"));
  const auto complex = random_numbers(count, false), real = random_numbers(count, true);
  const MadePlan plan(size, kIsDouble ? CUFFT_Z2Z : CUFFT_C2C, batch);
  for (const int sign : {CUFFT_FORWARD, CUFFT_INVERSE})
    EXPECT_LE(error_of(transformed<C, C>(plan, narrowed<C>(complex), count, sign),
                       direct_batch(complex, size, batch, sign)),
              kToleranceOf<R>);
  const auto spectrum = half(direct_batch(real, size, batch, CUFFT_FORWARD), size.back());
  const MadePlan to_complex(size, kIsDouble ? CUFFT_D2Z : CUFFT_R2C, batch);
  EXPECT_LE(error_of(transformed<R, C>(to_complex, narrowed<R>(real), spectrum.size(), 0), spectrum),
            kToleranceOf<R>);
  const MadePlan to_real(size, kIsDouble ? CUFFT_Z2D : CUFFT_C2R, batch);
  auto back = real;
  for (Z& value : back) value *= static_cast<double>(count) / batch;
  EXPECT_LE(error_of(transformed<C, R>(to_real, narrowed<C>(spectrum), count, 0), back), 2 * kToleranceOf<R>);
}

TEST(Fft, EqualsTheSumsForLengthsWithAllFactors) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 21, 25, 30, 49, 64, 101, 120, 127, 210})
    expect_transforms<float>({n}, 2), expect_transforms<double>({n}, 2);
}

TEST(Fft, EqualsTheSumsForLengthsWithALargePrimeFactor) {
  for (const int n : {131, 262, 393, 997})
    expect_transforms<float>({n}, 1), expect_transforms<double>({n}, 1);
}

TEST(Fft, EqualsTheSumsInTwoAndThreeDimensions) {
  for (const std::vector<int>& size :
       {std::vector{1, 6}, {6, 1}, {8, 9}, {10, 7}, {3, 4, 5}, {5, 6, 8}, {2, 131}})
    expect_transforms<float>(size, 3), expect_transforms<double>(size, 1);
}

// A transform with strides and larger arrays around the data, in both directions.
TEST(Fft, ReadsAndWritesWithStridesAndEmbeddings) {
  constexpr int kBatch = 3;
  std::vector<int> size{4, 6}, input{5, 7}, output{4, 5};  // of R2C: 6 real numbers become 4 complex ones
  constexpr int kInStride = 2, kInDistance = 80, kOutStride = 3, kOutDistance = 1;
  const auto in_place = [&](int b, int x, int y) { return b * kInDistance + (x * input[1] + y) * kInStride; };
  const auto out_place = [&](int b, int x, int y) {
    return b * kOutDistance + (x * output[1] + y) * kOutStride;
  };
  const auto values = random_numbers(kBatch * 24, true);
  std::vector<double> memory(kBatch * kInDistance, 99);
  for (int i = 0; i < kBatch * 24; ++i) memory[in_place(i / 24, i % 24 / 6, i % 6)] = values[i].real();
  const auto wanted = half(direct_batch(values, size, kBatch, CUFFT_FORWARD), 6);

  cufftHandle plan;
  ASSERT_EQ(cufftPlanMany(&plan, 2, size.data(), input.data(), kInStride, kInDistance, output.data(),
                          kOutStride, kOutDistance, CUFFT_D2Z, kBatch),
            CUFFT_SUCCESS);
  const auto found = transformed<double, Z>(plan, memory, 60, 0);
  std::vector<Z> kept;
  for (int i = 0; i < kBatch * 16; ++i) kept.push_back(found[out_place(i / 16, i % 16 / 4, i % 4)]);
  EXPECT_LE(error_of(kept, wanted), kOfDouble);
  EXPECT_EQ(std::ranges::count(found, Z(-77)), 60 - kBatch * 16);  // and nothing else is written
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);

  // Back, from that layout to the first one.
  ASSERT_EQ(cufftPlanMany(&plan, 2, size.data(), output.data(), kOutStride, kOutDistance, input.data(),
                          kInStride, kInDistance, CUFFT_Z2D, kBatch),
            CUFFT_SUCCESS);
  const auto back = transformed<Z, double>(plan, found, memory.size(), 0);
  for (int i = 0; i < kBatch * 24; ++i)
    EXPECT_NEAR(back[in_place(i / 24, i % 24 / 6, i % 6)], 24 * values[i].real(), 1e-12);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

// In place, each line of n real numbers has room for n / 2 + 1 complex ones.
TEST(Fft, TransformsRealNumbersInPlace) {
  for (const std::vector<int>& size : {std::vector{10}, {7}, {6, 9}, {3, 4, 6}}) {
    constexpr int kBatch = 2;
    const int n = size.back(), room = 2 * (n / 2 + 1);
    std::size_t count = kBatch;
    for (const int each : size) count *= each;
    const auto values = random_numbers(count, true);
    std::vector<double> padded(count / n * room, 5);
    for (std::size_t i = 0; i < count; ++i) padded[i / n * room + i % n] = values[i].real();
    const OnDevice<double> memory(padded);
    const MadePlan there(size, CUFFT_D2Z, kBatch), back(size, CUFFT_Z2D, kBatch);
    ASSERT_EQ(run(there, memory.as(), memory.as<Z>(), 0), CUFFT_SUCCESS);
    const auto found = memory.read();
    const auto* complex = reinterpret_cast<const Z*>(found.data());
    EXPECT_LE(error_of(std::vector<Z>(complex, complex + found.size() / 2),
                       half(direct_batch(values, size, kBatch, CUFFT_FORWARD), n)),
              kOfDouble);
    ASSERT_EQ(run(back, memory.as<Z>(), memory.as(), 0), CUFFT_SUCCESS);
    const auto restored = memory.read();
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_NEAR(restored[i / n * room + i % n], values[i].real() * static_cast<double>(count) / kBatch,
                  1e-11);
  }
}

TEST(Fft, TransformsComplexNumbersInPlaceAlsoBetweenDifferentLayouts) {
  std::vector<int> size{6};
  const auto values = random_numbers(24, false);
  const auto wanted = direct_batch(values, size, 4, CUFFT_FORWARD);
  const OnDevice<Z> memory(values), interleaved(values);
  const MadePlan plan(size, CUFFT_Z2Z, 4);
  ASSERT_EQ(run(plan, memory.as(), memory.as(), CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_LE(error_of(memory.read(), wanted), kOfDouble);
  cufftHandle other;
  ASSERT_EQ(cufftPlanMany(&other, 1, size.data(), size.data(), 1, 6, size.data(), 4, 1, CUFFT_Z2Z, 4),
            CUFFT_SUCCESS);
  ASSERT_EQ(run(other, interleaved.as(), interleaved.as(), CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_LE(error_of(turned(interleaved.read(), 4), wanted), kOfDouble);
  EXPECT_EQ(cufftDestroy(other), CUFFT_SUCCESS);
}

TEST(Fft, AnswersWrongCallsWithTheirStatus) {
  cufftHandle plan;
  EXPECT_EQ(cufftPlan1d(nullptr, 8, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan2d(&plan, 8, -1, CUFFT_C2C), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 0), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan1d(&plan, 8, static_cast<cufftType>(1), 1), CUFFT_INVALID_TYPE);
  EXPECT_EQ(cufftPlanMany(&plan, 4, nullptr, nullptr, 1, 1, nullptr, 1, 1, CUFFT_C2C, 1),
            CUFFT_INVALID_VALUE);

  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  const OnDevice<std::complex<float>> memory(std::vector<std::complex<float>>(8));
  EXPECT_EQ(run(plan, memory.as(), memory.as(), CUFFT_FORWARD), CUFFT_INVALID_PLAN);  // not made yet
  std::size_t bytes = 0;
  ASSERT_EQ(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes), CUFFT_SUCCESS);
  EXPECT_EQ(bytes, 64U);
  EXPECT_EQ(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes), CUFFT_INVALID_PLAN);  // made already
  EXPECT_EQ(run(plan, memory.as(), memory.as(), 0), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftExecC2C(plan, nullptr, memory.as<cufftComplex>(), CUFFT_FORWARD), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftExecR2C(plan, memory.as<float>(), memory.as<cufftComplex>()), CUFFT_INVALID_TYPE);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_INVALID_PLAN);
  EXPECT_EQ(run(plan, memory.as(), memory.as(), CUFFT_FORWARD), CUFFT_INVALID_PLAN);
}

TEST(Transforms, GiveTheSameNumbersWithAnyNumberOfThreads) {
  Shape shape{Kind::kRealToComplex, Precision::kSingle, 2, {512, 600, 1}, 2};
  const std::vector<float> in = narrowed<float>(random_numbers(2 * 512 * 600, true));
  const auto transform = transform_of(shape);
  const auto with = [&](unsigned threads) {
    std::vector<std::complex<float>> out(2 * 512 * 301);
    transform->run(basic_layout(shape, false, false), in.data(), basic_layout(shape, true, false), out.data(),
                   false, threads);
    return out;
  };
  const auto alone = with(1);
  EXPECT_EQ(with(3), alone);
  EXPECT_EQ(with(8), alone);
}

TEST(Extents, OfALayoutAreRowsOrOneRangeWithGaps) {
  const auto of = [](const Shape& shape, const Layout& layout) {
    const Extent extent = extent_of(shape, layout, false);
    return std::vector<std::int64_t>{extent.row_elements, extent.rows, extent.pitch, extent.has_gaps};
  };
  const auto array = [](int rank, Sizes size, std::int64_t batch) {
    return Shape{Kind::kComplex, Precision::kSingle, rank, size, batch};
  };
  using testing::ElementsAre;
  EXPECT_THAT(of(array(2, {4, 6, 1}, 3), {{6, 1, 0}, 24}), ElementsAre(72, 1, 0, 0));  // dense
  EXPECT_THAT(of(array(2, {4, 6, 1}, 3), {{8, 1, 0}, 32}), ElementsAre(6, 12, 8, 0));  // padded lines
  EXPECT_THAT(of(array(1, {6, 1, 1}, 3), {{3, 0, 0}, 1}), ElementsAre(18, 1, 0, 0));   // interleaved
  EXPECT_THAT(of(array(1, {6, 1, 1}, 3), {{1, 0, 0}, 10}), ElementsAre(6, 3, 10, 0));  // apart
  EXPECT_THAT(of(array(2, {4, 6, 1}, 3), {{8, 1, 0}, 99}),
              ElementsAre(228, 1, 0, 1));  // lines and arrays apart
  EXPECT_THAT(of(array(1, {6, 1, 1}, 1), {{5, 0, 0}, 0}), ElementsAre(1, 6, 5, 0));
}

}  // namespace
}  // namespace cudalab::fft
