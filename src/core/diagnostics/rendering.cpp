// Renders messages: splits texts into literals and slots, and formats the arguments.
#include "core/diagnostics/rendering.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostics/catalogue.h"
#include "core/text.h"
#include "messages/core.h"

namespace cudalab {
namespace {

// A slot of a text, {name:spec}.
struct Slot {
  std::string_view name, spec;
};

Slot slot_in(std::string_view inside) {
  const std::size_t colon = std::min(inside.find(':'), inside.size());
  return {inside.substr(0, colon), inside.substr(std::min(colon + 1, inside.size()))};
}

// Calls `literal` and `slot` for the parts of a text in order. An unmatched brace is literal text.
template <class OnLiteral, class OnSlot>
void for_each_part(std::string_view text, OnLiteral literal, OnSlot slot) {
  while (!text.empty()) {
    const std::size_t at = std::min(text.find_first_of("{}"), text.size());
    literal(text.substr(0, at));
    text.remove_prefix(at);
    if (text.empty()) return;
    const bool is_doubled = text.size() > 1 && text[1] == text[0];
    const std::size_t end = text.find('}');
    if (is_doubled || text[0] == '}' || end == std::string_view::npos) {
      literal(text.substr(0, 1));
      text.remove_prefix(is_doubled ? 2 : 1);
    } else {
      slot(slot_in(text.substr(1, end - 1)));
      text.remove_prefix(end + 1);
    }
  }
}

// The plural form for an argument, which may be a number in text form ("1.5", "1,024").
std::size_t form_of(const Argument& argument, const PluralRule& plurals) {
  if (const auto* number = argument.as<std::uint64_t>()) return plurals.form_of(*number);
  if (const auto* number = argument.as<std::int64_t>())
    return plurals.form_of(static_cast<std::uint64_t>(*number < 0 ? -*number : *number));
  if (const auto* number = argument.as<double>()) return plurals.form_of(fmt::format("{}", *number));
  const auto* text = argument.as<std::string>();
  return plurals.form_of(text ? std::string_view(*text) : std::string_view());
}

std::string word_form(std::string_view forms, std::size_t index) {
  for (; index > 0 && forms.find('|') != std::string_view::npos; --index)
    forms.remove_prefix(forms.find('|') + 1);
  return std::string(forms.substr(0, forms.find('|')));
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Message worded(const Element& element) {
  const bool is_name = element.buffer.find(' ') == std::string::npos;
  if (is_name)
    return Message::verbatim(
        fmt::format("`{}[{}]`", element.buffer,
                    joined(element.index, "][", [](std::int64_t i) { return std::to_string(i); })));
  return msg::element_of(joined(element.index, ", ", [](std::int64_t i) { return std::to_string(i); }),
                         element.buffer);
}

class Renderer {
 public:
  explicit Renderer(const RenderingLanguage& language) : language_(language) {}

  std::string operator()(const Message& message) const {
    if (message.empty()) return "";
    if (language_.of_course && message.id() == "course_text")
      return language_.of_course((*this)(message.arguments().front()));
    const std::string_view text = text_of(message);
    std::string out;
    for_each_part(
        text, [&](std::string_view literal) { out += literal; },
        [&](const Slot& slot) { out += in_slot(slot, message); });
    return out;
  }

  std::string operator()(const Argument& argument) const {
    return std::visit([&](const auto& value) { return shown(value); }, argument.value());
  }

 private:
  std::string_view text_of(const Message& message) const {
    const CatalogueEntry& entry = *message.entry();
    const std::vector<std::string>* texts = language_.texts_of ? language_.texts_of(entry.id) : nullptr;
    const PluralRule& plurals = texts ? language_.plurals : english_;
    const std::size_t form = entry.plural.empty() ? 0 : form_of(message.arguments().front(), plurals);
    if (texts) return (*texts)[std::min(form, texts->size() - 1)];
    return form == 0 ? entry.english : entry.plural;
  }

  std::string in_slot(const Slot& slot, const Message& message) const {
    const Argument* argument = message.argument(slot.name);
    if (!argument) return fmt::format("{{{}}}", slot.name);
    if (slot.spec.empty()) return (*this)(*argument);
    if (slot.spec.find('|') != std::string_view::npos)
      return word_form(slot.spec, form_of(*argument, plurals_of(message)));
    return formatted(*argument, slot.spec);
  }

  const PluralRule& plurals_of(const Message& message) const {
    return language_.texts_of && language_.texts_of(message.id()) ? language_.plurals : english_;
  }

  std::string formatted(const Argument& argument, std::string_view spec) const {
    const std::string format = fmt::format("{{:{}}}", spec);
    if (const auto* number = argument.as<double>()) return fmt::format(fmt::runtime(format), *number);
    if (const auto* number = argument.as<std::int64_t>()) return fmt::format(fmt::runtime(format), *number);
    if (const auto* number = argument.as<std::uint64_t>()) return fmt::format(fmt::runtime(format), *number);
    return (*this)(argument);
  }

  std::string shown(const std::string& text) const { return text; }
  std::string shown(std::int64_t number) const { return std::to_string(number); }
  std::string shown(std::uint64_t number) const { return std::to_string(number); }
  std::string shown(double number) const { return fmt::format("{}", number); }
  std::string shown(const Quantity& value) const { return fmt::format("{:.3g} {}", value.value, value.unit); }
  std::string shown(const Code& code) const { return fmt::format("`{}`", code.text); }
  std::string shown(Address address) const { return fmt::format("{:#x}", address.value); }
  std::string shown(const SourceLine& where) const {
    return fmt::format("{}:{}", file_name(where.file), where.line);
  }
  std::string shown(const ThreadIndex& thread) const {
    return (*this)(msg::thread_at(coordinates(thread.at)));
  }
  std::string shown(const BlockIndex& block) const { return (*this)(msg::block_at(coordinates(block.at))); }
  std::string shown(const Element& element) const { return (*this)(worded(element)); }
  std::string shown(const Message& message) const { return (*this)(message); }
  std::string shown(const Argument::List& list) const {
    const std::string separator = (*this)(msg::list_separator());
    return joined(list, separator, [&](const Argument& item) { return (*this)(item); });
  }

  const RenderingLanguage& language_;
  PluralRule english_;
};

}  // namespace

std::string rendered(const Message& message, const RenderingLanguage& language) {
  return Renderer(language)(message);
}

std::string rendered(const Argument& argument, const RenderingLanguage& language) {
  return Renderer(language)(argument);
}

std::vector<std::string> slot_names(std::string_view text) {
  std::vector<std::string> names;
  for_each_part(
      text, [](std::string_view) {},
      [&](const Slot& slot) {
        if (std::ranges::find(names, slot.name) == names.end()) names.emplace_back(slot.name);
      });
  return names;
}

}  // namespace cudalab
