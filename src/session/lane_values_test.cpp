// Tests conversions between values, numbers and parts.
#include "session/lane_values.h"

#include <gtest/gtest.h>

#include <limits>

namespace cudalab::session {
namespace {

std::optional<std::uint64_t> bits(const char* type, double number) {
  const ptx::Type of = *ptx::type_named(type);
  return bits_of_number(of, ptx::info(of).bytes, number);
}

TEST(LaneValues, AreBitsOfTheirType) {
  EXPECT_EQ(bits("f32", 1.5), 0x3fc00000u);
  EXPECT_EQ(bits("f64", 1.5), 0x3ff8000000000000u);
  EXPECT_EQ(bits("s32", -2.7), 0xfffffffeu);
  EXPECT_EQ(bits("u8", 255), 255u);
  EXPECT_EQ(bits("u16", -2), 0xfffeu);
  EXPECT_EQ(bits("b32", -1), 0xffffffffu);
}

TEST(LaneValues, MustFitTheirType) {
  EXPECT_FALSE(bits("u32", 1e10));
  EXPECT_FALSE(bits("s8", 128));
  EXPECT_FALSE(bits("s32", 1e12));
  EXPECT_FALSE(bits("s32", std::numeric_limits<double>::quiet_NaN()));
}

TEST(LaneValues, AreNumbersOfTheirType) {
  EXPECT_EQ(number_of(*ptx::type_named("s16"), 2, 0xffff), -1);
  EXPECT_EQ(number_of(*ptx::type_named("u16"), 2, 0xffff), 65535);
}

TEST(LaneValues, FormTreesOfParts) {
  std::vector<LaneVariable> all;
  insert_part(all, "acc[1][0]", {"acc[1][0]", "int", "3", {}});
  insert_part(all, "acc[1][1]", {"acc[1][1]", "int", "4", {}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].value, "{{3, 4}}");
  EXPECT_EQ(found_in(all, "acc[1][1]")->value, "4");
  EXPECT_EQ(found_in(all, "acc[2]"), nullptr);
}

TEST(LaneValues, HaveNames) {
  EXPECT_TRUE(is_name_of_value("s[i + 1].x"));
  EXPECT_FALSE(is_name_of_value("s[1] + s[2]"));
  EXPECT_FALSE(is_name_of_value("5"));
  EXPECT_EQ(element_type_in("const float*")->word, "float");
  EXPECT_EQ(element_type_in("Pair*"), nullptr);
}

TEST(LaneValues, HaveTheNamesOfCppForTheirTypes) {
  EXPECT_EQ(name_in_source(*ptx::type_named("f32")), "float");
  EXPECT_EQ(name_in_source(*ptx::type_named("b32")), "b32");
}

TEST(LaneValues, FindsTheFunctionAroundALine) {
  const char* source =
      "namespace a {\n__device__ float half(float x) { return x / 2; }\n"
      "__global__ void __launch_bounds__(256)\nscale(float* x) {\n  if (x) {\n    *x = half(*x);\n  "
      "}\n}\n}\n";
  EXPECT_EQ(function_around(source, 2), "half");
  EXPECT_EQ(function_around(source, 6), "scale");
  EXPECT_EQ(function_around(source, 9), "");
}

}  // namespace
}  // namespace cudalab::session
