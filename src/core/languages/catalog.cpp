// Stores translations and inserts numbers and code into them.
#include "core/languages/catalog.h"

#include <algorithm>
#include <set>

#include "core/diagnostics/rendering.h"
#include "core/error.h"
#include "core/languages/units.h"
#include "core/text.h"
#include "messages/core.h"

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

// Whether a slot has the form {2} or {2|a|b|c} with one word per plural form.
bool is_well_formed(std::string_view slot, const PluralRule& rule) {
  const auto parts = parts_of(slot, '|');
  return parts.size() == 1 || parts.size() == 1 + rule.forms();
}

Message fault_in_slots(std::string_view english, std::string_view translation, const PluralRule& rule) {
  for (std::size_t at = translation.find('{'); at != std::string_view::npos; at = translation.find('{', at)) {
    const std::size_t end = translation.find('}', at);
    if (end == std::string_view::npos) return msg::po_slot_open();
    const std::string_view slot = translation.substr(at + 1, end - at - 1);
    if (!is_well_formed(slot, rule)) return msg::po_slot_forms(slot, rule.forms());
    at = end;
  }
  const std::set<std::size_t> wanted = slot_set(english), named = slot_set(translation);
  for (const std::size_t slot : wanted)
    if (!named.contains(slot)) return msg::po_slot_missing(slot);
  for (const std::size_t slot : named)
    if (!wanted.contains(slot)) return msg::po_slot_unknown(slot);
  return {};
}

// Checks that {count:byte|bytes} has one word per plural form.
Message fault_in_forms(std::string_view translation, const PluralRule& rule) {
  for (std::size_t at = translation.find('{'); at != std::string_view::npos;
       at = translation.find('{', at + 1)) {
    const std::string_view slot = translation.substr(at + 1, translation.find('}', at) - at - 1);
    const auto bars = static_cast<std::size_t>(std::ranges::count(slot, '|'));
    if (bars > 0 && bars + 1 != rule.forms()) return msg::po_slot_forms(slot, rule.forms());
  }
  return {};
}

// Checks that a translation of a message uses exactly the slots of the English text.
Message fault_in_message(const PoEntry& entry, const PluralRule& rule, const std::string& translation) {
  const std::vector<std::string> wanted = slot_names(entry.english), named = slot_names(translation);
  for (const std::string& slot : wanted)
    if (std::ranges::find(named, slot) == named.end()) return msg::po_slot_missing(slot);
  for (const std::string& slot : named)
    if (std::ranges::find(wanted, slot) == wanted.end()) return msg::po_slot_unknown(slot);
  return fault_in_forms(translation, rule);
}

}  // namespace

Message fault_of(const PoEntry& entry, const PluralRule& rule) {
  const std::size_t forms = entry.plural.empty() ? 1 : rule.forms();
  if (entry.translations.size() != forms) return msg::po_translation_forms(forms);
  for (const std::string& translation : entry.translations) {
    Message fault = entry.id.empty() ? fault_in_slots(entry.english, translation, rule)
                                     : fault_in_message(entry, rule, translation);
    if (!fault.empty()) return fault;
  }
  return {};
}

PluralRule plural_rule_of(const PoFile& file, std::string_view place) {
  const auto rule = file.header.find("Plural-Forms");
  if (rule == file.header.end()) throw usage_error(msg::error_plural_forms_missing(place));
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
