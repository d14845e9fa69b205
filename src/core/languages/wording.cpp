// Looks up translations. A text without a translation stays English.
#include "core/languages/wording.h"

#include <algorithm>
#include <optional>

#include "core/diagnostics/rendering.h"
#include "core/languages/units.h"

namespace cudalab {
namespace {

// Static initialization fills the list before main(); afterwards it is only read.
std::vector<ListedFormat>& list() {
  static std::vector<ListedFormat> all;
  return all;
}

std::optional<std::string> found_in(const Catalog& catalog, std::string_view text) {
  const Unit unit = unit_of(text);
  const auto* found = catalog.find(unit.key);
  if (!found) return std::nullopt;
  return filled(found->front(), unit.slots, catalog.plurals());
}

// Translates a finished sentence by the format that it matches. Its slots may contain further such sentences.
std::optional<std::string> made_elsewhere(const Catalog& messages, std::string_view text) {
  if (auto found = found_in(messages, text)) return found;
  Catalog::Match match = messages.match(text);
  if (!match.translation) return std::nullopt;
  for (std::string& slot : match.slots) slot = made_elsewhere(messages, slot).value_or(slot);
  return filled(*match.translation, match.slots, messages.plurals());
}

std::string in_english(const ListedFormat& message, std::string_view number, fmt::format_args args) {
  const bool is_one = message.plural.empty() || PluralRule().form_of(number) == 0;
  return fmt::vformat(is_one ? message.format : message.plural, args);
}

}  // namespace

bool put_on_list(const ListedFormat& message) {
  list().push_back(message);
  return true;
}

std::vector<ListedFormat> messages() {
  std::vector<ListedFormat> all = list();
  std::ranges::sort(all, {}, &ListedFormat::format);
  const auto rest = std::ranges::unique(all, {}, &ListedFormat::format);
  all.erase(rest.begin(), rest.end());
  return all;
}

std::optional<std::string> Wording::known(std::string_view text) const {
  auto found = found_in(*texts_, text);
  return found ? found : found_in(*messages_, text);
}

std::optional<std::string> Wording::translated(std::string_view sentence) const {
  auto found = known(sentence);
  return found ? found : made_elsewhere(*messages_, sentence);
}

std::string Wording::text(std::string_view paragraph) const {
  if (!messages_) return std::string(paragraph);
  if (auto whole = known(paragraph)) return *std::move(whole);
  std::vector<std::string> sentences;
  bool lacks = false, has = false;
  for (const std::string_view sentence : sentences_in(paragraph)) {
    auto found = translated(sentence);
    lacks |= !found;
    has |= found.has_value();
    sentences.push_back(found ? *std::move(found) : std::string(sentence));
  }
  // Formats of several sentences are tried last. Otherwise a slot could swallow the rest of the paragraph.
  if (lacks)
    if (auto whole = translated(paragraph)) return *std::move(whole);
  return has ? joined_sentences(sentences) : std::string(paragraph);
}

std::string Wording::say(const Message& message) const {
  if (shows_ids_ && message.id() != "verbatim") return with_ids(message);
  if (!messages_) return message.text();
  // Messages of labs are translated beside the labs' texts. A sentence without an id is looked up by its
  // text.
  const auto translation_of = [this](std::string_view id) {
    const auto* found = messages_->find_message(id);
    return found || !texts_ ? found : texts_->find_message(id);
  };
  return rendered(message, {translation_of, messages_->plurals(),
                            [this](const std::string& sentence) { return text(sentence); }});
}

std::string Wording::said(const ListedFormat& message, std::string_view number, fmt::format_args args) const {
  Unit unit = messages_ ? unit_of_format(message.format) : Unit{};
  const auto* found = messages_ ? messages_->find(unit.key) : nullptr;
  if (!found) return in_english(message, number, args);
  for (std::string& slot : unit.slots) slot = fmt::vformat(slot, args);
  const std::size_t form = found->size() > 1 ? messages_->plurals().form_of(number) : 0;
  return filled((*found)[std::min(form, found->size() - 1)], unit.slots, messages_->plurals());
}

}  // namespace cudalab
