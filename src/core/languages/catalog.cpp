// The translations of one language by their English text, with the plural forms of that language.
#include "core/languages/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "core/diagnostics/rendering.h"
#include "core/error.h"
#include "core/languages/units.h"
#include "core/text.h"

namespace cudalab {
namespace {

constexpr std::uint64_t kTried = 1000;  // numbers: every rule that there is repeats after a hundred

//  choice  = either [ "?" choice ":" choice ]
//  either  = both { "||" both }          both = equal { "&&" equal }
//  equal   = order { ("==" | "!=") order }
//  order   = rest { ("<=" | ">=" | "<" | ">") rest }
//  rest    = atom { "%" atom }
//  atom    = "n" | NUMBER | "(" choice ")" | "!" atom
class Evaluation {
 public:
  Evaluation(std::string_view text, std::uint64_t n) : text_(text), n_(n) {}

  // Nothing where the text is no such expression.
  std::optional<std::uint64_t> value() {
    const std::uint64_t value = choice();
    blanks();
    return is_wrong_ || !text_.empty() ? std::nullopt : std::optional(value);
  }

 private:
  void blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }

  bool take(std::string_view sign) {
    blanks();
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(sign.size());
    return true;
  }

  std::uint64_t wrong() {
    is_wrong_ = true;
    return 0;
  }

  std::uint64_t choice() {
    const std::uint64_t condition = either();
    if (!take("?")) return condition;
    const std::uint64_t yes = choice();
    if (!take(":")) return wrong();
    const std::uint64_t no = choice();
    return condition ? yes : no;
  }

  std::uint64_t either() {
    std::uint64_t value = both();
    while (take("||")) value = (both() != 0) | (value != 0);
    return value;
  }

  std::uint64_t both() {
    std::uint64_t value = equal();
    while (take("&&")) value = (equal() != 0) & (value != 0);
    return value;
  }

  std::uint64_t equal() {
    std::uint64_t value = order();
    while (true) {
      if (take("=="))
        value = value == order();
      else if (take("!="))
        value = value != order();
      else
        return value;
    }
  }

  std::uint64_t order() {
    std::uint64_t value = rest();
    while (true) {
      if (take("<="))
        value = value <= rest();
      else if (take(">="))
        value = value >= rest();
      else if (take("<"))
        value = value < rest();
      else if (take(">"))
        value = value > rest();
      else
        return value;
    }
  }

  std::uint64_t rest() {
    std::uint64_t value = atom();
    while (take("%")) {
      const std::uint64_t by = atom();
      value = by == 0 ? wrong() : value % by;
    }
    return value;
  }

  std::uint64_t atom() {
    if (++depth_ > kDeepest) return wrong();
    if (take("!")) return atom() == 0;
    if (take("n")) return n_;
    if (take("(")) {
      const std::uint64_t value = choice();
      return take(")") ? value : wrong();
    }
    return literal();
  }

