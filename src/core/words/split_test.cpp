#include "core/words/split.h"

#include <gmock/gmock.h>

namespace cudalab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Split, GivesThePiecesBetweenSeparators) {
  EXPECT_THAT(split("a,bc", ','), ElementsAre("a", "bc"));
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split(",a", ','), ElementsAre("", "a"));
}

TEST(Split, BeginsNothingBehindTheLastSeparator) {
  EXPECT_THAT(split("a\nb\n", '\n'), ElementsAre("a", "b"));
  EXPECT_THAT(split("a\n\n", '\n'), ElementsAre("a", ""));
  EXPECT_THAT(split("", '\n'), IsEmpty());
}

TEST(Split, TakesLinesOffATextUntilNothingIsLeft) {
  std::string_view text = "one\ntwo";
  EXPECT_EQ(take_line(text), "one");
  EXPECT_EQ(text, "two");
  EXPECT_EQ(take_line(text), "two");
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(take_line(text), "");
}

}  // namespace
}  // namespace cudalab
