// Translations of the course: the PO files of labs and languages, and the glossary that they must follow.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/po_file.h"
#include "core/languages/units.h"
#include "core/languages/wording.h"
#include "lab/lab.h"

namespace cudalab::course {

// The terms of the field and what they are called in each language, languages/glossary.json, and whether a
// translation keeps to them.

struct Term {
  std::string english;  // "bank conflict", in the singular
  // What a translation must hold, by language: one of these. Of several words each must occur, and each may
  // go on: "конфликт банк" is found in "конфликты банков".
  std::map<Language, std::vector<std::string>> translations;
};

// Throws Error(kUsage) that names the file and the term.
std::vector<Term> load_glossary(const std::filesystem::path& file);

// The term that the translation lacks, with what it must hold, in words; empty where it keeps to all.
Message glossary_objection(std::span<const Term> glossary, std::string_view english,
                           std::string_view translation, Language language);

// The translations of the course: labs/LAB/LANGUAGE.po of a lab's texts, languages/LANGUAGE.po of the
// program's messages. What they hold, what they lack, and what is wrong with them.

// What the translations of the messages are called in place of a lab.
inline constexpr const char* kMessages = "messages";

// A text to translate.
struct TextUnit {
  std::string id{};                // of a message; empty for a text, which is known by itself
  std::string key, plural;         // as units.h makes them; plural: empty where it has none
  std::string where;               // "README.md"
  std::vector<std::string> slots;  // what {1}, {2}, … stand for where it is found first
};

// Each once, in the order in which a learner meets them. Throws as the loading of a lab's files does.
std::vector<TextUnit> units_of_lab(const std::filesystem::path& labs, const lab::Lab& lab);
// Of the program: the texts of its help, and its messages.
std::vector<TextUnit> units_of_messages(std::span<const std::string> help);

// labs/LAB/zh.po, or languages/zh.po beside the folder of the labs. `what` is a lab's name or kMessages.
std::filesystem::path translation_file(const std::filesystem::path& labs, const std::string& what,
                                       Language language);

std::filesystem::path glossary_file(const std::filesystem::path& labs);

// Of that file; empty where there is none.
PoFile load_translation(const std::filesystem::path& labs, const std::string& what, Language language);

// Every unit, with its translation where `kept` has one; what `kept` has besides is stale.
PoFile for_translators(std::span<const TextUnit> units, const PoFile& kept, Language language);

// How complete a translation is, and what is wrong with it.
struct TranslationState {
  std::size_t units = 0, translated = 0, stale = 0;
  std::vector<Message> faults;  // "labs/dot/zh.po:12: {2} is missing"
};
TranslationState state_of(std::span<const TextUnit> units, const PoFile& kept, std::span<const Term> glossary,
                          Language language, const std::string& place);

// "dot in zh: 12 of 40 translated, 28 shown in English, 3 stale"; empty if nothing is missing. `what`: a lab,
// or kMessages.
Message lack_of(const std::string& what, const TranslationState& state, Language language);

// In that language, all there is; English's without reading anything.
Wording wording_of(Language language, const std::filesystem::path& labs, std::span<const lab::Lab> all);

}  // namespace cudalab::course
