// Tests which parts of a handout are rewritten, and that the rest stays unchanged.
#include "course/texts/rewrite.h"

#include <gtest/gtest.h>

namespace cudalab::course {
namespace {

std::string loud(std::string_view text) { return "<" + std::string(text) + ">"; }

std::string rewritten(std::string_view handout) { return rewritten_handout(handout, loud, 30); }

TEST(Handout, RewritesTextsAndKeepsTheRest) {
  EXPECT_EQ(rewritten("# A title\n\nOne line\nand another.\n"), "# <A title>\n\n<One line and another.>\n");
  EXPECT_EQ(rewritten("<!-- cudalab dot\n --stage x -->\n---\n    tile[32]  # no\n"),
            "<!-- cudalab dot\n --stage x -->\n---\n    tile[32]  # no\n");
}

TEST(Handout, RewritesTheCellsOfTables) {
  EXPECT_EQ(rewritten("| stage | `a | b` of x |\n|---|:-:|\n"), "| <stage> | <`a | b` of x> |\n|---|:-:|\n");
}

TEST(Handout, RewritesTheCommentsOfCommands) {
  EXPECT_EQ(rewritten("    cudalab dot --n 4   # a # b\n"), "    cudalab dot --n 4   # <a # b>\n");
}

TEST(Handout, KeepsItemsSeparate) {
  EXPECT_EQ(rewritten("1. One\n   goes on.\n10. Ten\n    goes on.\n- A\n  b.\n"),
            "1. <One goes on.>\n10. <Ten goes on.>\n- <A b.>\n");
}

TEST(Handout, WrapsItemsWithAHangingIndent) {
  EXPECT_EQ(rewritten("- one two three four five six seven\n"), "- <one two three four five six\n  seven>\n");
}

TEST(Handout, IsUnchangedInEnglish) { EXPECT_EQ(handout_in({}, "a  b\nc"), "a  b\nc"); }

TEST(Handout, IsShownWithoutTheSourcesOfItsNumbers) {
  EXPECT_EQ(handout_in({}, "It takes 6 ms.\n<!-- 6 = [h200 dot: ms];\n     7 = 8 -->\n\n- a <!-- b -->\n"),
            "It takes 6 ms.\n\n- a <!-- b -->\n");
  EXPECT_EQ(without_markers("a\n<!-- never closed"), "a\n");
}

}  // namespace
}  // namespace cudalab::course
