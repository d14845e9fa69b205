// What is a token, and which changes make no other source of a source.
#include "grading/likeness/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudalab::grading {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts_of(std::string_view source) {
  std::vector<std::string> texts;
  for (const Token& token : tokens_of(source)) texts.emplace_back(token.text);
  return texts;
}

TEST(Tokens, AreWordsNumbersTextsAndSigns) {
  EXPECT_THAT(texts_of("a+=0x1p-3f; k<<<1, 2>>>(\"x\\\"y\", 'c')"),
              ElementsAre("a", "+=", "0x1p-3f", ";", "k", "<<<", "1", ",", "2", ">>>", "(", "\"x\\\"y\"", ",",
                          "'c'", ")"));
  EXPECT_THAT(texts_of("R\"x(a\")x\" b"), ElementsAre("R\"x(a\")x\"", "b"));
}

TEST(Tokens, LeaveOutBlanksAndComments) {
  EXPECT_EQ(texts_of("a // b \\\n c\n+ /* d\n e */ f"), texts_of("a+f"));
  EXPECT_EQ(tokens_of("a /*\n\n*/ b")[1].line, 3);
}

TEST(Tokens, OfADirectiveEndWithItsLine) {
  EXPECT_THAT(texts_of("#define A b\nc"), ElementsAre("#", "define", "A", "b", "\n", "c"));
  EXPECT_THAT(texts_of("#define A \\\n b"), ElementsAre("#", "define", "A", "b", "\n"));
}

TEST(Tokens, OfWhatIsSwitchedOffAreLeftOut) {
  EXPECT_THAT(texts_of("#if 0\na b\n#endif\nc"), ElementsAre("#", "if", "0", "\n", "#", "endif", "\n", "c"));
}

TEST(Tokens, KnowTheirLines) {
  const auto tokens = tokens_of("a\n#define B \\\n c\nd");
  ASSERT_EQ(tokens.size(), 7u);
  EXPECT_EQ(tokens[4].line, 3);
  EXPECT_EQ(tokens[6].line, 4);
}

TEST(Tokens, EndWithASourceThatDoesNot) {
  for (const char* source : {"\"abc", "'", "/* x", "R\"(", "R\"", "// \\", "\"\\", "\xff\xfe", "#", "1e"})
    EXPECT_LE(tokens_of(source).size(), 3u) << source;
}

constexpr const char* kSource =
    "#define WARPS (BLOCK / 32)\n"
    "__device__ TYPE twice(TYPE value) { return 2 * value; }\n"
    "__global__ void k(const TYPE* in, TYPE* out, unsigned n) {\n"
    "  unsigned i = blockIdx.x * BLOCK + threadIdx.x, j = i + WARPS;\n"
    "  if (i < n) atomicAdd(&out[j], twice(in[i])); }";

std::string with(std::string_view what, std::string_view instead) {
  std::string text = kSource;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + instead.size()))
    text.replace(at, what.size(), instead);
  return text;
}

TEST(Names, OfOnesOwnMakeNoOtherSource) {
  EXPECT_TRUE(differs_in_names_only(kSource, kSource));
  EXPECT_TRUE(differs_in_names_only(kSource, with("twice", "doubled")));
  EXPECT_TRUE(differs_in_names_only(kSource, with("value", "x")));
  EXPECT_TRUE(differs_in_names_only(kSource, with("WARPS", "OF_WARPS")));
  EXPECT_TRUE(differs_in_names_only(kSource, with("out", "result")));
  EXPECT_TRUE(differs_in_names_only(kSource, with("  ", "\t// nothing\n")));
}

TEST(Names, OfOthersDo) {
  EXPECT_FALSE(differs_in_names_only(kSource, with("atomicAdd", "atomicSub")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("threadIdx.x", "threadIdx.y")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("BLOCK", "TILE")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("unsigned n", "int n")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("in[i]", "in[j]")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("2 *", "3 *")));
  EXPECT_FALSE(
      differs_in_names_only(kSource, with("const TYPE* in, TYPE* out", "const TYPE* out, TYPE* in")));
}

}  // namespace
}  // namespace cudalab::grading
