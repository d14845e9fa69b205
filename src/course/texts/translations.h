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

// A technical term of languages/glossary.json, with its accepted translations.

struct Term {
  std::string english;  // "bank conflict", singular
  // By language: the translation must contain one of these. If it has several words, each must occur, and
  // each may have a suffix: "конфликт банк" matches "конфликты банков".
  std::map<Language, std::vector<std::string>> translations;
};

// Throws Error(kUsage) that names the file and the term.
std::vector<Term> load_glossary(const std::filesystem::path& file);

// Names the first term whose accepted translations do not occur in the translation. Empty if all terms are
// translated correctly.
Message glossary_objection(std::span<const Term> glossary, std::string_view english,
                           std::string_view translation, Language language);

// The name that stands for the program's messages where functions expect a lab.
inline constexpr const char* kMessages = "messages";

// A text to translate.
struct TextUnit {
  std::string id{};                // of a message; empty for a text, which is identified by its key
  std::string key, plural;         // as units.h makes them; `plural` may be empty
  std::string where;               // "README.md"
  std::vector<std::string> slots;  // the values of {1}, {2}, … at the text's first occurrence
};

// All texts of a lab without duplicates, in the order in which a learner meets them. Throws if a file of the
// lab cannot be loaded.
std::vector<TextUnit> units_of_lab(const std::filesystem::path& labs, const lab::Lab& lab);
// The texts of the course's plan: the titles of concepts, and the paths.
std::vector<TextUnit> units_of_plan(const std::filesystem::path& labs);
// The texts of the program: its help, and its messages.
std::vector<TextUnit> units_of_messages(std::span<const std::string> help);

// labs/LAB/zh.po, or languages/zh.po beside the folder of the labs. `what` is a lab's name, kPlanFolder or
// kMessages.
std::filesystem::path translation_file(const std::filesystem::path& labs, const std::string& what,
                                       Language language);

std::filesystem::path glossary_file(const std::filesystem::path& labs);

// Loads that file; empty if it does not exist.
PoFile load_translation(const std::filesystem::path& labs, const std::string& what, Language language);

// A PO file with every unit, translated where `kept` has a translation. Other entries of `kept` become stale.
PoFile for_translators(std::span<const TextUnit> units, const PoFile& kept, Language language);

// How complete a translation is, and its errors.
struct TranslationState {
  std::size_t units = 0, translated = 0, stale = 0;
  std::vector<Message> faults;  // "labs/dot/zh.po:12: {2} is missing"
};
TranslationState state_of(std::span<const TextUnit> units, const PoFile& kept, std::span<const Term> glossary,
                          Language language, const std::string& place);

// "dot in zh: 12 of 40 translated, 28 shown in English, 3 stale"; empty if nothing is missing. `what`: as
// in translation_file.
Message lack_of(const std::string& what, const TranslationState& state, Language language);

// All translations of that language. For English, reads no file.
Wording wording_of(Language language, const std::filesystem::path& labs, std::span<const lab::Lab> all);

}  // namespace cudalab::course
