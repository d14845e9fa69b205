// Looks up what is said, and says it in English where nothing is found.
#include "core/languages/wording.h"

#include <algorithm>

#include "core/languages/units.h"

namespace cudalab {
namespace {

// Filled before main() by the messages themselves, and read after that.
std::vector<Message>& list() {
  static std::vector<Message> all;
  return all;
}

std::string sentence_in(const Catalog& catalog, std::string_view sentence) {
  const Unit unit = unit_of(sentence);
  const auto* found = catalog.find(unit.key);
  return found ? filled(found->front(), unit.slots, catalog.plurals()) : std::string(sentence);
}

std::string in_english(const Message& message, std::string_view number, fmt::format_args args) {
  const bool is_one = message.plural.empty() || PluralRule().form_of(number) == 0;
  return fmt::vformat(is_one ? message.format : message.plural, args);
}

}  // namespace

bool put_on_list(const Message& message) {
  list().push_back(message);
  return true;
}

std::vector<Message> messages() {
  std::vector<Message> all = list();
  std::ranges::sort(all, {}, &Message::format);
  const auto rest = std::ranges::unique(all, {}, &Message::format);
  all.erase(rest.begin(), rest.end());
  return all;
}

std::string Wording::text(std::string_view paragraph) const {
  if (!catalog_) return std::string(paragraph);
  std::vector<std::string> sentences;
  for (const std::string_view sentence : sentences_in(paragraph))
    sentences.push_back(sentence_in(*catalog_, sentence));
  return joined_sentences(sentences);
}

std::string Wording::said(const Message& message, std::string_view number, fmt::format_args args) const {
  Unit unit = catalog_ ? unit_of_format(message.format) : Unit{};
  const auto* found = catalog_ ? catalog_->find(unit.key) : nullptr;
  if (!found) return in_english(message, number, args);
  for (std::string& slot : unit.slots) slot = fmt::vformat(slot, args);
  const std::size_t form = found->size() > 1 ? catalog_->plurals().form_of(number) : 0;
  return filled((*found)[std::min(form, found->size() - 1)], unit.slots, catalog_->plurals());
}

}  // namespace cudalab
