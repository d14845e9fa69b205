// Checks token boundaries and the positions in error messages.
#include "ptx/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/ptx_error_testing.h"

namespace cudalab::ptx {
namespace {

std::vector<std::string> cut(std::string_view text) {
  Lexer lexer(text, "test.ptx");
  std::vector<std::string> tokens;
  for (Token token = lexer.next(); token.kind != Token::Kind::kEnd; token = lexer.next())
    tokens.emplace_back(token.text);
  return tokens;
}

Token first(std::string_view text) { return Lexer(text, "test.ptx").next(); }

Message lexer_refusal(std::string_view text) {
  return refused([&] { cut(text); });
}

using Tokens = std::vector<std::string>;

TEST(PtxLexer, KeepsTheDotsOfAWord) {
  EXPECT_EQ(cut("ld.global.v4.f32 %tid.x"), (Tokens{"ld.global.v4.f32", "%tid.x"}));
  EXPECT_EQ(cut("cp.async.bulk.shared::cluster.L2::128B x"),
            (Tokens{"cp.async.bulk.shared::cluster.L2::128B", "x"}));
}

TEST(PtxLexer, SplitsDirectivesAtTheirDots) {
  EXPECT_EQ(cut(".reg.u32 a"), (Tokens{".reg", ".u32", "a"}));
  EXPECT_EQ(cut(".shared::cta"), (Tokens{".shared::cta"}));
}

TEST(PtxLexer, TheColonIsNotPartOfALabel) {
  EXPECT_EQ(cut("$L__BB0_1:\nret;"), (Tokens{"$L__BB0_1", ":", "ret", ";"}));
  EXPECT_EQ(cut("p : .callprototype"), (Tokens{"p", ":", ".callprototype"}));
}

TEST(PtxLexer, ReadsNumbersAsOneToken) {
  EXPECT_EQ(cut("0x1FU 0f3F800000 0d3FE0 1.5e-3 1e5 0x1e-3 12-3"),
            (Tokens{"0x1FU", "0f3F800000", "0d3FE0", "1.5e-3", "1e5", "0x1e", "-", "3", "12", "-", "3"}));
}

TEST(PtxLexer, RecognizesPunctuationOfTwoCharacters) {
  EXPECT_EQ(cut("%r1|%p1 a||b 1<<2 x<=y @!p"),
            (Tokens{"%r1", "|", "%p1", "a", "||", "b", "1", "<<", "2", "x", "<=", "y", "@", "!", "p"}));
  EXPECT_EQ(cut("%r<23>;"), (Tokens{"%r", "<", "23", ">", ";"}));
}

TEST(PtxLexer, TheAtSignIsNotPartOfAGuardsName) {
  EXPECT_EQ(cut("L:@p bra"), (Tokens{"L", ":", "@", "p", "bra"}));
  EXPECT_EQ(cut("name@2"), (Tokens{"name@2"}));
}

TEST(PtxLexer, SkipsCommentsAndCountsTheirLines) {
  const std::string text = "// one\n/* two\nthree */ four";
  EXPECT_EQ(first(text).text, "four");
  EXPECT_EQ(first(text).line, 3);
}

TEST(PtxLexer, IgnoresNullsAtTheEnd) {
  EXPECT_EQ(cut(std::string_view("ret;\0\0", 6)), (Tokens{"ret", ";"}));
}

TEST(PtxLexer, StringsStayWithinTheirLine) {
  EXPECT_EQ(first("\"/a b/c.cu\"").text, "/a b/c.cu");
  EXPECT_EQ(lexer_refusal("x \"abc\n\""), error_at(1, 4, msg::ptx_string_unclosed()));
}

TEST(PtxLexer, RejectsAnUnterminatedComment) {
  EXPECT_EQ(lexer_refusal("\n  /* abc"), error_at(2, 3, msg::ptx_comment_unclosed()));
}

}  // namespace
}  // namespace cudalab::ptx
