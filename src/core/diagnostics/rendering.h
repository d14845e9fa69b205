// Renders a message as a sentence of one language: replaces the slots of the text by the arguments.
//
//   {name}              the argument
//   {name:#x}           a number with a format of fmt
//   {name:byte|bytes}   the plural form for the number `name`; one word per form of the language
//   {{ and }}           braces
//
// If a message has plural forms, the first slot of the English text contains the number that selects the
// form.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/diagnostics/plural_rule.h"

namespace cudalab {

// The texts of a language: one text, or one per plural form if the message counts. If texts_of returns null,
// the English text is used.
struct RenderingLanguage {
  std::function<const std::vector<std::string>*(std::string_view id)> texts_of;
  PluralRule plurals;
  // Translates a text of the course (Message::of_course), at any depth. If this is empty, such texts stay
  // English.
  std::function<std::string(const std::string& text)> of_course{};
};

std::string rendered(const Message& message, const RenderingLanguage& language);
std::string rendered(const Argument& argument, const RenderingLanguage& language);

// The names of the slots of a text without duplicates, in order of appearance.
std::vector<std::string> slot_names(std::string_view text);

}  // namespace cudalab
