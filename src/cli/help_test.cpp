// Checks the layout of a command's help.
#include "cli/help.h"

#include <gtest/gtest.h>

namespace cudalab::cli {
namespace {

TEST(CommandHelp, ShowsArgumentsAboveAndOptionsByGroup) {
  std::string text;
  bool flag = false;
  std::optional<std::string> json;
  const Options options{{"FILE", "", &text, "not shown"},
                        {"--first", " N", &text, "one", "A"},
                        {"--second", "", &flag, "two", "B"},
                        {"--third", "[=FILE]", MayBeBare{&json, "-"}, "three", "A"}};
  const Verb verb{"try", "also-try", "what it does", {"cudalab try x"}, {}, "More.\n"};
  EXPECT_EQ(command_help(verb, options),
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

}  // namespace
}  // namespace cudalab::cli
