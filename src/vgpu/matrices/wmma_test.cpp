// Tests wmma: multiplication of small matrices, in each layout, against sums in double precision.
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/half.h"
#include "vgpu/matrices/elements_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

struct WmmaForm {
  const char* shape;
  int m, n, k;
  bool a_by_columns, b_by_columns, half_sum;
};

void PrintTo(const WmmaForm& form, std::ostream* out) { *out << form.shape; }

std::string registers(const std::string& prefix, int from, int count) {
  std::string list = "{";
  for (int i = 0; i < count; ++i) list += (i ? ", %" : "%") + prefix + std::to_string(from + i);
  return list + "}";
}

std::string layout(bool by_columns) { return by_columns ? "col" : "row"; }

// out = a · b + c; each matrix is dense in memory.
std::string wmma_kernel(const WmmaForm& form) {
  const std::string shape = std::string(".") + form.shape, type = form.half_sum ? "f16" : "f32";
  const std::string a = registers("r", 10, 8), b = registers("r", 20, 8);
  const std::string sum = form.half_sum ? registers("r", 30, 4) : registers("f", 0, 8);
  const auto stride = [](int elements) { return ", " + std::to_string(elements) + ";\n"; };
  const std::string c_place = shape + ".global." + type;
  return KernelHarness::kernel(
      "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nld.param.u64 %rd3, [p2];\nld.param.u64 %rd4, "
      "[p3];\n"
      "wmma.load.a.sync.aligned." +
          layout(form.a_by_columns) + shape + ".f16 " + a + ", [%rd1]" +
          stride(form.a_by_columns ? form.m : form.k) + "wmma.load.b.sync.aligned." +
          layout(form.b_by_columns) + shape + ".global.f16 " + b + ", [%rd2]" +
          stride(form.b_by_columns ? form.k : form.n) + "wmma.load.c.sync.aligned.row" + c_place + " " + sum +
          ", [%rd3]" + stride(form.n) + "wmma.mma.sync.aligned." + layout(form.a_by_columns) + "." +
          layout(form.b_by_columns) + shape + "." + type + "." + type + " " + sum + ", " + a + ", " + b +
          ", " + sum + ";\n" + "wmma.store.d.sync.aligned.row" + c_place + " [%rd4], " + sum + stride(form.n),
      4);
}

std::vector<std::uint16_t> halves(int rows, int columns, bool by_columns, int salt) {
  std::vector<std::uint16_t> memory(static_cast<std::size_t>(rows * columns));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      memory[static_cast<std::size_t>(by_columns ? c * rows + r : r * columns + c)] =
          half_bits(element(r * columns + c, salt), kF16Format);
  return memory;
}

class Wmma : public testing::TestWithParam<WmmaForm> {};

TEST_P(Wmma, MultipliesAndAdds) {
  const WmmaForm& form = GetParam();
  KernelHarness harness(wmma_kernel(form));
  const auto count = static_cast<std::size_t>(form.m * form.n);
  std::vector<float> singles(count);
  for (std::size_t i = 0; i < count; ++i) singles[i] = static_cast<float>(element(static_cast<int>(i), 3));
  const std::uint64_t a = harness.buffer(halves(form.m, form.k, form.a_by_columns, 1), "a"),
                      b = harness.buffer(halves(form.k, form.n, form.b_by_columns, 2), "b"),
                      c = form.half_sum ? harness.buffer(halves(form.m, form.n, false, 3), "c")
                                        : harness.buffer(singles, "c"),
                      out = harness.buffer(std::vector<float>(count), "out");
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, a, b, c, out);
  EXPECT_TRUE(result.hazards.empty()) << result.hazards[0].what;
  const auto found_singles = harness.read<float>(out, count);
  const auto found_halves = harness.read<std::uint16_t>(out, count);
  for (int row = 0; row < form.m; ++row)
    for (int column = 0; column < form.n; ++column) {
      double expected = element(row * form.n + column, 3);
      for (int k = 0; k < form.k; ++k)
        expected += element(row * form.k + k, 1) * element(k * form.n + column, 2);
      const auto at = static_cast<std::size_t>(row * form.n + column);
      EXPECT_EQ(form.half_sum ? half_value(found_halves[at], kF16Format) : double{found_singles[at]},
                expected)
          << row << ", " << column;
    }
}

constexpr WmmaForm kWmmaForms[] = {
    {"m16n16k16", 16, 16, 16, false, true, false}, {"m16n16k16", 16, 16, 16, true, false, false},
    {"m16n16k16", 16, 16, 16, false, false, true}, {"m32n8k16", 32, 8, 16, false, true, false},
    {"m8n32k16", 8, 32, 16, true, false, true},
};
INSTANTIATE_TEST_SUITE_P(All, Wmma, testing::ValuesIn(kWmmaForms));

TEST(WmmaChecks, ATileBeyondTheBufferIsAFault) {
  KernelHarness harness(wmma_kernel(kWmmaForms[0]));
  const std::uint64_t small = harness.buffer(std::vector<float>(64), "small");
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, small, small, small, small);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kOutOfBounds);
  EXPECT_EQ(result.hazards[0].buffer, "small");
}

TEST(WmmaChecks, OtherTypesAreRefusedByName) {
  const std::string form = "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32";
  const Message refusal =
      refused([&] { KernelHarness harness(KernelHarness::kernel(form + " {%r1}, {%r2}, {%r3}, {%r4};")); });
  EXPECT_THAT(refusal, HasArgument("opcode", Code{form}));
}

}  // namespace
}  // namespace cudalab::vgpu
