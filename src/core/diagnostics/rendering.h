// Makes a sentence of a message: puts its arguments into the slots of a text, in one language.
//
//   {name}              the argument
//   {name:#x}           a number in a format of fmt
//   {name:byte|bytes}   the form of the word that goes with the number `name`, one for each plural form
//   {{ and }}           braces
//
// In a text with plural forms, the number in the first slot of the English text decides which form is taken.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/diagnostics/plural_rule.h"

namespace cudalab {

// The texts of a language: one for each of its plural forms, or one where the message does not count. English
// where the function returns null.
struct RenderingLanguage {
  std::function<const std::vector<std::string>*(std::string_view id)> texts_of;
  PluralRule plurals;
  // For a sentence without an id (Message::verbatim), at any depth; it is shown as it stands where this is
  // empty.
  std::function<std::string(const std::string& sentence)> of_verbatim{};
};

std::string rendered(const Message& message, const RenderingLanguage& language);
std::string rendered(const Argument& argument, const RenderingLanguage& language);

// The names of the slots of a text, each once, in order of appearance.
std::vector<std::string> slot_names(std::string_view text);

}  // namespace cudalab
