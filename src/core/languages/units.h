// Languages, and the units of translation: sentences in which slots replace numbers and code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/named.h"

namespace cudalab {

// The languages of the program.

enum class Language { kEnglish, kChinese, kRussian };

inline constexpr Named<Language> kLanguages[]{
    {"en", Language::kEnglish}, {"zh", Language::kChinese}, {"ru", Language::kRussian}};

// The language of a locale such as "zh_CN.UTF-8". English for all locales that the table does not contain.
Language language_of(std::string_view locale);

// The language of the first variable that is set: LC_ALL, LC_MESSAGES, LANG (the order of POSIX).
Language language_of_environment();

// A text as translators see it: sentence by sentence, with slots in place of numbers and code.

// A sentence such as "A warp of {1} threads runs {2}." with the slots "32" and "`cudalab dot`". A changed
// number does not change the key, so translations stay valid.
struct Unit {
  std::string key;
  std::vector<std::string> slots;
};

// The unit of a sentence. Slots are numbers (but not those in names such as H200), `code`, link targets,
// placeholders of criteria ({value}) and single braces.
Unit unit_of(std::string_view sentence);

// Whether there is something to translate: a word of at least two letters outside slots.
bool has_words(std::string_view key);

// Splits "One. Two." into "One." and "Two.". A sentence ends before a blank and the beginning of another one,
// outside code and brackets.
std::vector<std::string_view> sentences_in(std::string_view paragraph);

// Joins sentences, with a blank between them if the script uses blanks.
std::string joined_sentences(const std::vector<std::string>& sentences);

// Makes a sentence of a clause: capitalizes it, unless it begins with a name such as "S32", and adds a
// missing full stop.
std::string as_sentence(std::string clause, Language language);
// Adds a missing full stop only.
std::string with_an_end(std::string clause, Language language);

// The numbers of the slots in a translation, in order of appearance. {1} and {1|one|many} are slot 1.
std::vector<std::size_t> slots_in(std::string_view translation);

}  // namespace cudalab
