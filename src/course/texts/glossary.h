// The terms of the field and what they are called in each language, languages/glossary.json, and whether a
// translation keeps to them.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/language.h"

namespace cudalab::course {

struct Term {
  std::string english;  // "bank conflict", in the singular
  // What a translation must hold, by language: one of these. Of several words each must occur, and each may
  // go on: "конфликт банк" is found in "конфликты банков".
  std::map<Language, std::vector<std::string>> translations;
};

// Throws Error(kUsage) that names the file and the term.
std::vector<Term> load_glossary(const std::filesystem::path& file);

// The term that the translation lacks, with what it must hold, in words; empty where it keeps to all.
std::string glossary_objection(std::span<const Term> glossary, std::string_view english,
                               std::string_view translation, Language language);

}  // namespace cudalab::course
