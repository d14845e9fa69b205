// Tests the code that is shown for an edit, before and after.
#include "course/repair/edit_in_words.h"

#include <gtest/gtest.h>

#include <utility>

namespace cudalab::course {
namespace {

// The words of an edit that replaces the first `old` with `text`; ";" removes a statement.
std::pair<std::string, std::string> words_of(const std::string& source, const std::string& old,
                                             const std::string& text) {
  Edit edit;
  edit.begin = source.find(old);
  edit.end = edit.begin + old.size();
  edit.text = text;
  const EditInWords words = edit_in_words(source, edit);
  return {words.before, words.after};
}
std::pair<std::string, std::string> parts(const std::string& before, const std::string& after) {
  return {before, after};
}

TEST(EditInWords, IsTheSmallestClearPartOfALine) {
  EXPECT_EQ(words_of("for (int i = 0; i <= n; ++i)", "<=", "<"), parts("i <= n", "i < n"));
  EXPECT_EQ(words_of("{ out[i - 1] = in[i]; }", "- 1", "+ 1"), parts("i - 1", "i + 1"));
  EXPECT_EQ(words_of("  out[i] = in[i];  // x\n", "i", "j"),
            parts("out[i] = in[i]; // x", "out[j] = in[i]; // x"));
  EXPECT_EQ(words_of("if (a < 1 && i <= n || b)", "<=", "<"), parts("i <= n", "i < n"));
  EXPECT_EQ(words_of("sum = f(a,\n  b);", "b", "c"), parts("b", "c"));
}

TEST(EditInWords, RemovesAndAddsWholeStatements) {
  EXPECT_EQ(words_of("a = 1; b = 2;", "b = 2;", ";"), parts("b = 2;", ""));
  const EditInWords added = edit_in_words("a = 1; b = 2; c = 3;", {13, 13, " __syncthreads();"});
  EXPECT_TRUE(added.is_added);
  EXPECT_EQ(added.before, "b = 2;");
  EXPECT_EQ(added.after, "__syncthreads();");
}

TEST(EditInWords, ShowsEveryEdit) {
  const std::string source =
      "__global__ void k(float* out, const float* in, int n) {\n  __shared__ float s[32];\n"
      "  int i = threadIdx.x, j = 2;\n"
      "  if (i <= n) { s[i] += in[j + 1]; __syncthreads(); } out[i] = f(s[j], 3);\n}\n";
  for (const Edit& edit : edits_of(source)) {
    const EditInWords words = edit_in_words(source, edit);
    EXPECT_TRUE(words.is_added || words.before != words.after) << edit.text;
  }
}

}  // namespace
}  // namespace cudalab::course
