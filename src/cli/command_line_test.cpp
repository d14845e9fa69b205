// Tests parsing: the values that options receive, and the messages for words that do not fit.
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/refusal_testing.h"

namespace cudalab::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct CommandValues {
  std::string file, device = "auto";
  std::optional<std::string> tile, json;
  std::vector<std::string> more, defines;
  bool verify = false;
};

Options rows(CommandValues& values) {
  return {required({"FILE", "", &values.file, "h"}),
          {"WHAT", "", &values.more, "h"},
          {"--device", " NAME", &values.device, "h"},
          {"--tile", " N", &values.tile, "h"},
          {"--json", "[=FILE]", MayBeBare{&values.json, "-"}, "h"},
          {"--define", " NAME", &values.defines, "h"},
          {"--verify", "", &values.verify, "h"}};
}

CommandValues read(const Words& words) {
  CommandValues values;
  read_words("verb", rows(values), words);
  return values;
}

Message refusal_of_command(const Words& words) {
  return refused([&] { read(words); });
}

TEST(ReadWords, WhatIsNotGivenStaysAsItIs) {
  const CommandValues values = read({"a"});
  EXPECT_EQ(values.file, "a");
  EXPECT_EQ(values.device, "auto");
  EXPECT_EQ(values.tile, std::nullopt);
  EXPECT_EQ(values.json, std::nullopt);
  EXPECT_THAT(values.more, IsEmpty());
  EXPECT_FALSE(values.verify);
}

TEST(ReadWords, OfATextTheLastCounts) {
  EXPECT_EQ(read({"a", "--device", "gpu"}).device, "gpu");
  EXPECT_EQ(read({"a", "--device=gpu", "--device", "virtual"}).device, "virtual");
  EXPECT_EQ(read({"a", "--tile", "8", "--tile=16"}).tile, "16");
  EXPECT_EQ(read({"a", "--tile", ""}).tile, "");
}

TEST(ReadWords, AValueThatMayBeLeftOutNeedsTheEqualsSign) {
  EXPECT_EQ(read({"a", "--json"}).json, "-");
  EXPECT_EQ(read({"a", "--json=f"}).json, "f");
  EXPECT_EQ(read({"a", "--json=f", "--json"}).json, "-");
  EXPECT_THAT(read({"a", "--json", "f"}).more, ElementsAre("f"));
}

TEST(ReadWords, AListTakesOneWordEachTime) {
  const CommandValues values = read({"a", "--define", "X", "b", "--define=Y=1", "c"});
  EXPECT_THAT(values.defines, ElementsAre("X", "Y=1"));
  EXPECT_THAT(values.more, ElementsAre("b", "c"));
}

TEST(ReadWords, AFlagTakesYesAndNo) {
  EXPECT_TRUE(read({"a", "--verify"}).verify);
  EXPECT_FALSE(read({"a", "--verify=false"}).verify);
  EXPECT_THAT(refusal_of_command({"a", "--verify=perhaps"}),
              IsMessage("command_line_wrong", {{"why", "Could not convert: --verify = perhaps"}}));
}

TEST(ReadWords, RefusesWhatIsMissing) {
  EXPECT_THAT(refusal_of_command({}), IsMessage("command_line_wrong", {{"why", "FILE is required"}}));
  EXPECT_THAT(refusal_of_command({"a", "--device"}),
              IsMessage("option_value_missing", {{"option", "--device"}}));
  EXPECT_THAT(refusal_of_command({"a", "--json="}),
              IsMessage("option_equals_nothing", {{"option", "--json="}}));
}

TEST(ReadWords, RefusesWhatNoRowTakes) {
  EXPECT_THAT(refusal_of_command({"a", "--devise=gpu"}),
              AllOf(IsMessage("option_unknown", {{"verb", "verb"}, {"option", "--devise"}}),
                    MentionsMessage("hint_did_you_mean", {{"suggestion", "--device"}})));
  CommandValues values;
  const Options tile_only{{"--tile", " N", MayBeBare{&values.tile, "1"}, "h"}};
  EXPECT_THAT(refused([&] { read_words("verb", tile_only, {"2"}); }),
              IsMessage("word_not_taken", {{"verb", "verb"}, {"word", "2"}}));
  EXPECT_THAT(refused([&] {
                read_words("verb", tile_only, {"--tile", "2"});
              }),
              AllOf(IsMessage("word_not_taken", {{"verb", "verb"}, {"word", "2"}}),
                    MentionsMessage("hint_did_you_mean_equals", {{"option", "--tile"}, {"value", "2"}})));
}

}  // namespace
}  // namespace cudalab::cli
