// The translations of one language: of messages by their id, of the course's texts by the English text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/plural_rule.h"
#include "core/languages/po_file.h"

namespace cudalab {

// The reference of an entry whose text is a format that sentences are made from elsewhere.
inline constexpr const char* kSentences = "sentences.json";

// What is wrong with a translation, in a sentence; empty where nothing is: it must have one text a plural
// form, name every slot of the English text, and no other.
std::string fault_of(const PoEntry& entry, const PluralRule& rule);

// The rule of a file's header. Throws Error(kUsage) that names `place`.
PluralRule plural_rule_of(const PoFile& file, std::string_view place);

class Catalog {
 public:
  // Takes what is translated and has no fault; of two translations of one text the first stays. Throws
  // Error(kUsage) that names `place` for a header without a rule of plurals.
  void add(const PoFile& file, std::string_view place);

  // Of a key of units.h; null where it lacks. `forms` counts more than one where the text has a plural.
  const std::vector<std::string>* find(std::string_view key) const;

  // Of a message, by its id.
  const std::vector<std::string>* find_message(std::string_view id) const;

  // A sentence that was made from a format elsewhere, as an error's: the translation of the format that it
  // fits best, and what stands in the format's slots. Only the formats of languages/sentences.json are tried.
  struct Match {
    const std::string* translation = nullptr;  // null: it fits none
    std::vector<std::string> slots;
  };
  Match match(std::string_view sentence) const;

  const PluralRule& plurals() const { return plurals_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> translations_;
  std::map<std::string, std::vector<std::string>, std::less<>> messages_;  // by id
  std::vector<std::string> formats_;  // keys of those that sentences are made from
  PluralRule plurals_;
};

// A translation with its slots filled in: {2} is the second; {2|sector|sectors} is the form that stands with
// the second's number.
std::string filled(std::string_view translation, std::span<const std::string> slots,
                   const PluralRule& plurals);

}  // namespace cudalab
