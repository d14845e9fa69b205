// Tests expressions over a lane's variables: operators, names, and errors.
#include "session/lane_expression.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace cudalab::session {
namespace {

double value_of(const std::string& expression) {
  return evaluate_in_lane(expression, [](const std::string& name) -> std::optional<double> {
    if (name == "i") return 3;
    if (name == "threadIdx.x") return 5;
    if (name == "s[5]") return 0.25;
    if (name == "tile[3][6]") return -1;
    if (name == "p[3].y") return 8;
    return std::nullopt;
  });
}

TEST(LaneExpression, HasOperatorsMembersAndElements) {
  EXPECT_EQ(value_of("threadIdx.x == 5 && i < 100"), 1);
  EXPECT_EQ(value_of("threadIdx.x == 5 && i > 100"), 0);
  EXPECT_EQ(value_of("s[threadIdx.x] * 4 + i"), 4);
  EXPECT_EQ(value_of("tile[i][i + 3]"), -1);
  EXPECT_EQ(value_of("p[i].y - -i"), 11);
  EXPECT_EQ(value_of("i == 3 ? 7 : 9"), 7);
}

TEST(LaneExpression, RejectsWhatItCannotRead) {
  for (const char* wrong : {"", "1 +", "(1", "s[", "s[1", "threadIdx.", "1 2", "nothing", "i[9]", ")"})
    EXPECT_THROW(value_of(wrong), Error) << wrong;
}

}  // namespace
}  // namespace cudalab::session
