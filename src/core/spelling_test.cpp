// Tests edit distances and suggestions.
#include "core/spelling.h"

#include <gtest/gtest.h>

namespace cudalab {
namespace {

const std::vector<std::string> kNames{"transpose", "read-offset", "dot", "norm", "doctor", "list"};

TEST(Spelling, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "dot"), 3u);
  EXPECT_EQ(edit_distance("dot", "dot"), 0u);
  EXPECT_EQ(edit_distance("dto", "dot"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("transpos", "transpose"), 1u);
  EXPECT_EQ(edit_distance("tarnspoze", "transpose"), 2u);
}

TEST(Spelling, FindsTheNearestName) {
  EXPECT_EQ(nearest("trasnpose", kNames), "transpose");
  EXPECT_EQ(nearest("readoffset", kNames), "read-offset");
  EXPECT_EQ(nearest("trans", kNames), "transpose");  // a prefix
  EXPECT_EQ(nearest("dott", kNames), "dot");
}

TEST(Spelling, FindsNothingWhenNoNameIsNear) {
  EXPECT_EQ(nearest("matmul", kNames), "");
  EXPECT_EQ(nearest("x", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), kNames), "");
}

}  // namespace
}  // namespace cudalab
