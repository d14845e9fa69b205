// Text helpers. Terminal control characters are replaced, and other text is unchanged.
#include "core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

namespace cudalab {

// A shell reads a quoted word as the original text.

namespace {

std::string read_by_a_shell(const std::string& word) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell(popen(("printf %s " + word).c_str(), "r"),
                                                              pclose);
  std::array<char, 1000> text{};
  return std::string(text.data(), std::fread(text.data(), 1, text.size(), shell.get()));
}

TEST(ShellWord, IsQuotedOnlyIfNecessary) {
  EXPECT_EQ(shell_word("labs/dot/2_tree.cu"), "labs/dot/2_tree.cu");
  EXPECT_EQ(shell_word("my kernel.cu"), "'my kernel.cu'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(ShellWord, IsReadBackByAShell) {
  for (const std::string text :
       {"plain", "two words", "it's", "mm<float, 16>", "$HOME", "~",  "a;b",     "`id`",     "!x",  "*",
        "[a]",   "{a,b}",     "a\\b", "\"q\"",         "a\nb",  "#c", "a&b|c>d", "\xc3\xa4", "x=1", "a@b%"})
    EXPECT_EQ(read_by_a_shell(shell_word(text)), text);
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Split, ReturnsThePartsBetweenSeparators) {
  EXPECT_THAT(split("a,bc", ','), ElementsAre("a", "bc"));
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split(",a", ','), ElementsAre("", "a"));
}

TEST(Split, ATrailingSeparatorStartsNoPart) {
  EXPECT_THAT(split("a\nb\n", '\n'), ElementsAre("a", "b"));
  EXPECT_THAT(split("a\n\n", '\n'), ElementsAre("a", ""));
  EXPECT_THAT(split("", '\n'), IsEmpty());
}

TEST(Split, TakesLinesUntilTheTextIsEmpty) {
  std::string_view text = "one\ntwo";
  EXPECT_EQ(take_line(text), "one");
  EXPECT_EQ(text, "two");
  EXPECT_EQ(take_line(text), "two");
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(take_line(text), "");
}

TEST(HarmlessLine, KeepsTextOfAnyLanguage) {
  EXPECT_EQ(harmless_line("Grüße, 学生 😀"), "Grüße, 学生 😀");
  EXPECT_EQ(harmless_line("\xc2\xa0"), "\xc2\xa0");  // the first character after C1
}

TEST(HarmlessLine, ReplacesControlCharacters) {
  EXPECT_EQ(harmless_line("a\nb\tc\x1b[0m\x7f\xc2\x85"), "a b c?[0m??");
  EXPECT_EQ(harmless_line("\xc2\x9b"
                          "31m"),
            "?31m");  // the C1 form of "escape ["
  EXPECT_EQ(harmless_line(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(harmless_line("\x1f \x20"), "?  ");
  EXPECT_EQ(harmless_line("a\u202eb\u2066c\u200fd\u2028e\u061cf"), "a?b?c?d?e?f")
      << "nor what turns a line around";
  EXPECT_EQ(harmless_line("\u2027\u202f\u2065\u206a"), "\u2027\u202f\u2065\u206a");
}

TEST(HarmlessLine, ReplacesInvalidUtf8) {
  EXPECT_EQ(harmless_line("\xff\xc0\xaf\xed\xa0\x80\xf5"), "???????");
  EXPECT_EQ(harmless_line("\xe2\x82"), "??");
  EXPECT_EQ(harmless_line("\xe0\x9f\xbf\xf0\x8f\xbf\xbf\xf4\x90\x80\x80"),
            "???????????");  // overlong encodings, and code points that are too large
  EXPECT_EQ(harmless_line("\xe0\xa0\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
            "\xe0\xa0\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(HarmlessLine, IsShortenedBetweenCharacters) {
  EXPECT_EQ(harmless_line("aaaaa", 3), "aaa…");
  EXPECT_EQ(harmless_line("aaa", 3), "aaa");
  EXPECT_EQ(harmless_line("aaü", 3), "aa…");
}

TEST(HarmlessLines, KeepLineBreaksAndTabs) {
  EXPECT_EQ(harmless_lines("sum\t= 3\n\x1b[2J\r\xc2\x9b"
                           "31m\n"),
            "sum\t= 3\n?[2J??31m\n");
}

TEST(Trimmed, RemovesTheBlanksAtBothEnds) {
  EXPECT_EQ(trimmed("\t\n a b \v\f\r"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Words, ConsistOfAsciiLettersDigitsAndUnderscores) {
  for (const char c : std::string("azAZ_")) EXPECT_TRUE(is_word_start(c) && is_word(c)) << c;
  for (const char c : std::string("09")) EXPECT_TRUE(is_digit(c) && is_word(c) && !is_word_start(c)) << c;
  for (const char c : std::string("@[`{/:\xe9 "))
    EXPECT_FALSE(is_word(c) || is_word_start(c) || is_digit(c)) << c;
}

TEST(Joined, PutsTheSeparatorBetween) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"", ""}), ", ");
  EXPECT_EQ(joined(std::vector<std::string_view>{"a", "b", "c"}, "|"), "a|b|c");
  EXPECT_EQ(joined(std::vector<int>{1, 2}, "+", [](int number) { return std::to_string(number); }), "1+2");
}

TEST(Replaced, ReplacesEachOccurrenceOnce) {
  EXPECT_EQ(replaced("", "a", "b"), "");
  EXPECT_EQ(replaced("a.cu:1, a.cu:2", "a.cu", "/b/a.cu"), "/b/a.cu:1, /b/a.cu:2");
  EXPECT_EQ(replaced("aaa", "aa", "a"), "aa");
  EXPECT_EQ(replaced("one", "one", "one"), "one");
}

TEST(Counting, ChoosesSingularOrPlural) {
  EXPECT_EQ(counted(1, "sector"), "1 sector");
  EXPECT_EQ(counted(0, "sector"), "0 sectors");
  EXPECT_EQ(counted(1.5, "sector"), "1.5 sectors");
  EXPECT_EQ(counted(10'000'000, "element"), "10000000 elements");
  EXPECT_EQ(counted("1", "pass"), "1 pass");
  EXPECT_EQ(counted("2", "pass"), "2 passes");
  EXPECT_EQ(counted(3, "branch"), "3 branches");
  EXPECT_EQ(counted("1 to 4", "sector"), "1 to 4 sectors");
}

}  // namespace
}  // namespace cudalab
