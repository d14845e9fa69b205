// Tests excerpts of a source.
#include "report/text/excerpt.h"

#include <gtest/gtest.h>

namespace cudalab::report {
namespace {

constexpr const char* kExcerpted = "one\n  two\n\nfour\n";

TEST(SourceExcerpt, MarksALineBetweenItsNeighbours) {
  EXPECT_EQ(source_excerpt(2, kExcerpted, 4, false, "mine.cu:2"),
            "    mine.cu:2\n"
            "         1 | one\n"
            "    >    2 |   two\n"
            "         3 |\n");
}

TEST(SourceExcerpt, EndsWithTheSource) {
  EXPECT_EQ(source_excerpt(1, "one", 0, false), ">    1 | one\n");
  EXPECT_EQ(source_excerpt(0, kExcerpted, 0, false), "");
  EXPECT_EQ(source_excerpt(9, kExcerpted, 0, false), "");
}

}  // namespace
}  // namespace cudalab::report
