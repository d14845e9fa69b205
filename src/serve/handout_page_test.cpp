// Tests handouts as HTML.
#include "serve/handout_page.h"

#include <gtest/gtest.h>

namespace cudalab::serve {
namespace {

TEST(InlineHtml, HasCodeEmphasisAndLinks) {
  EXPECT_EQ(
      inline_html("a `b*c*` **d** *e* [f](https://g/?a&b)"),
      "a <code>b*c*</code> <strong>d</strong> <em>e</em> <a href=\"https://g/?a&amp;b\" target=\"_blank\" "
      "rel=\"noopener noreferrer\">f</a>");
  EXPECT_EQ(inline_html("2 * 3 * 4, a ** b, `open, [x], ("), "2 * 3 * 4, a ** b, `open, [x], (");
}

TEST(InlineHtml, EscapesEverything) {
  EXPECT_EQ(inline_html("<b> `<i>` **<u>**"), "&lt;b&gt; <code>&lt;i&gt;</code> <strong>&lt;u&gt;</strong>");
  for (const char* link : {"javascript:alert`1`", "http://x", "//x", "data:text/html,x", "../x.md"})
    EXPECT_EQ(inline_html(std::string("[a](") + link + ")"), "a") << link;
  EXPECT_EQ(inline_html("[a](https://x\"onclick=\"y)").find("\"onclick"), std::string::npos);
}

TEST(HandoutHtml, HasHeadingsParagraphsAndLists) {
  EXPECT_EQ(handout_html("# T\n\none\ntwo\n\n## S\n1. a\n   b\n2. c\n\n- d\n"),
            "<h2>T</h2>\n<p>one two</p>\n<h3>S</h3>\n<ol>\n<li>a "
            "b</li>\n<li>c</li>\n</ol>\n<ul>\n<li>d</li>\n</ul>\n");
}

TEST(HandoutHtml, JoinsChineseLinesWithoutABlank) {
  EXPECT_EQ(handout_html("线程\n束，\nwarp\n的\n"), "<p>线程束， warp 的</p>\n");
  EXPECT_EQ(handout_html("варп\nядра\n"), "<p>варп ядра</p>\n");
}

TEST(HandoutHtml, HasTables) {
  EXPECT_EQ(
      handout_html("| a | `b|c` |\n|---|---|\n| <1> | 2 |\n"),
      "<div class=\"scroll\"><table>\n<thead><tr><th>a</th><th><code>b|c</code></th></tr>\n</thead><tbody>\n"
      "<tr><td>&lt;1&gt;</td><td>2</td></tr>\n</tbody></table></div>\n");
}

TEST(HandoutHtml, TellsCommandsFromDrawings) {
  EXPECT_EQ(
      handout_html("    cudalab dot --n 8    # <all>\n    cudalab dot\n"),
      "<pre class=\"commands\"><code class=\"command\">cudalab dot --n 8</code> <span># &lt;all&gt;</span>\n"
      "<code class=\"command\">cudalab dot</code>\n</pre>\n");
  EXPECT_EQ(handout_html("    t0 <- t1\n\n    t2\n"), "<pre class=\"drawing\">t0 &lt;- t1\n\nt2\n</pre>\n");
}

TEST(WithoutQuestions, KeepsTheSectionsAround) {
  EXPECT_EQ(without_questions("# T\n## A\na\n## Questions\n1. q\n## B\nb\n"), "# T\n## A\na\n## B\nb\n");
}

}  // namespace
}  // namespace cudalab::serve
