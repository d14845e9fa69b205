// Checks the layout of a command's help.
#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/languages/wording_testing.h"
#include "messages/lab.h"

namespace cudalab::cli {
namespace {

TEST(CommandHelp, ShowsArgumentsAboveAndOptionsByGroup) {
  std::string text;
  bool flag = false;
  std::optional<std::string> json;
  const Options options{{"FILE", "", &text, "not shown"},
                        {"--first", " N", &text, "one", "A"},
                        {"--second", "", &flag, "two", "B"},
                        {"--third", "[=FILE]", MayBeBare{&json, "-"}, "three", "A"},
                        {"--fourth", "", &flag, "for this program itself", ""}};
  const Verb verb{"try", "also-try", "what it does", {"cudalab try x"}, {}, "More.\n"};
  EXPECT_EQ(command_help(verb, options, 100, {}),
            "what it does\n\n"
            "Usage: cudalab try FILE [options]\n"
            "       (also: cudalab also-try)\n"
            "\nA:\n"
            "  --first N               one\n"
            "  --third[=FILE]          three\n"
            "\nB:\n"
            "  --second                two\n"
            "\nMore.\n"
            "\nExamples:\n"
            "  cudalab try x\n");
}

TEST(CommandHelp, IsInTheLearnersLanguage) {
  const Wording zh = chinese_by(
      "msgctxt \"help_usage\"\nmsgid \"Usage:\"\nmsgstr \"用法：\"\n"
      "msgid \"side of a tile\"\nmsgstr \"分块边长\"\n"
      "msgctxt \"allowed_range\"\nmsgid \"{from} to {to}\"\nmsgstr \"{from} 到 {to}\"\n"
      "msgid \"zeros\"\nmsgstr \"全零\"\n"
      "msgid \"Two lines of one.\"\nmsgstr \"一段。\"\n");
  std::string text;
  Option tile{"--tile", " N", &text, "side of a tile", "A"};
  tile.values = msg::allowed_range(1, 32);
  const Verb verb{"try", "", "what", {}, {}, "Two lines\nof one.\n  buf:zero  zeros\n  export A=1\n"};
  EXPECT_EQ(command_help(verb, {tile}, 100, zh),
            "what\n\n"
            "用法： cudalab try [options]\n"
            "\nA：\n"
            "  --tile N                分块边长；1 到 32\n"
            "\n一段。\n"
            "  buf:zero  全零\n"
            "  export A=1\n");
  EXPECT_THAT(command_help(verb, {tile}, 100, {}), testing::HasSubstr("side of a tile; 1 to 32\n"));
}

TEST(CommandHelp, FitsANarrowTerminal) {
  std::string text;
  const Options options{{"--first", " N", &text, "what the first of the options makes of a kernel's launch"}};
  const Verb verb{"try",
                  "",
                  "what it does",
                  {"cudalab try x --first 1000 --second 2000"},
                  {},
                  "More about what it does, and when,\nand how.\n"};
  EXPECT_EQ(command_help(verb, options, 40, {}),
            "what it does\n\n"
            "Usage: cudalab try [options]\n"
            "\nOptions:\n"
            "  --first N\n"
            "    what the first of the options makes\n"
            "    of a kernel's launch\n"
            "\nMore about what it does, and when, and\nhow.\n"
            "\nExamples:\n"
            "  cudalab try x --first 1000 --second \\\n"
            "  2000\n");
}

}  // namespace
}  // namespace cudalab::cli
