#include "cli/options/suggestion.h"

#include <gtest/gtest.h>

namespace cudalab::cli {
namespace {

const std::vector<std::string> kNames{"transpose", "read-offset", "dot", "norm", "doctor", "list"};

TEST(Suggestion, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "dot"), 3u);
  EXPECT_EQ(edit_distance("dot", "dot"), 0u);
  EXPECT_EQ(edit_distance("dto", "dot"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("transpos", "transpose"), 1u);
  EXPECT_EQ(edit_distance("tarnspoze", "transpose"), 2u);
}

TEST(Suggestion, FindsTheNearestName) {
  EXPECT_EQ(nearest("trasnpose", kNames), "transpose");
  EXPECT_EQ(nearest("readoffset", kNames), "read-offset");
  EXPECT_EQ(nearest("trans", kNames), "transpose");  // a beginning
  EXPECT_EQ(nearest("dott", kNames), "dot");
}

TEST(Suggestion, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("matmul", kNames), "");
  EXPECT_EQ(nearest("x", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), kNames), "");
  EXPECT_EQ(did_you_mean("xyzzy", kNames), "");
  EXPECT_EQ(did_you_mean("lsit", kNames), "; did you mean `list`?");
}

}  // namespace
}  // namespace cudalab::cli
