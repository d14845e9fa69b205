// Tests translation units: slots for numbers and code, and splitting and joining sentences.
#include "core/languages/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudalab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Units, ReplaceNumbersAndCode) {
  const Unit unit = unit_of("A warp has 32 lanes, 0.5 of 1,024; run `cudalab dot --n 4`.");
  EXPECT_EQ(unit.key, "A warp has {1} lanes, {2} of {3}; run {4}.");
  EXPECT_THAT(unit.slots, ElementsAre("32", "0.5", "1,024", "`cudalab dot --n 4`"));
}

TEST(Units, ReplaceAHexadecimalNumberAsAWhole) {
  EXPECT_EQ(unit_of("The mask is 0xffffffff, and 0x has no digits.").key,
            "The mask is {1}, and {2}x has no digits.");
}

TEST(Units, KeepNumbersInNames) {
  EXPECT_EQ(unit_of("The H200 reads f32x4, sm_90 and 16-byte values.").key,
            "The H200 reads f32x4, sm_90 and {1}-byte values.");
}

TEST(Units, ReplaceLinksAndPlaceholders) {
  const Unit unit = unit_of("See [the counters](docs/counters.md): {value}, not {bound} {.");
  EXPECT_EQ(unit.key, "See [the counters]{1}: {2}, not {3} {4}.");
  EXPECT_THAT(unit.slots, ElementsAre("(docs/counters.md)", "{value}", "{bound}", "{"));
}

TEST(Units, DoNotChangeIfOnlyANumberChanges) {
  EXPECT_EQ(unit_of("It takes 7.5 times as long.").key, unit_of("It takes 12 times as long.").key);
  EXPECT_NE(unit_of("It takes 7.5 times as long.").key, unit_of("It takes 7.5 times longer.").key);
}

TEST(Units, WithoutAWordAreNotTranslated) {
  EXPECT_TRUE(has_words("{1} ways"));
  EXPECT_FALSE(has_words("s[{1}][{2}]"));
  EXPECT_FALSE(has_words("{1}"));
}

TEST(Sentences, EndBeforeABeginning) {
  EXPECT_THAT(sentences_in("One. Two? `three` goes on! \"Four.\" 5 more"),
              ElementsAre("One.", "Two?", "`three` goes on!", "\"Four.\"", "5 more"));
  EXPECT_THAT(sentences_in("**Padding.** A column."), ElementsAre("**Padding.**", "A column."));
  EXPECT_THAT(sentences_in(" "), IsEmpty());
}

TEST(Sentences, DoNotEndInCodeBracketsAndAbbreviations) {
  EXPECT_THAT(sentences_in("Write `a. B`, e.g. One (see it. Then go) or 4.5 times."),
              ElementsAre("Write `a. B`, e.g. One (see it. Then go) or 4.5 times."));
}

TEST(Sentences, DoNotEndInAConditionalExpression) {
  EXPECT_THAT(sentences_in("x = i < n ? 0 : 1; done. Is it? Yes."),
              ElementsAre("x = i < n ? 0 : 1; done.", "Is it?", "Yes."));
}

TEST(Sentences, AreJoinedAsTheirScriptRequires) {
  EXPECT_EQ(joined_sentences({"One.", "Two."}), "One. Two.");
  EXPECT_EQ(joined_sentences({"一。", "二。", "Three."}), "一。二。Three.");
  EXPECT_EQ(joined_sentences({"**填充。**", "Да.", "Нет."}), "**填充。**Да. Нет.");
}

TEST(Sentences, AreMadeFromClauses) {
  EXPECT_EQ(as_sentence("one two", Language::kEnglish), "One two.");
  EXPECT_EQ(as_sentence("why?", Language::kEnglish), "Why?");
  EXPECT_EQ(as_sentence("cPU", Language::kEnglish), "cPU.");
  EXPECT_EQ(as_sentence("mine.cu:3: was never launched", Language::kEnglish),
            "mine.cu:3: was never launched.");
  EXPECT_EQ(as_sentence("however: it is", Language::kEnglish), "However: it is.");
  EXPECT_EQ(with_an_end("存储", Language::kChinese), "存储。");
  EXPECT_EQ(as_sentence("память ждёт", Language::kRussian), "Память ждёт.");
  EXPECT_EQ(as_sentence("чтения", Language::kRussian), "Чтения.");
  EXPECT_EQ(as_sentence("存储 (a.cu:2)", Language::kChinese), "存储 (a.cu:2)。");
  EXPECT_EQ(as_sentence("", Language::kChinese), "");
}

TEST(Slots, AreNamedByNumber) { EXPECT_THAT(slots_in("{2} of {10|a|b} {1}"), ElementsAre(2u, 10u, 1u)); }

}  // namespace
}  // namespace cudalab
