// Tests which gaps between written bytes count as padding of structs, and which are reported as unwritten.
#include "runtime/copies.h"

#include <gtest/gtest.h>

#include <vector>

namespace cudalab::runtime {

namespace {

using Runs = std::vector<vgpu::ByteRun>;

// The gaps of an array in which each element has the gaps `of_one`.
Runs repeated(const Runs& of_one, std::size_t bytes, std::size_t elements) {
  Runs all;
  for (std::size_t i = 0; i < elements; ++i)
    for (const vgpu::ByteRun& gap : of_one) all.push_back({i * bytes + gap.at, gap.bytes});
  return all;
}

TEST(Paddings, AreGapsThatAlignmentExplains) {
  EXPECT_TRUE(are_paddings(repeated({{1, 3}}, 8, 50), 400)) << "char, int";
  EXPECT_TRUE(are_paddings(repeated({{4, 4}}, 16, 50), 800)) << "int, double";
  EXPECT_TRUE(are_paddings(repeated({{12, 4}}, 16, 50), 800)) << "double, int";
  EXPECT_TRUE(are_paddings(repeated({{1, 3}, {18, 6}}, 24, 50), 1200)) << "char, int, double, short";
  EXPECT_TRUE(are_paddings(repeated({{4, 12}}, 32, 9), 288)) << "int, float4";
  EXPECT_TRUE(are_paddings(Runs{{1, 7}}, 16)) << "one struct";
}

TEST(Paddings, AreNotOtherGaps) {
  EXPECT_FALSE(are_paddings(repeated({{4, 4}}, 8, 50), 400)) << "every second int";
  EXPECT_FALSE(are_paddings(repeated({{4, 4}}, 12, 50), 600)) << "one of three floats";
  EXPECT_FALSE(are_paddings(Runs{{396, 4}}, 400)) << "the last int";
  EXPECT_FALSE(are_paddings(Runs{{0, 4}}, 400)) << "the first int";
  EXPECT_FALSE(are_paddings(Runs{{100, 4}}, 400)) << "one int";
  EXPECT_FALSE(are_paddings(Runs{{384, 16}}, 400)) << "a tail";
  EXPECT_FALSE(are_paddings(Runs{{0, 400}}, 400)) << "everything";
  EXPECT_FALSE(are_paddings(Runs{{4, 4}, {20, 4}}, 400)) << "not in every element";
}

}  // namespace
}  // namespace cudalab::runtime
