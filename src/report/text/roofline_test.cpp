// Two ceilings and the kernels under them.
#include "report/text/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_results_testing.h"

namespace cudalab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

lab::Row under_the_roof(std::string name, double flops, double dram_bytes, double ms) {
  lab::Row row = kernel_run(std::move(name), "k.cu", {256, 1, 1});
  row.useful_flops = flops;
  row.prediction = Prediction{.card = "h200", .ms = ms};
  row.prediction->limits = {{"dram", 0.5, dram_bytes, 4e12, "bytes"}};
  return row;
}

lab::Result with_rows(std::vector<lab::Row> rows) {
  lab::Result result = virtual_transpose();
  result.card = *vgpu::find_card("h200");
  result.rows = std::move(rows);
  return result;
}

TEST(Roof, IsTheLowerOfTwoCeilings) {
  const Roof roof{.arithmetic_gflop_s = 1000, .memory_gb_s = 100};
  EXPECT_EQ(roof.ridge(), 10);
  EXPECT_EQ(roof.height(2), 200);
  EXPECT_EQ(roof.height(50), 1000);
}

TEST(Roof, OfACardFollowsFromItsFigures) {
  const vgpu::Card& card = *vgpu::find_card("h200");
  EXPECT_NEAR(roof_of(card, false).arithmetic_gflop_s, 66'908, 1);  // 2 x 128 lanes x 132 x 1.98 GHz
  EXPECT_NEAR(roof_of(card, true).arithmetic_gflop_s, 33'454, 1);
  EXPECT_EQ(roof_of(card, true).memory_gb_s, card.dram_gb_per_second);
}

TEST(Roofline, IntensityIsOperationsForEachByteOfMemory) {
  EXPECT_EQ(intensity_of(under_the_roof("k", 300, 100, 1)), 3);
  EXPECT_EQ(intensity_of(under_the_roof("k", 0, 100, 1)), std::nullopt);
  EXPECT_EQ(intensity_of(under_the_roof("k", 300, 0, 1)), std::nullopt);
  EXPECT_EQ(intensity_of(kernel_run("k", "k.cu", {32, 1, 1})), std::nullopt);
}

TEST(Roofline, SaysWhichCeilingIsAboveAKernel) {
  const std::string text = roofline_text(
      with_rows({under_the_roof("low", 1e9, 1e9, 1), under_the_roof("high", 1e11, 1e9, 2)}), {.width = 100});
  EXPECT_THAT(text, HasSubstr("Roofline of the NVIDIA H200: 4814 GB/s of memory, 66908 GFLOP/s of 32-bit"));
  EXPECT_THAT(text, HasSubstr("low         1     4814      ~1000  ~21 %  memory"));
  EXPECT_THAT(text, HasSubstr("high      100    66908     ~50000  ~75 %  arithmetic"));
}

TEST(Roofline, OfDoublesHasTheirCeiling) {
  lab::Result result = with_rows({under_the_roof("low", 1e9, 1e9, 1)});
  result.options.emplace_back("type", std::string("f64"));
  EXPECT_THAT(roofline_text(result, {}), HasSubstr("33454 GFLOP/s of 64-bit"));
}

TEST(Roofline, SaysWhyThereIsNone) {
  EXPECT_THAT(roofline_text(virtual_transpose(), {}), HasSubstr("There is no roofline"));
  EXPECT_THAT(roofline_text(with_rows({under_the_roof("low", 0, 1e9, 1)}), {}),
              HasSubstr("There is no roofline"));
}

}  // namespace
}  // namespace cudalab::report
