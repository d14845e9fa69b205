// The languages in which the program speaks to learners.
#pragma once

#include <string_view>

#include "core/named.h"

namespace cudalab {

enum class Language { kEnglish, kChinese, kRussian };

inline constexpr Named<Language> kLanguages[]{
    {"en", Language::kEnglish}, {"zh", Language::kChinese}, {"ru", Language::kRussian}};

// Of a locale's name, "zh_CN.UTF-8"; English for all that the table does not have.
Language language_of(std::string_view locale);

// Of the first that is set of LC_ALL, LC_MESSAGES and LANG, as POSIX has it.
Language language_of_environment();

}  // namespace cudalab
