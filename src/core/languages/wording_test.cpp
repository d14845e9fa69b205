// Tests translated texts and messages, faults in catalogues, and the choice of a language.
#include "core/languages/wording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/languages/wording_testing.h"

namespace cudalab {
namespace {

using testing::AllOf;

constexpr const char* kRussian =
    "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && "
    "(n%100<10 || n%100>=20) ? 1 : 2);\\n\"\n"
    "msgid \"{1} sectors of {2}.\"\nmsgstr \"В {2}: {1} {1|сектор|сектора|секторов}.\"\n"
    "msgid \"Two words.\"\nmsgstr \"Два слова.\"\n"
    "msgid \"No {1} slot.\"\nmsgstr \"Без места.\"\n"
    "msgid \"Guess.\"\n#, fuzzy\nmsgstr \"Догадка.\"\n"
    "msgid \"Of {1}: {2}.\"\nmsgstr \"{2} из {1}.\"\n";

Wording russian() {
  auto catalog = std::make_shared<Catalog>();
  catalog->add(po_from(kRussian, "ru.po"), "ru.po");
  return {Language::kRussian, catalog};
}

TEST(Wording, TranslatesSentenceBySentence) {
  EXPECT_EQ(russian().text("Two words. Nothing known. 4 sectors of `x y`."),
            "Два слова. Nothing known. В `x y`: 4 сектора.");
  EXPECT_EQ(Wording().text("Two words.  4 sectors."), "Two words.  4 sectors.");
}

TEST(Wording, UsesTheNumbersOfTheEnglishText) {
  EXPECT_EQ(russian().text("1 sectors of 9."), "В 9: 1 сектор.");
  EXPECT_EQ(russian().text("11 sectors of 0.5."), "В 0.5: 11 секторов.");
}

TEST(Wording, FillsSlotsInTheOrderOfTheTranslation) {
  EXPECT_EQ(russian().text("Of 2: `a b`."), "`a b` из 2.");
}

TEST(Wording, TranslatesACoursesTextWithinAMessage) {
  EXPECT_EQ(russian().say(Message::of_course("Two words.")), "Два слова.");
  EXPECT_EQ(russian().say(Message::verbatim("Two words.")), "Two words.");
  EXPECT_EQ(Wording().say(Message::of_course("Two words.")), "Two words.");
}

TEST(Wording, ShowsEnglishIfTheTranslationHasAFault) {
  EXPECT_EQ(russian().text("No 3 slot."), "No 3 slot.");
  EXPECT_EQ(russian().text("Guess."), "Guess.");
}

TEST(Catalog, RejectsAFileWithoutAPluralRule) {
  EXPECT_THROW(Catalog().add(po_from("msgid \"a\"\nmsgstr \"b\"\n", "x"), "x"), Error);
}

PoEntry entry(const char* english, std::vector<std::string> translations, const char* plural = "") {
  return {.english = english, .plural = plural, .translations = std::move(translations)};
}

TEST(Catalog, NamesTheFaultOfATranslation) {
  const PluralRule one("nplurals=1; plural=0;", "here"), two;
  const auto no_fault = IsMessage("");
  EXPECT_THAT(fault_of(entry("{1} and {2}", {"{2} и {1}, {1}"}), one), no_fault);
  EXPECT_THAT(fault_of(entry("{1} and {2}", {"{2}"}), one),
              AllOf(IsMessage("po_slot_missing"), HasArgument("slot", Argument(1))));
  EXPECT_THAT(fault_of(entry("{1}", {"{1} {2}"}), one),
              AllOf(IsMessage("po_slot_unknown"), HasArgument("slot", Argument(2))));
  EXPECT_THAT(fault_of(entry("{1}", {"{1"}), one), IsMessage("po_slot_open"));
  EXPECT_THAT(fault_of(entry("{1}", {"{1} {1|a|b}"}), two), no_fault);
  EXPECT_THAT(fault_of(entry("{1}", {"{1} {1|a|b}"}), one),
              AllOf(IsMessage("po_slot_forms"), HasArgument("slot", Argument("1|a|b")),
                    HasArgument("forms", Argument(1))));
  EXPECT_THAT(fault_of(entry("{1} a", {"{1}"}, "{1} as"), two),
              AllOf(IsMessage("po_translation_forms"), HasArgument("forms", Argument(2))));
}

TEST(Catalog, NamesTheFaultOfAMessagesTranslation) {
  const PluralRule one("nplurals=1; plural=0;", "here"), two;
  const auto fault = [](const char* translation, const PluralRule& rule) {
    PoEntry of_message = entry("{count} {count:byte|bytes}", {translation});
    of_message.id = "bytes";
    return fault_of(of_message, rule);
  };
  EXPECT_THAT(fault("{count}", one), IsMessage(""));
  EXPECT_THAT(fault("{count} {count:a|b}", two), IsMessage(""));
  EXPECT_THAT(fault("{count} {count:a|b}", one),
              AllOf(IsMessage("po_slot_forms"), HasArgument("slot", Argument("count:a|b"))));
  EXPECT_THAT(fault("bytes", one),
              AllOf(IsMessage("po_slot_missing"), HasArgument("slot", Argument("count"))));
  EXPECT_THAT(fault("{count} {size}", one),
              AllOf(IsMessage("po_slot_unknown"), HasArgument("slot", Argument("size"))));
}

TEST(Languages, FollowTheLocale) {
  EXPECT_EQ(language_of("zh_CN.UTF-8"), Language::kChinese);
  EXPECT_EQ(language_of("ru"), Language::kRussian);
  EXPECT_EQ(language_of("de_DE.UTF-8"), Language::kEnglish);
  EXPECT_EQ(language_of("C"), Language::kEnglish);
}

}  // namespace
}  // namespace cudalab
