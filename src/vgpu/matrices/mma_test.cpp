// Tests mma and ldmatrix with a whole multiplication of matrices in shared memory, in the layout that PTX
// specifies.
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/half.h"
#include "vgpu/matrices/elements_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// %r1 = lane; %rd1 … %rd4: a, b, c, out.
constexpr char kStart[] = R"(
    .shared .align 16 .b8 tile[1024];
    ld.param.u64 %rd1, [p0];
    ld.param.u64 %rd2, [p1];
    ld.param.u64 %rd3, [p2];
    ld.param.u64 %rd4, [p3];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 16;
    mov.u32 %r2, tile;
    shl.b32 %r3, %r1, 4;
    add.s32 %r3, %r2, %r3;
)";

std::vector<std::uint16_t> halves(int count, int salt, HalfFormat format) {
  std::vector<std::uint16_t> values;
  for (int i = 0; i < count; ++i) values.push_back(half_bits(element(i, salt), format));
  return values;
}

// a: 16 × 16, row-major, 32 bytes per row, is read with ldmatrix.x4; b: 16 × 8, row-major, with .trans; out =
// a · b + c, each sum where the PTX ISA places it.
constexpr char kProduct[] = R"(
    add.s64 %rd6, %rd1, %rd5;
    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd6];
    st.shared.v4.u32 [%r3], {%r4, %r5, %r6, %r7};
    setp.gt.u32 %p1, %r1, 15;
    @%p1 bra $loaded;
    add.s64 %rd6, %rd2, %rd5;
    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd6];
    st.shared.v4.u32 [%r3+512], {%r4, %r5, %r6, %r7};
$loaded:
    bar.warp.sync -1;
    and.b32 %r8, %r1, 15;
    shl.b32 %r8, %r8, 5;
    and.b32 %r9, %r1, 16;
    add.s32 %r8, %r8, %r9;
    add.s32 %r8, %r2, %r8;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];
    and.b32 %r9, %r1, 15;
    shl.b32 %r9, %r9, 4;
    add.s32 %r9, %r2, %r9;
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r9+512];
    shr.u32 %r16, %r1, 2;
    and.b32 %r17, %r1, 3;
    shl.b32 %r16, %r16, 3;
    shl.b32 %r17, %r17, 1;
    add.s32 %r16, %r16, %r17;
    mul.wide.u32 %rd7, %r16, 4;
    add.s64 %rd8, %rd3, %rd7;
    add.s64 %rd9, %rd4, %rd7;
    ld.global.v2.f32 {%f1, %f2}, [%rd8];
    ld.global.v2.f32 {%f3, %f4}, [%rd8+256];
    mma.sync.aligned.m16n8k16.row.col.f32.TYPE.TYPE.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13},
      {%r14, %r15}, {%f1, %f2, %f3, %f4};
    st.global.v2.f32 [%rd9], {%f1, %f2};
    st.global.v2.f32 [%rd9+256], {%f3, %f4};
)";

