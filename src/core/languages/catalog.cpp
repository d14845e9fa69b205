// Keeps translations, and puts numbers and code back into them.
#include "core/languages/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/languages/units.h"

namespace cudalab {
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

}  // namespace

std::string fault_of(const PoEntry& entry, const PluralRule& rule) {
  const std::size_t forms = entry.plural.empty() ? 1 : rule.forms();
  if (entry.translations.size() != forms) return fmt::format("it needs {} plural forms", forms);
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
    if (entry.is_translated() && fault_of(entry, plurals_).empty())
      translations_.try_emplace(entry.english, entry.translations);
}

const std::vector<std::string>* Catalog::find(std::string_view key) const {
  const auto found = translations_.find(key);
  return found == translations_.end() ? nullptr : &found->second;
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
