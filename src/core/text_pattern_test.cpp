// Tests matching, searching and replacing by patterns.
#include "core/text_pattern.h"

#include <gmock/gmock.h>

namespace cudalab {
namespace {

using testing::ElementsAre;

TEST(TextPattern, MatchesOnlyTheWholeText) {
  const TextPattern place(R"((.*?):(\d+)(:\d+)?)");
  ASSERT_TRUE(place.fits("a.cu:12"));
  EXPECT_THAT(place.fits("a.cu:12")->groups, ElementsAre("a.cu:12", "a.cu", "12", ""));
  EXPECT_FALSE(place.fits("a.cu:12 "));
  EXPECT_FALSE(place.fits("a.cu"));
}

TEST(TextPattern, ReportsTheTextAroundTheFirstMatch) {
  const auto found = TextPattern(R"(\d+)").first_in("a 12 b 7");
  ASSERT_TRUE(found);
  EXPECT_THAT(found->groups, ElementsAre("12"));
  EXPECT_EQ(found->before, "a ");
  EXPECT_EQ(found->behind, " b 7");
  EXPECT_FALSE(TextPattern(R"(\d+)").first_in("a"));
}

TEST(TextPattern, FindsAllMatchesInOrder) {
  std::vector<std::string> found;
  for (const TextMatch& match : TextPattern(R"((\w)=)").all_in("a=1, b=2")) found.push_back(match.groups[1]);
  EXPECT_THAT(found, ElementsAre("a", "b"));
  EXPECT_TRUE(TextPattern("x").all_in("a=1").empty());
}

TEST(TextPattern, ReplacesTheFirstOrAllMatchesAndSubstitutesGroups) {
  const TextPattern digit(R"((\d))");
  EXPECT_EQ(digit.replace_first("1 2", "<$1>"), "<1> 2");
  EXPECT_EQ(digit.replace_all("1 2", "<$1>"), "<1> <2>");
}

}  // namespace
}  // namespace cudalab
