// What a shell makes of a word is the text again.
#include "core/words/shell_word.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

namespace cudalab {
namespace {

std::string read_by_a_shell(const std::string& word) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell(popen(("printf %s " + word).c_str(), "r"),
                                                              pclose);
  std::array<char, 1000> text{};
  return std::string(text.data(), std::fread(text.data(), 1, text.size(), shell.get()));
}

TEST(ShellWord, IsQuotedOnlyWhereItMustBe) {
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

}  // namespace
}  // namespace cudalab
