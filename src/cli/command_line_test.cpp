// What rows and words make of each other: values in their places, or a sentence.
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

std::string refusal_of_command(const Words& words) {
  return refusal_of([&] { read(words); });
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
  EXPECT_EQ(refusal_of_command({"a", "--verify=perhaps"}),
            "Could not convert: --verify = perhaps; see `cudalab verb --help`");
}

TEST(ReadWords, RefusesWhatIsMissing) {
  EXPECT_EQ(refusal_of_command({}), "FILE is required; see `cudalab verb --help`");
  EXPECT_EQ(refusal_of_command({"a", "--device"}),
            "--device needs a value; `cudalab verb --help` says which");
  EXPECT_EQ(refusal_of_command({"a", "--json="}),
            "`--json=` is followed by nothing; write a value after the equals sign");
}

TEST(ReadWords, RefusesWhatNoRowTakes) {
  EXPECT_EQ(refusal_of_command({"a", "--devise=gpu"}),
            "verb has no option `--devise`; did you mean `--device`? (`cudalab verb --help` lists them)");
  CommandValues values;
  const Options tile_only{{"--tile", " N", MayBeBare{&values.tile, "1"}, "h"}};
  EXPECT_THROW(read_words("verb", tile_only, {"2"}), Error);
  try {
    read_words("verb", tile_only, {"--tile", "2"});
    ADD_FAILURE() << "";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "verb does not take `2`; did you mean `--tile=2`? (`cudalab verb --help` lists what it takes)");
  }
}

}  // namespace
}  // namespace cudalab::cli