  std::uint64_t literal() {
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (failed != std::errc{}) return wrong();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  static constexpr int kDeepest = 1000;

  std::string_view text_;
  std::uint64_t n_;
  int depth_ = 0;
  bool is_wrong_ = false;
};

// The value of "NAME=VALUE;" in the rule.
std::string value_called(std::string_view rule, std::string_view name) {
  const std::size_t at = rule.find(name);
  if (at == std::string_view::npos) return "";
  const std::size_t begin = at + name.size();
  return std::string(trimmed(rule.substr(begin, rule.find(';', begin) - begin)));
}

}  // namespace

PluralRule::PluralRule(std::string_view rule, std::string_view place)
    : expression_(value_called(rule, "plural=")) {
  const std::string forms = value_called(rule, "nplurals=");
  forms_ = forms.size() == 1 && is_digit(forms[0]) ? static_cast<std::size_t>(forms[0] - '0') : 0;
  for (std::uint64_t n = 0; n < kTried; ++n)
    if (const auto form = Evaluation(expression_, n).value(); !form || *form >= forms_)
      throw usage_error("{}: `Plural-Forms: {}` gives no form for {}; write it as GNU gettext does", place,
                        rule, n);
}

std::size_t PluralRule::form_of(std::uint64_t number) const {
  return Evaluation(expression_, number).value().value_or(0);
}

std::size_t PluralRule::form_of(std::string_view number) const {
  constexpr std::uint64_t kOfFractions = 2;
  const std::string digits = replaced(std::string(number), ",", "");
  std::uint64_t whole = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  const bool is_whole = failed == std::errc{} && end == digits.data() + digits.size();
  return form_of(is_whole ? whole : kOfFractions);
}

namespace {

std::set<std::size_t> slot_set(std::string_view text) {
  const std::vector<std::size_t> slots = slots_in(text);
  return {slots.begin(), slots.end()};
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// {2} or {2|a|b|c} with as many forms as the rule has.
bool is_well_formed(std::string_view slot, const PluralRule& rule) {
  const auto parts = parts_of(slot, '|');
  return parts.size() == 1 || parts.size() == 1 + rule.forms();
}

std::string fault_in_slots(std::string_view english, std::string_view translation, const PluralRule& rule) {
  for (std::size_t at = translation.find('{'); at != std::string_view::npos; at = translation.find('{', at)) {
    const std::size_t end = translation.find('}', at);
    if (end == std::string_view::npos) return "a { has no }";
    const std::string_view slot = translation.substr(at + 1, end - at - 1);
    if (!is_well_formed(slot, rule)) return fmt::format("{{{}}} must have {} forms", slot, rule.forms());
    at = end;
  }
  const std::set<std::size_t> wanted = slot_set(english), named = slot_set(translation);
  for (const std::size_t slot : wanted)
    if (!named.contains(slot)) return fmt::format("{{{}}} is missing", slot);
  for (const std::size_t slot : named)
    if (!wanted.contains(slot)) return fmt::format("the English text has no {{{}}}", slot);
  return "";
}

// {count:byte|bytes} has as many forms as the rule has.
std::string fault_in_forms(std::string_view translation, const PluralRule& rule) {
  for (std::size_t at = translation.find('{'); at != std::string_view::npos;
       at = translation.find('{', at + 1)) {
    const std::string_view slot = translation.substr(at, translation.find('}', at) - at);
    const auto bars = static_cast<std::size_t>(std::ranges::count(slot, '|'));
    if (bars > 0 && bars + 1 != rule.forms())
      return fmt::format("{}}} must have {} forms", slot, rule.forms());
  }
  return "";
}

// The texts between the slots of a key: one more than it has slots.
std::vector<std::string_view> literals_of(std::string_view key) {
  std::vector<std::string_view> literals;
  std::size_t begin = 0;
  for (std::size_t at = key.find('{'); at != std::string_view::npos; at = key.find('{', begin)) {
    literals.push_back(key.substr(begin, at - begin));
    begin = std::min(key.find('}', at), key.size() - 1) + 1;
  }
  literals.push_back(key.substr(begin));
  return literals;
}

// Behind the `code` that begins there; there itself where none does.
std::size_t end_of_code(std::string_view text, std::size_t begin) {
  const bool is_code = begin < text.size() && text[begin] == '`';
  const std::size_t end = is_code ? text.find('`', begin + 1) : std::string_view::npos;
  return end == std::string_view::npos ? begin : end + 1;
}

// What stands between the literals in the sentence, which begins and ends with the first and the last of
// them; nothing where it does not fit. A slot is as short as it can be; of two neighbours, the first is a
// span of code, or else empty.
std::optional<std::vector<std::string>> slots_between(const std::vector<std::string_view>& literals,
                                                      std::string_view sentence) {
  if (!sentence.starts_with(literals.front()) || !sentence.ends_with(literals.back())) return std::nullopt;
  std::vector<std::string> slots;
  std::size_t begin = literals.front().size();
  for (std::size_t i = 1; i < literals.size(); ++i) {
    const bool is_last = i + 1 == literals.size();
    const std::size_t at = is_last               ? sentence.size() - literals[i].size()
                           : literals[i].empty() ? end_of_code(sentence, begin)
                                                 : sentence.find(literals[i], begin);
    if (at == std::string_view::npos || at < begin) return std::nullopt;
    slots.emplace_back(sentence.substr(begin, at - begin));
    begin = at + literals[i].size();
  }
  return begin == sentence.size() ? std::optional(slots) : std::nullopt;
}

}  // namespace

// A translation of a message names the slots of the English text.
std::string fault_in_message(const PoEntry& entry, const PluralRule& rule, const std::string& translation) {
  const std::vector<std::string> wanted = slot_names(entry.english), named = slot_names(translation);
  for (const std::string& slot : wanted)
    if (std::ranges::find(named, slot) == named.end()) return fmt::format("{{{}}} is missing", slot);
  for (const std::string& slot : named)
    if (std::ranges::find(wanted, slot) == wanted.end())
      return fmt::format("the English text has no {{{}}}", slot);
  return fault_in_forms(translation, rule);
}

std::string fault_of(const PoEntry& entry, const PluralRule& rule) {
  const std::size_t forms = entry.plural.empty() ? 1 : rule.forms();
  if (entry.translations.size() != forms) return fmt::format("it needs {} plural forms", forms);
  if (!entry.id.empty()) {
    for (const std::string& translation : entry.translations)
      if (std::string fault = fault_in_message(entry, rule, translation); !fault.empty()) return fault;
    return "";
  }
  for (const std::string& translation : entry.translations)
    if (std::string fault = fault_in_slots(entry.english, translation, rule); !fault.empty()) return fault;
  return "";
}

PluralRule plural_rule_of(const PoFile& file, std::string_view place) {
  const auto rule = file.header.find("Plural-Forms");
  if (rule == file.header.end())
    throw usage_error("{}: its header has no Plural-Forms; `cudalab author texts` writes one", place);
  return PluralRule(rule->second, place);
}

void Catalog::add(const PoFile& file, std::string_view place) {
  plurals_ = plural_rule_of(file, place);
  for (const PoEntry& entry : file.entries)
    if (entry.is_translated() && fault_of(entry, plurals_).empty()) {
      if (!entry.id.empty()) {
        messages_.try_emplace(entry.id, entry.translations);
        continue;
      }
      translations_.try_emplace(entry.english, entry.translations);
      if (entry.reference == kSentences) formats_.push_back(entry.english);
    }
}

const std::vector<std::string>* Catalog::find(std::string_view key) const {
  const auto found = translations_.find(key);
  return found == translations_.end() ? nullptr : &found->second;
}

const std::vector<std::string>* Catalog::find_message(std::string_view id) const {
  const auto found = messages_.find(id);
  return found == messages_.end() ? nullptr : &found->second;
}

Catalog::Match Catalog::match(std::string_view sentence) const {
  Match best;
  std::size_t most = 0;
  for (const std::string& format : formats_) {
    const std::vector<std::string_view> literals = literals_of(format);
    auto slots = slots_between(literals, sentence);
    const std::size_t fixed = format.size() - 3 * (literals.size() - 1);
    if (!slots || fixed <= most) continue;
    most = fixed;
    best = {&find(format)->front(), *std::move(slots)};
  }
  return best;
}

std::string filled(std::string_view translation, std::span<const std::string> slots,
                   const PluralRule& plurals) {
  std::string text;
  for (std::size_t at = 0; at < translation.size();) {
    const std::size_t begin = std::min(translation.find('{', at), translation.size());
    text += translation.substr(at, begin - at);
    if (begin == translation.size()) break;
    const std::size_t end = std::min(translation.find('}', begin), translation.size());
    const auto parts = parts_of(translation.substr(begin + 1, end - begin - 1), '|');
    const std::size_t number = slots_in(translation.substr(begin, end - begin)).front();
    const std::string slot = number > 0 && number <= slots.size() ? slots[number - 1] : "";
    const std::size_t form = 1 + plurals.form_of(std::string_view(slot));
    text += form < parts.size() ? parts[form] : std::string_view(slot);
    at = end + 1;
  }
  return text;
}

}  // namespace cudalab
