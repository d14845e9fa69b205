#include "core/diagnostics/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/diagnostics/catalogue.h"
#include "core/diagnostics/rendering.h"
#include "messages/core.h"

namespace cudalab {

Message::Message(const CatalogueEntry& entry, std::vector<Argument> arguments)
    : entry_(&entry), arguments_(std::move(arguments)) {}

Message Message::verbatim(std::string text) {
  return text.empty() ? Message() : msg::verbatim(std::move(text));
}

std::string_view Message::id() const { return entry_ ? entry_->id : std::string_view(); }

const Argument* Message::argument(std::string_view name) const {
  if (!entry_) return nullptr;
  const auto slot = std::ranges::find(entry_->slots, name);
  return slot == entry_->slots.end() ? nullptr
                                     : &arguments_[static_cast<std::size_t>(slot - entry_->slots.begin())];
}

std::string Message::text() const { return rendered(*this, RenderingLanguage{}); }

std::string with_ids(const Message& message) {
  if (message.empty()) return "";
  std::string text(message.id());
  text += '(';
  for (std::size_t i = 0; i < message.arguments().size(); ++i) {
    const Argument& argument = message.arguments()[i];
    const auto* inner = argument.as<Message>();
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", message.entry()->slots[i],
                        inner ? with_ids(*inner) : shown_in_english(argument));
  }
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Message& message) { return out << message.text(); }

std::string shown_in_english(const Argument& argument) { return rendered(argument, RenderingLanguage{}); }

bool operator==(const Message& a, const Message& b) {
  return a.entry_ == b.entry_ && a.arguments_ == b.arguments_;
}

const CatalogueEntry* find_message(std::string_view id) {
  const auto entries = catalogue();
  const auto found = std::ranges::lower_bound(entries, id, {}, &CatalogueEntry::id);
  return found != entries.end() && found->id == id ? &*found : nullptr;
}

}  // namespace cudalab
