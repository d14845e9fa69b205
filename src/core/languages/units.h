// Languages, and texts as translators see them: single sentences without their numbers and code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/named.h"

namespace cudalab {

// The languages in which the program speaks to learners.

enum class Language { kEnglish, kChinese, kRussian };

inline constexpr Named<Language> kLanguages[]{
    {"en", Language::kEnglish}, {"zh", Language::kChinese}, {"ru", Language::kRussian}};

// Of a locale's name, "zh_CN.UTF-8"; English for all that the table does not have.
Language language_of(std::string_view locale);

// Of the first that is set of LC_ALL, LC_MESSAGES and LANG, as POSIX has it.
Language language_of_environment();

// A text as its translators see it: sentence by sentence, with numbers and code taken out, which stand in
// the English text alone.

// "A warp of {1} threads runs {2}." with the slots "32" and "`cudalab dot`". A changed number does not change
// the key.
struct Unit {
  std::string key;
  std::vector<std::string> slots;
};

// Of a sentence. Slots are numbers (but not those in a name, as H200), `code`, the targets of links, what a
// criterion fills in ({value}), and single braces.
Unit unit_of(std::string_view sentence);

// Of the format of a message. Its slots are pieces of the format, each of which can be formatted by itself:
// {} has got a number, and code may have placeholders in it.
Unit unit_of_format(std::string_view format);

// Is there anything to translate? A word of two letters at least, outside of the slots.
bool has_words(std::string_view key);

// "One. Two." -> "One.", "Two.": a sentence ends before a blank and a beginning, outside of code and
// brackets.
std::vector<std::string_view> sentences_in(std::string_view paragraph);

// Sentences one after the other, with a blank where the script parts them with one.
std::string joined_sentences(const std::vector<std::string>& sentences);

// A clause made a sentence: with a capital letter (unless a name begins it, as in "S32"), and a full stop
// where it has no end yet.
std::string as_sentence(std::string clause, Language language);
// The same, but as it begins.
std::string with_an_end(std::string clause, Language language);

// The numbers of the slots that a translation names, in order: {1} and {1|one|many} are slot 1.
std::vector<std::size_t> slots_in(std::string_view translation);

}  // namespace cudalab
