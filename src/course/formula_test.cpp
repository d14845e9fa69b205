// What a bound may be written as, and what is refused.
#include "course/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/refusal_testing.h"

namespace cudalab::course {
namespace {

double value(std::string_view formula) {
  return formula_value(formula, [](std::string_view name) {
    return name == "rows" ? std::optional(6.0) : name == "cols" ? std::optional(5.0) : std::nullopt;
  });
}

TEST(Formula, ObeysTheRulesOfArithmetic) {
  EXPECT_EQ(value("7"), 7);
  EXPECT_EQ(value(" 1 + 2 * 3 - 4 / 2 "), 5);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("rows * cols / 4"), 7.5);
  EXPECT_EQ(value("2*ceil(rows * cols / 4)"), 16);
}

TEST(Formula, RefusesWhatIsNone) {
  for (const char* text : {"", "1 +", "(1", "1 1", "rows cols", "* 2"})
    EXPECT_THAT(refusal_of([&] { value(text); }), testing::HasSubstr("expected at column")) << text;
  EXPECT_THAT(refusal_of([] { value("depth / 2"); }), testing::HasSubstr("names depth, which is no option"));
}

}  // namespace
}  // namespace cudalab::course
