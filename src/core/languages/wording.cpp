// Looks up translations. A text without a translation stays English.
#include "core/languages/wording.h"

#include <optional>
#include <vector>

#include "core/diagnostics/rendering.h"
#include "core/languages/units.h"

namespace cudalab {
namespace {

std::optional<std::string> found_in(const Catalog& catalog, std::string_view text) {
  const Unit unit = unit_of(text);
  const auto* found = catalog.find(unit.key);
  if (!found) return std::nullopt;
  return filled(found->front(), unit.slots, catalog.plurals());
}

}  // namespace

std::optional<std::string> Wording::known(std::string_view text) const {
  auto found = found_in(*texts_, text);
  return found ? found : found_in(*messages_, text);
}

std::string Wording::text(std::string_view paragraph) const {
  if (!messages_) return std::string(paragraph);
  if (auto whole = known(paragraph)) return *std::move(whole);
  std::vector<std::string> sentences;
  bool has = false;
  for (const std::string_view sentence : sentences_in(paragraph)) {
    auto found = known(sentence);
    has |= found.has_value();
    sentences.push_back(found ? *std::move(found) : std::string(sentence));
  }
  return has ? joined_sentences(sentences) : std::string(paragraph);
}

std::string Wording::say(const Message& message) const {
  if (shows_ids_ && message.id() != "verbatim") return with_ids(message);
  if (!messages_) return message.text();
  // Messages of labs are translated beside the labs' texts.
  const auto translation_of = [this](std::string_view id) {
    const auto* found = messages_->find_message(id);
    return found || !texts_ ? found : texts_->find_message(id);
  };
  return rendered(message, {translation_of, messages_->plurals(),
                            [this](const std::string& english) { return text(english); }});
}

}  // namespace cudalab
