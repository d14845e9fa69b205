// Translates output for learners: texts of the course sentence by sentence, and the program's messages.
// Without a translation, the output is English.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/languages/catalog.h"
#include "core/languages/units.h"

namespace cudalab {

// A format string as a template argument. It is known at compile time, so it can be added to the list of
// messages.
template <std::size_t kSize>
struct Format {
  char text[kSize]{};
  // NOLINTNEXTLINE(google-explicit-constructor): so that literals convert implicitly
  consteval Format(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
  constexpr std::string_view view() const { return {text, kSize - 1}; }
};

struct ListedFormat {
  std::string_view format;
  std::string_view plural;  // empty if there is none
};

// Every message of this program, sorted.
std::vector<ListedFormat> messages();

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

  // Translates a text of the course, or finished text such as an error message, as far as its sentences have
  // translations.
  std::string text(std::string_view paragraph) const;

  // wording.say<"{} of {} passed">(passed, count)
  template <Format kFormat, class... Args>
  std::string say(const Args&... args) const;

  // wording.count<"{} exercise put into {}", "{} exercises put into {}">(count, folder): the first argument
  // selects the form.
  template <Format kOne, Format kMany, class Number, class... Args>
  std::string count(const Number& number, const Args&... args) const;

 private:
  std::optional<std::string> known(std::string_view text) const;  // looked up without changes
  std::optional<std::string> translated(std::string_view sentence) const;
  std::string said(const ListedFormat& message, std::string_view number, fmt::format_args args) const;

  Language language_ = Language::kEnglish;
  bool shows_ids_ = false;
  std::shared_ptr<const Catalog> messages_, texts_;  // null: English
};

// ---- the list of messages ----------------------------------------------------------------------------

bool put_on_list(const ListedFormat& message);

template <Format kOne, Format kMany>
inline const bool kIsOnList = put_on_list({kOne.view(), kMany.view()});

// For text that Wording::text translates later: returns the English text and adds it to the list.
template <Format kText>
std::string listed() {
  static_cast<void>(kIsOnList<kText, "">);
  return std::string(kText.view());
}

template <class... Args>
consteval bool fits(fmt::format_string<Args...>) {
  return true;
}

template <Format kFormat, class... Args>
std::string Wording::say(const Args&... args) const {
  static_assert(fits<const Args&...>(kFormat.view()));
  static_cast<void>(kIsOnList<kFormat, "">);
  return said({kFormat.view(), ""}, "", fmt::make_format_args(args...));
}

template <Format kOne, Format kMany, class Number, class... Args>
std::string Wording::count(const Number& number, const Args&... args) const {
  static_assert(fits<const Number&, const Args&...>(kOne.view()) &&
                fits<const Number&, const Args&...>(kMany.view()));
  static_cast<void>(kIsOnList<kOne, kMany>);
  return said({kOne.view(), kMany.view()}, fmt::format("{}", number), fmt::make_format_args(number, args...));
}

}  // namespace cudalab