std::string with_type(std::string text, const std::string& type) {
  for (std::size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE"))
    text.replace(at, 4, type);
  return text;
}

class Mma : public testing::TestWithParam<const char*> {};

TEST_P(Mma, MultipliesAndAdds) {
  const HalfFormat format = GetParam() == std::string("bf16") ? kBF16Format : kF16Format;
  KernelHarness harness(KernelHarness::kernel(std::string(kStart) + with_type(kProduct, GetParam()), 4));
  std::vector<float> c;
  for (int i = 0; i < 128; ++i) c.push_back(static_cast<float>(element(i, 3)));
  const std::uint64_t out = harness.buffer(std::vector<float>(128), "out");
  const LaunchResult result =
      harness.run({1, 1, 1}, {32, 1, 1}, harness.buffer(halves(256, 1, format), "a"),
                  harness.buffer(halves(128, 2, format), "b"), harness.buffer(c, "c"), out);
  EXPECT_TRUE(result.hazards.empty()) << result.hazards[0].what;
  const auto found = harness.read<float>(out, 128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      double expected = element(row * 8 + column, 3);
      for (int k = 0; k < 16; ++k) expected += element(row * 16 + k, 1) * element(k * 8 + column, 2);
      EXPECT_EQ(double{found[static_cast<std::size_t>(row * 8 + column)]}, expected) << row << ", " << column;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Mma, testing::Values("f16", "bf16"),
                         [](const auto& test) { return std::string(test.param); });

// ---- m8n8k4 of f16 -----------------------------------------------------------------------------------
// Element (row, column) of the matrix that a quad of lanes multiplies.
double quad_element(int quad, int row, int column, int salt) {
  return element(quad * 64 + row * 8 + column, salt);
}

struct QuadCase {
  const char *a_layout, *b_layout, *d_type, *c_type;
};
std::string name_of(const QuadCase& one) {
  return std::string(one.a_layout) + "_" + one.b_layout + "_" + one.d_type + "_" + one.c_type;
}
void PrintTo(const QuadCase& one, std::ostream* out) { *out << name_of(one); }

std::string quad_registers(const char* prefix, int first, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i ? ", " : "{") + std::string(prefix) + std::to_string(first + i);
  return all + "}";
}

std::string quad_kernel(const QuadCase& one) {
  const bool wide_c = one.c_type == std::string("f32"), wide_d = one.d_type == std::string("f32");
  const std::string c = wide_c ? quad_registers("%f", 1, 8) : quad_registers("%r", 30, 4),
                    d = wide_d ? quad_registers("%f", 1, 8) : quad_registers("%r", 30, 4);
  std::string loads, stores;
  for (int i = 0; i < (wide_c ? 8 : 4); ++i)
    loads += std::string("ld.global.b32 ") +
             (wide_c ? "%f" + std::to_string(i + 1) : "%r" + std::to_string(i + 30)) + ", [%rd3+" +
             std::to_string(4 * i) + "];\n";
  for (int i = 0; i < (wide_d ? 8 : 4); ++i)
    stores += "st.global.b32 [%rd4+" + std::to_string(4 * i) + "], " +
              (wide_d ? "%f" + std::to_string(i + 1) : "%r" + std::to_string(i + 30)) + ";\n";
  return KernelHarness::kernel(
      "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nld.param.u64 %rd3, [p2];\nld.param.u64 %rd4, "
      "[p3];\n"
      "mov.u32 %r1, %tid.x;\nmad.wide.u32 %rd1, %r1, 8, %rd1;\nmad.wide.u32 %rd2, %r1, 8, %rd2;\n"
      "mad.wide.u32 %rd3, %r1, 32, %rd3;\nmad.wide.u32 %rd4, %r1, 32, %rd4;\n"
      "ld.global.v2.b32 {%r10, %r11}, [%rd1];\nld.global.v2.b32 {%r12, %r13}, [%rd2];\n" +
          loads + "mma.sync.aligned.m8n8k4." + one.a_layout + "." + one.b_layout + "." + one.d_type +
          ".f16.f16." + one.c_type + " " + d + ", {%r10, %r11}, {%r12, %r13}, " + c + ";\n" + stores,
      4);
}

// The position of a sum's element according to the PTX ISA.
std::pair<int, int> quad_place(int lane, int i, bool wide) {
  const int below = lane < 16 ? 0 : 4;
  if (!wide) return {lane % 4 + below, i};
  return {(lane & 1) + (i & 2) + below, (i & 4) + (lane & 2) + (i & 1)};
}

// The lanes' operands a, b (four halves per lane) and c (eight halves or floats).
struct QuadOperands {
  std::vector<std::uint16_t> a, b, halves;
  std::vector<float> floats;
};
QuadOperands operands_of(const QuadCase& one) {
  QuadOperands operands;
  for (int lane = 0; lane < 32; ++lane) {
    const int quad = lane / 4 % 4, below = lane < 16 ? 0 : 4, line = lane % 4 + below;
    for (int i = 0; i < 4; ++i) {
      const double a = one.a_layout == std::string("row") ? quad_element(quad, line, i, 1)
                                                          : quad_element(quad, i + below, lane % 4, 1);
      const double b = one.b_layout == std::string("col") ? quad_element(quad, i, line, 2)
                                                          : quad_element(quad, lane % 4, i + below, 2);
      operands.a.push_back(half_bits(a, kF16Format));
      operands.b.push_back(half_bits(b, kF16Format));
    }
    for (int i = 0; i < 8; ++i) {
      const auto [row, column] = quad_place(lane, i, true);
      operands.floats.push_back(static_cast<float>(quad_element(quad, row, column, 3)));
      operands.halves.push_back(half_bits(quad_element(quad, lane % 4 + below, i, 3), kF16Format));
    }
    operands.halves.resize(operands.halves.size() + 8);  // 32 bytes per lane
  }
  return operands;
}

double quad_sum(int quad, int row, int column) {
  double sum = quad_element(quad, row, column, 3);
  for (int k = 0; k < 4; ++k) sum += quad_element(quad, row, k, 1) * quad_element(quad, k, column, 2);
  return sum;
}

class Quads : public testing::TestWithParam<QuadCase> {};

TEST_P(Quads, MultiplyFourPairsOfMatrices) {
  const QuadCase one = GetParam();
  KernelHarness harness(quad_kernel(one));
  const QuadOperands operands = operands_of(one);
  const auto c =
      one.c_type == std::string("f32") ? harness.buffer(operands.floats) : harness.buffer(operands.halves);
  const auto out = harness.buffer(std::vector<float>(256));
  const LaunchResult result =
      harness.run({1, 1, 1}, {32, 1, 1}, harness.buffer(operands.a), harness.buffer(operands.b), c, out);
  EXPECT_TRUE(result.hazards.empty()) << result.hazards[0].what;
  const bool wide = one.d_type == std::string("f32");
  const auto floats = harness.read<float>(out, 256);
  const auto halves = harness.read<std::uint16_t>(out, 512);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      const auto [row, column] = quad_place(lane, i, wide);
      const double found = wide ? double{floats[static_cast<std::size_t>(8 * lane + i)]}
                                : half_value(halves[static_cast<std::size_t>(16 * lane + i)], kF16Format);
      EXPECT_EQ(found, quad_sum(lane / 4 % 4, row, column)) << "lane " << lane << ", element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Quads,
                         testing::Values(QuadCase{"row", "col", "f32", "f32"},
                                         QuadCase{"col", "row", "f32", "f32"},
                                         QuadCase{"row", "row", "f16", "f16"},
                                         QuadCase{"col", "col", "f32", "f16"}),
                         [](const auto& test) { return name_of(test.param); });

TEST(QuadForms, NarrowNoAddend) {
  const QuadCase narrowing{"row", "col", "f16", "f32"};
  EXPECT_THROW(KernelHarness{quad_kernel(narrowing)}, Error);
}

TEST(Ldmatrix, ReadsWhatNobodyWroteIsReported) {
  KernelHarness harness(KernelHarness::kernel(
      std::string(kStart) +
          "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r3];\nst.global.u32 [%rd4], %r10;",
      4));
  const std::uint64_t out = harness.buffer(std::vector<float>(4), "out");
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, out, out, out, out);
  ASSERT_FALSE(result.hazards.empty());
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kUninitialisedRead);
}

TEST(MmaForms, OtherShapesAreRefusedByName) {
  const std::string form = "mma.sync.aligned.m8n8k8.row.col.f64.f64.f64.f64";
  const Message refusal = refused([&] {
    KernelHarness harness(KernelHarness::kernel(form + " {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};"));
  });
  EXPECT_THAT(refusal, HasArgument("opcode", Code{form}));
}

}  // namespace
}  // namespace cudalab::vgpu
