// Tests reading and writing PO files, and the errors for damaged ones.
#include "core/languages/po_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"

namespace cudalab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kText =
    "msgid \"\"\n"
    "msgstr \"\"\n"
    "\"Language: zh\\n\"\n"
    "\"Plural-Forms: nplurals=1; plural=0;\\n\"\n"
    "\n"
    "# mine\n"
    "#. {1} = 32\n"
    "#: README.md\n"
    "#, fuzzy\n"
    "msgid \"A \\\"warp\\\" \"\n"
    "\"of {1}.\"\n"
    "msgstr \"线程束\\\\\"\n"
    "\n"
    "msgid \"{1} check\"\n"
    "msgid_plural \"{1} checks\"\n"
    "msgstr[0] \"{1} 次\"\n"
    "\n"
    "#~ msgid \"Gone.\"\n"
    "#~ msgstr \"没了。\"\n";

TEST(PoFile, IsRead) {
  const PoFile file = po_from(kText, "zh.po");
  EXPECT_EQ(file.header.at("Language"), "zh");
  EXPECT_EQ(file.header.at("Plural-Forms"), "nplurals=1; plural=0;");
  ASSERT_EQ(file.entries.size(), 2u);
  EXPECT_EQ(file.entries[0].english, "A \"warp\" of {1}.");
  EXPECT_THAT(file.entries[0].translations, ElementsAre("线程束\\"));
  EXPECT_THAT(file.entries[0].remarks, ElementsAre("mine"));
  EXPECT_TRUE(file.entries[0].is_fuzzy);
  EXPECT_FALSE(file.entries[0].is_translated());
  EXPECT_EQ(file.entries[1].plural, "{1} checks");
  EXPECT_TRUE(file.entries[1].is_translated());
  ASSERT_EQ(file.stale.size(), 1u);
  EXPECT_EQ(file.stale[0].english, "Gone.");
}

TEST(PoFile, IsWrittenAsItWasRead) {
  const std::string written = po_text(po_from(kText, "zh.po"));
  EXPECT_THAT(written,
              HasSubstr("# mine\n#. {1} = 32\n#: README.md\n#, fuzzy\nmsgid \"A \\\"warp\\\" of {1}.\"\n"));
  EXPECT_THAT(written, HasSubstr("#~ msgid \"Gone.\"\n#~ msgstr \"没了。\"\n"));
  EXPECT_EQ(po_text(po_from(written, "again")), written);
}

TEST(PoFile, AnEntryWithoutATranslationIsMissing) {
  EXPECT_FALSE(po_from("msgid \"a\"\nmsgstr \"\"\n", "x").entries.at(0).is_translated());
}

TEST(PoFile, RejectsInvalidFiles) {
  for (const char* text :
       {"msgid \"a\"\n", "msgstr \"a\"\n", "msgid \"a\"\nmsgid \"b\"\nmsgstr \"\"\n",
        "msgid a\nmsgstr \"\"\n", "msgid \"a\nmsgstr \"\"\n", "msgid \"\\q\"\nmsgstr \"\"\n",
        "msgid \"\\\"\nmsgstr \"\"\n", "\"a\"\n", "msgctxt \"a\"\n", "msgid \"a\"\nmsgstr[0] \"b\"\n",
        "msgid \"a\"\nmsgstr \"b\"\nmsgstr \"c\"\n", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[1] \"c\"\n",
        "\x01\x02"})
    EXPECT_THROW(po_from(text, "x"), Error) << text;
}

TEST(PoFile, ReportsTheDamagedLine) {
  try {
    po_from("msgid \"a\"\nmsgstr \"b\"\n\nmsgid b\n", "labs/dot/zh.po");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(),
                testing::AllOf(IsMessage("error_po_file"), HasArgument("place", "labs/dot/zh.po"),
                               HasArgument("line", 4), MentionsMessage("po_quotes_expected")));
  }
}

}  // namespace
}  // namespace cudalab
