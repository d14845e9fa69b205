#include "report/text/paragraph.h"

#include <gtest/gtest.h>

namespace cudalab::report {
namespace {

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(wrap("one two three", 7, 0), "one two\nthree");
  EXPECT_EQ(wrap("one two three", 13, 0), "one two three");
}

TEST(Wrap, IndentsEveryLine) { EXPECT_EQ(wrap("one two three", 9, 2), "  one two\n  three"); }

TEST(Wrap, NeverBreaksAWord) { EXPECT_EQ(wrap("a incomprehensible b", 5, 1), " a\n incomprehensible\n b"); }

TEST(Wrap, OfNothingIsTheIndent) { EXPECT_EQ(wrap("", 20, 3), "   "); }

}  // namespace
}  // namespace cudalab::report
