#include "course/texts/translations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::course {
namespace {

using testing::ElementsAre;

const std::vector<Term> kGlossary{
    {"bank conflict", {{Language::kChinese, {"存储体冲突"}}, {Language::kRussian, {"конфликт банк"}}}},
    {"warp", {{Language::kChinese, {"线程束"}}, {Language::kRussian, {"варп"}}}}};

std::string objection(const char* english, const char* translation, Language language) {
  return glossary_objection(kGlossary, english, translation, language);
}

TEST(Glossary, HoldsATranslationToItsTerms) {
  EXPECT_EQ(objection("Two warps.", "两个线程束。", Language::kChinese), "");
  EXPECT_EQ(objection("Two warps.", "两个线程。", Language::kChinese), "warp is 线程束");
  EXPECT_EQ(objection("Bank conflicts", "Конфликтов банков нет", Language::kRussian), "");
  EXPECT_EQ(objection("Bank conflicts", "КОНФЛИКТЫ БАНКОВ", Language::kRussian), "");
  EXPECT_EQ(objection("Bank conflicts", "Конфликты", Language::kRussian), "bank conflict is конфликт банк");
}

TEST(Glossary, KnowsWholeWordsAlone) {
  EXPECT_EQ(objection("It is warped by warpx.", "x", Language::kRussian), "");
  EXPECT_EQ(objection("warp = 3; f(&warp, at.warp, warp[1]) and warp<<<1>>>", "x", Language::kRussian), "");
  EXPECT_EQ(objection("One (warp).", "x", Language::kRussian), "warp is варп");
}

const std::vector<TextUnit> kUnits{{"A {1}.", "", "README.md", {"32"}}, {"B.", "", "quiz.json", {}}};

PoFile kept() {
  return po_from(
      "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"\n"
      "msgid \"A {1}.\"\nmsgstr \"甲 {1}。\"\n"
      "msgid \"Old.\"\nmsgstr \"旧。\"\n",
      "zh.po");
}

TEST(Translations, AreHandedToTranslatorsWithWhatLacks) {
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

TEST(Translations, AreTakenUpAgainWhenTheirTextComesBack) {
  PoFile once = for_translators(kUnits, kept(), Language::kChinese);
  const std::vector<TextUnit> units{{"Old.", "", "README.md", {}}};
  EXPECT_THAT(for_translators(units, once, Language::kChinese).entries.at(0).translations,
              ElementsAre("旧。"));
}

TEST(Translations, AreCounted) {
  const TranslationState state = state_of(kUnits, kept(), kGlossary, Language::kChinese, "zh.po");
  EXPECT_EQ(state.units, 2u);
  EXPECT_EQ(state.translated, 1u);
  EXPECT_EQ(state.stale, 1u);
  EXPECT_THAT(state.faults, ElementsAre());
  EXPECT_EQ(lack_of(state, Language::kChinese), "zh: 1 of 2 texts translated, 1 shown in English, 1 stale");
  EXPECT_EQ(lack_of({.units = 2, .translated = 2}, Language::kChinese), "");
}

TEST(Translations, WithFaultsAreNamedWithTheirLine) {
  const std::vector<TextUnit> units{{"A warp of {1}.", "", "README.md", {"32"}}};
  PoFile file = kept();
  file.entries = {{.english = "A warp of {1}.", .translations = {"线程 {1}。"}, .line = 7}};
  EXPECT_THAT(state_of(units, file, kGlossary, Language::kChinese, "zh.po").faults,
              ElementsAre("zh.po:7: by the glossary, warp is 线程束"));
  file.entries[0].translations = {"线程束。"};
  EXPECT_THAT(state_of(units, file, kGlossary, Language::kChinese, "zh.po").faults,
              ElementsAre("zh.po:7: {1} is missing"));
}

TEST(Translations, AreReadBesideTheLabs) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "languages");
  EXPECT_TRUE(load_translation(folder / "labs", kMessages, Language::kRussian).entries.empty());
  EXPECT_EQ(translation_file(folder / "labs", kMessages, Language::kRussian), folder / "languages/ru.po");
  EXPECT_EQ(translation_file(folder / "labs", "dot", Language::kChinese), folder / "labs/dot/zh.po");
}

TEST(Translations, OfMessagesHaveTheirPlurals) {
  for (const TextUnit& unit : units_of_messages(std::filesystem::path(CUDALAB_SOURCE_DIR) / "labs", {}))
    if (unit.key == "{1} check") {
      EXPECT_EQ(unit.plural, "{1} checks");
      return;
    }
  FAIL() << "the message is not on the list";
}

}  // namespace
}  // namespace cudalab::course
