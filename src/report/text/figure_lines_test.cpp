// Tests figures in another language: tables are laid out again, drawings stay.
#include "report/text/figure_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/languages/wording_testing.h"

namespace cudalab::report {
namespace {

using Lines = std::vector<std::string>;

Wording chinese_of_figures() {
  return chinese_by(
      "msgid \"kind\"\nmsgstr \"种类\"\n"
      "msgid \"seen by\"\nmsgstr \"谁能看到\"\n"
      "msgid \"error\"\nmsgstr \"误差\"\n"
      "msgid \"a block\"\nmsgstr \"块\"\n"
      "msgid \"{1} cycles, {2} ns\"\nmsgstr \"{1} 周期，{2} ns\"\n"
      "msgid \"to the card\"\nmsgstr \"到卡上\"\n");
}

TEST(FigureLines, KeepTheColumnsOfATable) {
  const Lines lines{"kind      seen by  error",  //
                    "shared    a block  3 cycles, 4 ns", "register  x[2]     1.2e-03"};
  EXPECT_THAT(figure_lines(lines, chinese_of_figures()),
              testing::ElementsAre("种类      谁能看到  误差",  //
                                   "shared    块        3 周期，4 ns", "register  x[2]      1.2e-03"));
}

TEST(FigureLines, KeepNumbersAtTheRight) {
  const Lines lines{"    n   error",  //
                    "    2    0.25", "16384  0.0001"};
  EXPECT_THAT(figure_lines(lines, chinese_of_figures()),
              testing::ElementsAre("    n    误差",  //
                                   "    2    0.25", "16384  0.0001"));
}

TEST(FigureLines, LeaveDrawingsAsTheyAre) {
  const Lines lines{"to the card   |aa  bb|", "kernel        |  aa  |"};
  EXPECT_THAT(figure_lines(lines, chinese_of_figures()),
              testing::ElementsAre("到卡上   |aa  bb|", "kernel   |  aa  |"));
  EXPECT_EQ(figure_lines({"stride-2   ###   2", "stride-16  ######  16"}, chinese_of_figures()),
            (Lines{"stride-2   ###   2", "stride-16  ######  16"}));
}

TEST(FigureLines, AreTheLabsOwnInEnglish) {
  const Lines lines{"kind      seen by", " a   b"};
  EXPECT_EQ(figure_lines(lines, Wording()), lines);
}

}  // namespace
}  // namespace cudalab::report
