// Tests line breaking and the layout of tables.
#include "report/text/layout.h"

#include <gtest/gtest.h>

namespace cudalab::report {
namespace {

std::vector<Column> three_columns() {
  return {{{"stage"}, {}, true, 100, {"one", "three"}, {}},
          {{"time"}, {}, false, 50, {"1 ms", "12.5 ms"}, {}},
          {{"of", "ceiling"}, {}, false, 10, {"", "99 %"}, {}}};
}

TEST(Grid, AlignsAndMarksWhatIsMissing) {
  EXPECT_EQ(lay_out(three_columns(), Rule::kBelowHeading, 80, false),
            "                     of\n"
            "stage     time  ceiling\n"
            "-----------------------\n"
            "one       1 ms        -\n"
            "three  12.5 ms     99 %\n");
}

TEST(Grid, DropsTheLeastImportantColumnsUntilItFits) {
  EXPECT_EQ(lay_out(three_columns(), Rule::kBelowHeading, 22, false),  // gaps become narrow first
            "                   of\n"
            "stage    time ceiling\n"
            "---------------------\n"
            "one      1 ms       -\n"
            "three 12.5 ms    99 %\n");
  EXPECT_EQ(lay_out(three_columns(), Rule::kBelowHeading, 20, false),
            "stage     time\n"
            "--------------\n"
            "one       1 ms\n"
            "three  12.5 ms\n");
  EXPECT_EQ(lay_out(three_columns(), Rule::kNone, 3, false),
            "stage\none\nthree\n");  // one column always remains
}

TEST(Grid, DropsOptionalColumnsBeforeAnythingBecomesNarrow) {
  std::vector<Column> columns = three_columns();
  columns[1].is_optional = true;
  EXPECT_EQ(lay_out(columns, Rule::kNone, 22, false),
            "            of\n"
            "stage  ceiling\n"
            "one          -\n"
            "three     99 %\n");
  EXPECT_EQ(lay_out(columns, Rule::kNone, 23, false), lay_out(three_columns(), Rule::kNone, 23, false));
}

TEST(Grid, LeavesOutEmptyColumns) {
  std::vector<Column> columns = three_columns();
  columns[1].cells = {"", ""};
  EXPECT_EQ(lay_out(columns, Rule::kNone, 80, false).find("time"), std::string::npos);
}

std::vector<Column> grouped_columns() {
  return {{{"kernel"}, {}, true, 9, {"a"}, {}},
          {{"load"}, {"sectors/request"}, false, 8, {"4"}, {}},
          {{"store"}, {"sectors/request"}, false, 7, {"32"}, {}},
          {{"load"}, {"bank conflicts"}, false, 6, {"0"}, {}}};
}

TEST(Grid, AGroupHeadingSpansItsColumns) {
  EXPECT_EQ(lay_out(grouped_columns(), Rule::kNone, 80, false),
            "        sectors/request  bank conflicts\n"
            "kernel    load    store            load\n"
            "a            4       32               0\n");
}

TEST(Grid, AGroupHeadingIsBrokenAtItsSlashWhereThereIsLittleRoom) {
  EXPECT_EQ(lay_out(grouped_columns(), Rule::kNone, 38, false),
            "           sectors/\n"
            "            request  bank conflicts\n"
            "kernel  load  store            load\n"
            "a          4     32               0\n");
}

TEST(Grid, ColoursOnlyWhenAsked) {
  std::vector<Column> columns{{{"verdict"}, {}, true, 9, {"pass", "FAIL"}, {Ink::kGood, Ink::kBad}}};
  EXPECT_EQ(lay_out(columns, Rule::kNone, 80, false).find('\x1b'), std::string::npos);
  std::string coloured = lay_out(columns, Rule::kNone, 80, true);
  EXPECT_NE(coloured.find("\x1b[32mpass\x1b[0m"), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[1;31mFAIL\x1b[0m"), std::string::npos);
}

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(wrap("one two three", 7, 0), "one two\nthree");
  EXPECT_EQ(wrap("one two three", 13, 0), "one two three");
}

TEST(Wrap, IndentsEveryLine) { EXPECT_EQ(wrap("one two three", 9, 2), "  one two\n  three"); }

TEST(Wrap, KeepsTheMarksOfEmphasisAtWhatTheyMark) {
  EXPECT_EQ(wrap("一**二**三", 4, 0), "一\n**二**\n三");
  EXPECT_EQ(wrap("*一*二*三*", 4, 0), "*一*\n二\n*三*");
  EXPECT_EQ(wrap("2 * 三*四*", 5, 0), "2 *\n三\n*四*");
}

TEST(Wrap, KeepsANumberOnTheLineOfItsUnit) {
  EXPECT_EQ(wrap("it takes 13.0 us, then 4 KB", 12, 0), "it takes\n13.0 us,\nthen 4 KB");
  EXPECT_EQ(wrap("it takes 73 % of 32 warps", 12, 0), "it takes\n73 % of 32\nwarps");
  EXPECT_EQ(fold("it takes 13.0 us", 14), "it takes\n13.0 us");
  EXPECT_EQ(wrap("占 ~5.92 us。没有", 10, 0), "占\n~5.92 us。\n没有");
  EXPECT_EQ(wrap("其中的 32 字节中", 10, 0), "其中的\n32 字节中");
}

TEST(Wrap, NeverBreaksAWord) { EXPECT_EQ(wrap("a incomprehensible b", 5, 1), " a\n incomprehensible\n b"); }

TEST(Wrap, OfNothingIsTheIndent) { EXPECT_EQ(wrap("", 20, 3), "   "); }

TEST(Wrap, CountsCharactersAndNotBytes) {
  EXPECT_EQ(wrap("n·eps/2 ééé", 11, 0), "n·eps/2 ééé");
  EXPECT_EQ(columns_of("\x1b[1;31mNO\x1b[0m …"), 4u);
}

TEST(Wrap, CountsTwoColumnsForChineseAndBreaksItAnywhere) {
  EXPECT_EQ(columns_of("线程束 32，é"), 6u + 1 + 2 + 2 + 1);
  EXPECT_EQ(columns_of("e\u0301"), 1u);
  EXPECT_EQ(wrap("一个线程束有 32 个线程", 10, 0), "一个线程束\n有 32 个线\n程");
  EXPECT_EQ(fold("一个线程束有", 6), "一个线\n程束有");
}

TEST(Wrap, LeavesPunctuationAtItsCharacter) {
  EXPECT_EQ(wrap("一二，三四", 4, 0), "一\n二，\n三四");
  EXPECT_EQ(wrap("一（二）三", 6, 0), "一\n（二）\n三");
  EXPECT_EQ(wrap("一(二)三?", 5, 0), "一\n(二)\n三?");
}

TEST(Hang, PutsTheTextBelowANameThatLeavesNoRoom) {
  EXPECT_EQ(hang("naive", "one two three four five six seven", 40, 8),
            "naive   one two three four five six\n        seven");
  EXPECT_EQ(hang("a-long-name", "one two three four five six seven", 30, 14),
            "a-long-name\n    one two three four five\n    six seven");
  EXPECT_EQ(hang("longer-than", "one", 40, 8), "longer-than\n        one");
}

TEST(Fold, LeavesShortLinesAsTheyAre) {
  EXPECT_EQ(fold("  a    b\n\nc   \n", 10), "  a    b\n\nc   \n");
  EXPECT_EQ(fold("one", 3), "one");
  EXPECT_EQ(fold("", 3), "");
}

TEST(Fold, GoesOnBelowTheLastColumn) {
  EXPECT_EQ(fold("  name   one two three four\nx", 20), "  name   one two\n         three four\nx");
  EXPECT_EQ(fold("- one two three four five", 12), "- one two\nthree four\nfive");
  EXPECT_EQ(fold("    one two three four", 12), "    one two\n    three\n    four");
  EXPECT_EQ(fold("\x1b[1mone\x1b[0m two three", 9), "\x1b[1mone\x1b[0m two\nthree");
}

TEST(Fold, NeverBreaksAWord) { EXPECT_EQ(fold("a incomprehensible b", 5), "a\nincomprehensible\nb"); }

TEST(Reflow, JoinsWhatWasBrokenForAnotherWidth) {
  EXPECT_EQ(reflow("one two\nthree four\n", 40), "one two three four\n");
  EXPECT_EQ(reflow("one two\nthree four\n\nfive\n  a  b c\n  d\nsix\n", 9),
            "one two\nthree\nfour\n\nfive\n  a  b c\n  d\nsix\n");
}

TEST(Command, IsOneCommandInSeveralLines) {
  EXPECT_EQ(wrap_command("cudalab transpose --rows=67", 80, 2), "  cudalab transpose --rows=67");
  EXPECT_EQ(wrap_command("cudalab transpose --rows=67 --cols=129", 22, 2),
            "  cudalab transpose \\\n  --rows=67 \\\n  --cols=129");
  EXPECT_EQ(wrap_command("cudalab x --kernel 'a b' --as c", 18, 0),
            "cudalab x \\\n--kernel 'a b' \\\n--as c");
}

}  // namespace
}  // namespace cudalab::report
