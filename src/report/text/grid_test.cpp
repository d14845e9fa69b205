#include "report/text/grid.h"

#include <gtest/gtest.h>

namespace cudalab::report {
namespace {

std::vector<Column> three_columns() {
  return {{{"stage"}, {}, true, 100, {"one", "three"}, {}},
          {{"time"}, {}, false, 50, {"1 ms", "12.5 ms"}, {}},
          {{"of", "ceiling"}, {}, false, 10, {"", "99 %"}, {}}};
}

TEST(Grid, AlignsAndMarksWhatIsMissing) {
  EXPECT_EQ(lay_out(three_columns(), 1, 80, false),
            "                     of\n"
            "stage     time  ceiling\n"
            "-----------------------\n"
            "one       1 ms        -\n"
            "-----------------------\n"
            "three  12.5 ms     99 %\n");
}

TEST(Grid, DropsTheLeastImportantColumnsUntilItFits) {
  EXPECT_EQ(lay_out(three_columns(), 0, 22, false),  // narrow gaps come first
            "                   of\n"
            "stage    time ceiling\n"
            "---------------------\n"
            "one      1 ms       -\n"
            "three 12.5 ms    99 %\n");
  EXPECT_EQ(lay_out(three_columns(), 0, 20, false),
            "stage     time\n"
            "--------------\n"
            "one       1 ms\n"
            "three  12.5 ms\n");
  EXPECT_EQ(lay_out(three_columns(), 2, 3, false), "stage\n-----\none\nthree\n");  // something always remains
}

TEST(Grid, LeavesOutEmptyColumns) {
  std::vector<Column> columns = three_columns();
  columns[1].cells = {"", ""};
  EXPECT_EQ(lay_out(columns, 0, 80, false).find("time"), std::string::npos);
}

TEST(Grid, AGroupHeadingSpansItsColumns) {
  std::vector<Column> columns{{{"stage"}, {}, true, 9, {"a"}, {}},
                              {{"load"}, {"sectors", "a request"}, false, 8, {"4"}, {}},
                              {{"store"}, {"sectors", "a request"}, false, 7, {"32"}, {}},
                              {{"load"}, {"bank conflicts"}, false, 6, {"0"}, {}}};
  EXPECT_EQ(lay_out(columns, 0, 80, false),
            "           sectors\n"
            "         a request  bank conflicts\n"
            "stage  load  store            load\n"
            "----------------------------------\n"
            "a         4     32               0\n");
}

TEST(Grid, ColoursOnlyWhenAsked) {
  std::vector<Column> columns{{{"verdict"}, {}, true, 9, {"pass", "FAIL"}, {Ink::kGood, Ink::kBad}}};
  EXPECT_EQ(lay_out(columns, 0, 80, false).find('\x1b'), std::string::npos);
  std::string coloured = lay_out(columns, 0, 80, true);
  EXPECT_NE(coloured.find("\x1b[32mpass\x1b[0m"), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[1;31mFAIL\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace cudalab::report
