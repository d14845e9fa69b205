// Tests that the words of words_of() restore the options' values.
#include "cli/options/option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace cudalab::cli {
namespace {

struct Texts {
  std::vector<std::string> files, cases, behind;
  std::string format = "table", output;
  std::optional<std::string> tile, json;
  bool verify = false, resume = false;

  Options options() {
    return {{"FILE", "", &files, ""},
            {"--cases", " FILE", &cases, ""},
            {"--format", " NAME", &format, ""},
            {"--output", " PATH", &output, ""},
            {"--tile", " N", &tile, ""},
            {"--json", "[=FILE]", MayBeBare{&json, "-"}, ""},
            {"--verify", "", &verify, ""},
            {"--resume", "", &resume, ""},
            {"-- WORDS", "", BehindDashes{&behind}, ""}};
  }
};

TEST(OptionWords, GiveEveryOptionItsValueAgain) {
  Texts given;
  read_words("grade", given.options(),
             {"a b", "--cases", "one", "--format=csv", "--tile", "0", "--json", "--verify", "c",
              "--cases=two", "--", "--x"});
  const std::vector<std::string> words = words_of(given.options());
  EXPECT_THAT(words, testing::ElementsAre("--cases=one", "--cases=two", "--format=csv", "--tile=0",
                                          "--json=-", "--verify", "a b", "c", "--", "--x"));
  Texts again;
  read_words("grade", again.options(), words);
  EXPECT_EQ(words_of(again.options()), words);
}

TEST(OptionWords, LeaveOutWhatHoldsNothing) {
  Texts nothing;
  EXPECT_THAT(words_of(nothing.options()), testing::ElementsAre("--format=table"));
}

}  // namespace
}  // namespace cudalab::cli
