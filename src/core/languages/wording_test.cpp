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
    "msgid \"test: {1} of {2}, {3}\"\nmsgstr \"проверка: {3}, {2} из {1}\"\n"
    "msgid \"test: {1} exercise in {2}\"\nmsgid_plural \"test: {1} exercises in {2}\"\n"
    "msgstr[0] \"{1} упражнение в {2}\"\nmsgstr[1] \"{1} упражнения в {2}\"\nmsgstr[2] \"{1} упражнений в "
    "{2}\"\n";

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

// A slot of a format never includes the sentences after it.
TEST(Wording, TranslatesFinishedTextSentenceBySentence) {
  const Wording chinese = chinese_by(
      "#: sentences.json\nmsgid \"It takes {1} to {2}.\"\nmsgstr \"要 {1} 到 {2}。\"\n"
      "#: sentences.json\nmsgid \"Look twice.\"\nmsgstr \"看两次。\"\n"
      "#: sentences.json\nmsgid \"{1}; get one. Or wait.\"\nmsgstr \"{1}；取一个，或等。\"\n");
  EXPECT_EQ(chinese.text("It takes 3 to x. Look twice."), "要 3 到 x。看两次。");
  EXPECT_EQ(chinese.text("It takes 3 to x. Unknown."), "要 3 到 x. Unknown。");
  EXPECT_EQ(chinese.text("none; get one. Or wait."), "none；取一个，或等。");
}

TEST(Wording, UsesTheNumbersOfTheEnglishText) {
  EXPECT_EQ(russian().text("1 sectors of 9."), "В 9: 1 сектор.");
  EXPECT_EQ(russian().text("11 sectors of 0.5."), "В 0.5: 11 секторов.");
}

TEST(Wording, SaysInEnglishWhatHasAFault) {
  EXPECT_EQ(russian().text("No 3 slot."), "No 3 slot.");
  EXPECT_EQ(russian().text("Guess."), "Guess.");
}

TEST(Wording, FillsSlotsInTheOrderOfTheTranslation) {
  EXPECT_EQ(russian().say<"test: {} of {}, `a {}`">(1, 2, "b"), "проверка: `a b`, 2 из 1");
  EXPECT_EQ(Wording().say<"test: {} of {}, `a {}`">(1, 2, "b"), "test: 1 of 2, `a b`");
  EXPECT_EQ(russian().say<"test: untranslated {:>4}">(1), "test: untranslated    1");
}

TEST(Wording, CountsInEachLanguage) {
  const Wording ru = russian();
  const auto counted = [](const Wording& wording, int n) {
    return wording.count<"test: {} exercise in {}", "test: {} exercises in {}">(n, "x");
  };
  EXPECT_EQ(counted(ru, 1), "1 упражнение в x");
  EXPECT_EQ(counted(ru, 3), "3 упражнения в x");
  EXPECT_EQ(counted(ru, 12), "12 упражнений в x");
  EXPECT_EQ(counted({}, 1), "test: 1 exercise in x");
  EXPECT_EQ(counted({}, 2), "test: 2 exercises in x");
}

TEST(Wording, KnowsTheFormatOfASentenceThatWasMadeElsewhere) {
  const Wording zh = chinese_by(
      "#: sentences.json\nmsgid \"there is no lab {1}{2} ({3} shows them)\"\nmsgstr "
      "\"没有实验 {1}{2}（{3} 会列出）\"\n"
      "#: sentences.json\nmsgid \"there is no {1}\"\nmsgstr \"没有 {1}\"\n"
      "#: sentences.json\nmsgid \"; did you mean {1}?\"\nmsgstr \"；你是说 {1} 吗？\"\n"
      "msgid \"take {1} of it\"\nmsgstr \"取 {1}\"\n");
  EXPECT_EQ(zh.text("there is no lab `a b`; did you mean `ab`? (`list` shows them)"),
            "没有实验 `a b`；你是说 `ab` 吗？（`list` 会列出）");
  EXPECT_EQ(zh.text("there is no lab `x` (`list` shows them)"), "没有实验 `x`（`list` 会列出）");
  EXPECT_EQ(zh.text("there is no x y"), "没有 x y");
  EXPECT_EQ(zh.text("take all of it"), "take all of it");  // the format is not in sentences.json
}

TEST(Wording, AddsEveryMessageToTheList) {
  const std::vector<ListedFormat> all = messages();
  EXPECT_TRUE(
      std::ranges::any_of(all, [](const ListedFormat& m) { return m.format == "test: untranslated {:>4}"; }));
  EXPECT_TRUE(std::ranges::any_of(all, [](const ListedFormat& m) {
    return m.format == "test: {} exercise in {}" && m.plural == "test: {} exercises in {}";
  }));
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
