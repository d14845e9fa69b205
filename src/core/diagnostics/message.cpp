// Implements messages and their arguments: access, comparison, search and replacement in nested messages, and
// the form with IDs.
#include "core/diagnostics/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/diagnostics/catalogue.h"
#include "core/diagnostics/rendering.h"
#include "core/text.h"
#include "messages/core.h"

namespace cudalab {

Message::Message() = default;
Message::Message(const Message&) = default;
Message::Message(Message&&) noexcept = default;
Message& Message::operator=(const Message&) = default;
Message& Message::operator=(Message&&) noexcept = default;
Message::~Message() = default;

Message::Message(const CatalogueEntry& entry, std::vector<Argument> arguments)
    : entry_(&entry), arguments_(std::move(arguments)) {}

Message Message::verbatim(std::string text) {
  return text.empty() ? Message() : msg::verbatim(std::move(text));
}

Message Message::of_course(std::string text) {
  return text.empty() ? Message() : msg::course_text(std::move(text));
}

std::string_view Message::id() const { return entry_ ? entry_->id : std::string_view(); }

const Argument* Message::argument(std::string_view name) const {
  if (!entry_) return nullptr;
  const auto slot = std::ranges::find(entry_->slots, name);
  return slot == entry_->slots.end() ? nullptr
                                     : &arguments_[static_cast<std::size_t>(slot - entry_->slots.begin())];
}

std::string Message::text() const { return rendered(*this, RenderingLanguage{}); }

// ---- arguments -----------------------------------------------------------------------------------------

Argument::Argument(std::string text) : value_(std::make_shared<Value>(std::move(text))) {}
Argument::Argument(std::string_view text) : Argument(std::string(text)) {}
Argument::Argument(const char* text) : Argument(std::string(text)) {}
Argument::Argument(Quantity value) : value_(std::make_shared<Value>(std::move(value))) {}
Argument::Argument(Code value) : value_(std::make_shared<Value>(std::move(value))) {}
Argument::Argument(Address value) : value_(std::make_shared<Value>(value)) {}
Argument::Argument(SourceLine value) : value_(std::make_shared<Value>(std::move(value))) {}
Argument::Argument(ThreadIndex value) : value_(std::make_shared<Value>(value)) {}
Argument::Argument(BlockIndex value) : value_(std::make_shared<Value>(value)) {}
Argument::Argument(Element value) : value_(std::make_shared<Value>(std::move(value))) {}
Argument::Argument(Message value) : value_(std::make_shared<Value>(std::move(value))) {}
Argument::Argument(List value) : value_(std::make_shared<Value>(std::move(value))) {}
Argument::Argument(const Argument&) = default;
Argument::Argument(Argument&&) noexcept = default;
Argument& Argument::operator=(const Argument&) = default;
Argument& Argument::operator=(Argument&&) noexcept = default;
Argument::~Argument() = default;

Argument::Shared Argument::shared(double number) { return std::make_shared<Value>(number); }
Argument::Shared Argument::shared(std::int64_t number) { return std::make_shared<Value>(number); }
Argument::Shared Argument::shared(std::uint64_t number) { return std::make_shared<Value>(number); }

bool operator==(const Argument& a, const Argument& b) { return a.value() == b.value(); }

const Argument* find_argument(const Message& message, std::string_view name) {
  if (const Argument* own = message.argument(name)) return own;
  for (const Argument& argument : message.arguments())
    if (const auto* inner = argument.as<Message>())
      if (const Argument* found = find_argument(*inner, name)) return found;
  return nullptr;
}

namespace {

void visit_argument(const Argument& argument, const std::function<void(const Argument&)>& visit) {
  visit(argument);
  if (const auto* message = argument.as<Message>()) for_each_argument(*message, visit);
  if (const auto* list = argument.as<Argument::List>())
    for (const Argument& item : *list) visit_argument(item, visit);
}

Argument changed(const Argument& argument, const ChangeArgument& change) {
  if (auto other = change(argument)) return *std::move(other);
  if (const auto* message = argument.as<Message>()) return with_changed_arguments(*message, change);
  const auto* list = argument.as<Argument::List>();
  if (!list) return argument;
  Argument::List items;
  for (const Argument& item : *list) items.push_back(changed(item, change));
  return items;
}

}  // namespace

void for_each_argument(const Message& message, const std::function<void(const Argument&)>& visit) {
  for (const Argument& argument : message.arguments()) visit_argument(argument, visit);
}

Message with_changed_arguments(const Message& message, const ChangeArgument& change) {
  if (message.empty()) return message;
  std::vector<Argument> arguments;
  for (const Argument& argument : message.arguments()) arguments.push_back(changed(argument, change));
  return {*message.entry(), std::move(arguments)};
}

namespace {

std::string argument_with_ids(const Argument& argument) {
  if (const auto* message = argument.as<Message>())
    return message->id() == "verbatim" ? message->text() : with_ids(*message);
  if (const auto* list = argument.as<Argument::List>()) return joined(*list, ", ", argument_with_ids);
  return shown_in_english(argument);
}

}  // namespace

std::string with_ids(const Message& message) {
  if (message.empty()) return "";
  std::string text(message.id());
  text += '(';
  for (std::size_t i = 0; i < message.arguments().size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", message.entry()->slots[i],
                        argument_with_ids(message.arguments()[i]));
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
