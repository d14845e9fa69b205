// Tests the glossary, the texts for translators, and the state of translations.
#include "course/texts/translations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::course {
namespace {

using testing::AllOf;
using testing::ElementsAre;

const std::vector<Term> kGlossary{
    {"bank conflict", {{Language::kChinese, {"存储体冲突"}}, {Language::kRussian, {"конфликт банк"}}}},
    {"warp", {{Language::kChinese, {"线程束"}}, {Language::kRussian, {"варп"}}}}};

Message objection(const char* english, const char* translation, Language language) {
  return glossary_objection(kGlossary, english, translation, language);
}

auto is_term(const char* term) {
  return AllOf(IsMessage("glossary_term_is"), HasArgument("term", Argument(term)));
}

TEST(Glossary, HoldsATranslationToItsTerms) {
  EXPECT_TRUE(objection("Two warps.", "两个线程束。", Language::kChinese).empty());
  EXPECT_THAT(objection("Two warps.", "两个线程。", Language::kChinese), is_term("warp"));
  EXPECT_TRUE(objection("Bank conflicts", "Конфликтов банков нет", Language::kRussian).empty());
  EXPECT_TRUE(objection("Bank conflicts", "КОНФЛИКТЫ БАНКОВ", Language::kRussian).empty());
  EXPECT_THAT(objection("Bank conflicts", "Конфликты", Language::kRussian), is_term("bank conflict"));
}

TEST(Glossary, KnowsWholeWordsAlone) {
  EXPECT_TRUE(objection("It is warped by warpx.", "x", Language::kRussian).empty());
  EXPECT_TRUE(
      objection("warp = 3; f(&warp, at.warp, warp[1]) and warp<<<1>>>", "x", Language::kRussian).empty());
  EXPECT_THAT(objection("One (warp).", "x", Language::kRussian), is_term("warp"));
}

const std::vector<TextUnit> kUnits{{"", "A {1}.", "", "README.md", {"32"}}, {"", "B.", "", "quiz.json", {}}};

PoFile kept() {
  return po_from(
      "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"\n"
      "msgid \"A {1}.\"\nmsgstr \"甲 {1}。\"\n"
      "msgid \"Old.\"\nmsgstr \"旧。\"\n",
      "zh.po");
}

TEST(Translations, ListMissingTextsForTranslators) {
  const PoFile file = for_translators(kUnits, kept(), Language::kChinese);
  ASSERT_EQ(file.entries.size(), 2u);
  EXPECT_THAT(file.entries[0].translations, ElementsAre("甲 {1}。"));
  EXPECT_THAT(file.entries[0].notes, ElementsAre("{1} = 32"));
  EXPECT_EQ(file.entries[0].reference, "README.md");
  EXPECT_THAT(file.entries[1].translations, ElementsAre(""));
  ASSERT_EQ(file.stale.size(), 1u);
  EXPECT_EQ(file.stale[0].english, "Old.");
  EXPECT_EQ(file.header.at("Language"), "zh");
}

TEST(Translations, AreReusedIfTheirTextReturns) {
  PoFile once = for_translators(kUnits, kept(), Language::kChinese);
  const std::vector<TextUnit> units{{"", "Old.", "", "README.md", {}}};
  EXPECT_THAT(for_translators(units, once, Language::kChinese).entries.at(0).translations,
              ElementsAre("旧。"));
}

TEST(Translations, AreCounted) {
  const TranslationState state = state_of(kUnits, kept(), kGlossary, Language::kChinese, "zh.po");
  EXPECT_EQ(state.units, 2u);
  EXPECT_EQ(state.translated, 1u);
  EXPECT_EQ(state.stale, 1u);
  EXPECT_THAT(state.faults, ElementsAre());
  EXPECT_THAT(lack_of("dot", state, Language::kChinese),
              AllOf(IsMessage("translation_lacks"), HasArgument("lacking", Argument(1)),
                    HasArgument("stale", Argument(1))));
  EXPECT_TRUE(lack_of("dot", {.units = 2, .translated = 2}, Language::kChinese).empty());
}

TEST(Translations, ReportFaultsWithTheirLine) {
  const std::vector<TextUnit> units{{"", "A warp of {1}.", "", "README.md", {"32"}}};
  PoFile file = kept();
  file.entries = {{.english = "A warp of {1}.", .translations = {"线程 {1}。"}, .line = 7}};
  EXPECT_THAT(state_of(units, file, kGlossary, Language::kChinese, "zh.po").faults,
              ElementsAre(AllOf(MentionsMessage("glossary_objects"), HasArgument("term", Argument("warp")))));
  file.entries[0].translations = {"线程束。"};
  const std::vector<Message> faults = state_of(units, file, kGlossary, Language::kChinese, "zh.po").faults;
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults[0], AllOf(MentionsMessage("po_slot_missing"), HasArgument("slot", Argument(1))));
  EXPECT_THAT(faults[0].text(), testing::StartsWith("zh.po:7: "));
}

TEST(Translations, AreReadBesideTheLabs) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "languages");
  EXPECT_TRUE(load_translation(folder / "labs", kMessages, Language::kRussian).entries.empty());
  EXPECT_EQ(translation_file(folder / "labs", kMessages, Language::kRussian), folder / "languages/ru.po");
  EXPECT_EQ(translation_file(folder / "labs", "dot", Language::kChinese), folder / "labs/dot/zh.po");
}

TEST(Translations, OfMessagesHaveTheirPlurals) {
  for (const TextUnit& unit : units_of_messages({}))
    if (unit.id == "elements_wrong") {
      EXPECT_NE(unit.plural, "");
      EXPECT_NE(unit.plural, unit.key);
      return;
    }
  FAIL() << "the message is not on the list";
}

}  // namespace
}  // namespace cudalab::course
