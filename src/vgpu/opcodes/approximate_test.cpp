// Tests the series that replace the GPU's special function unit: each result equals the mathematics
// library's, rounded to single precision.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "vgpu/opcodes/row_runner_testing.h"

namespace cudalab::vgpu {
namespace {

float flushed(float a) { return std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a; }

// Compares every 20,011th single-precision number, at each instruction-set level.
void expect_everywhere(const char* name, const std::function<float(float)>& function) {
  constexpr std::uint64_t kStep = 20011;
  for (std::uint64_t from = 0; from < std::uint64_t{1} << 32; from += kStep * kWarpSize) {
    std::vector<std::uint64_t> operands, expected;
    for (std::uint64_t lane = 0; lane < kWarpSize; ++lane) {
      operands.push_back(static_cast<std::uint32_t>(from + lane * kStep));
      const float value = function(std::bit_cast<float>(static_cast<std::uint32_t>(operands.back())));
      expected.push_back(std::isnan(value) ? 0x7fff'ffff : std::bit_cast<std::uint32_t>(value));
    }
    for (const auto& [level, table] : opcode_tables())
      ASSERT_EQ(RowRunner::run(*table->find(name), {operands}).d, expected) << level << ", from " << from;
  }
}

TEST(Approximate, PowersAreTheLibrarys) {
  expect_everywhere("ex2.approx.ftz.f32",
                    [](float a) { return flushed(static_cast<float>(std::exp2(double{flushed(a)}))); });
}

TEST(Approximate, LogarithmsAreTheLibrarys) {
  expect_everywhere("lg2.approx.ftz.f32",
                    [](float a) { return static_cast<float>(std::log2(double{flushed(a)})); });
}

// Takes the angle in turns, truncated to single precision and 25 fractional bits.
float sine_of_turns(float angle, bool is_cosine) {
  const double exact = double{flushed(angle)} * 0.15915494f;
  float turns = static_cast<float>(exact);
  if (std::fabs(turns) > std::fabs(exact)) turns = std::nextafter(turns, 0.0f);
  if (!std::isfinite(turns)) return NAN;
  const double size = std::fabs(double{turns}), part = size < 0x1p23 ? size - std::floor(size) : 0;
  const auto units = static_cast<std::uint32_t>(part * 0x1p25), quadrant = units >> 23;
  const std::uint32_t place = units & 0x7fffff, mirrored = (quadrant & 1) ^ (is_cosine ? 1 : 0);
  const auto value =
      static_cast<float>(std::sin(6.283185307179586476925 / 0x1p25 * (mirrored ? place ^ 0x7fffff : place)));
  if (is_cosine) return quadrant == 1 || quadrant == 2 ? -value : value;
  return std::copysign(value, quadrant & 2 ? -turns : turns);
}

TEST(Approximate, SinesAreTheLibrarys) {
  expect_everywhere("sin.approx.ftz.f32", [](float a) { return sine_of_turns(a, false); });
}

TEST(Approximate, CosinesAreTheLibrarys) {
  expect_everywhere("cos.approx.ftz.f32", [](float a) { return sine_of_turns(a, true); });
}

}  // namespace
}  // namespace cudalab::vgpu
