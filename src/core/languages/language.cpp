// Reads the locale's variables.
#include "core/languages/language.h"

#include <cstdlib>

namespace cudalab {

Language language_of(std::string_view locale) {
  return value_called(locale.substr(0, locale.find_first_of("_.@")), kLanguages).value_or(Language::kEnglish);
}

Language language_of_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (const char* value = std::getenv(variable); value && *value) return language_of(value);
  return Language::kEnglish;
}

}  // namespace cudalab
