// Translates output for learners: texts of the course sentence by sentence, and the program's messages.
// Without a translation, the output is English.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/diagnostics/message.h"
#include "core/languages/catalog.h"
#include "core/languages/units.h"

namespace cudalab {

class Wording {
 public:
  Wording() = default;  // English
  // `messages` and `texts` are separate, because one English word may have two translations.
  Wording(Language language, std::shared_ptr<const Catalog> messages,
          std::shared_ptr<const Catalog> texts = std::make_shared<Catalog>())
      : language_(language), messages_(std::move(messages)), texts_(std::move(texts)) {}

  // Shows ids and arguments instead of sentences, for tests of screens.
  static Wording of_ids() {
    Wording wording;
    wording.shows_ids_ = true;
    return wording;
  }

  Language language() const { return language_; }

  // Renders a message as a sentence: wording.say(msg::checks_passed(passed, count)).
  std::string say(const Message& message) const;

  // Translates a text of the course sentence by sentence, as far as its sentences have translations.
  std::string text(std::string_view paragraph) const;

 private:
  std::optional<std::string> known(std::string_view text) const;  // null if there is no translation

  Language language_ = Language::kEnglish;
  bool shows_ids_ = false;
  std::shared_ptr<const Catalog> messages_, texts_;  // null: English
};

}  // namespace cudalab
