// The translations of one language: messages by id, texts of the course by the English text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/diagnostics/plural_rule.h"
#include "core/languages/po_file.h"

namespace cudalab {

// The fault of a translation in a sentence, or empty. A translation needs one text per plural form. It must
// use all slots of the English text and no others.
Message fault_of(const PoEntry& entry, const PluralRule& rule);

// The plural rule in the header of a file. Throws Error(kUsage) that names `place`.
PluralRule plural_rule_of(const PoFile& file, std::string_view place);

class Catalog {
 public:
  // Adds all translations without faults. If a text has two translations, the first one is kept. Throws
  // Error(kUsage) that names `place` if the header has no plural rule.
  void add(const PoFile& file, std::string_view place);

  // The translation of a key as in units.h; null if there is none. It has several forms if the text has a
  // plural.
  const std::vector<std::string>* find(std::string_view key) const;

  // The translation of a message by its id.
  const std::vector<std::string>* find_message(std::string_view id) const;

  const PluralRule& plurals() const { return plurals_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> translations_;
  std::map<std::string, std::vector<std::string>, std::less<>> messages_;  // by id
  PluralRule plurals_;
};

// A translation with its slots filled in: {2} is the second slot; {2|sector|sectors} is the plural form for
// the number in the second slot.
std::string filled(std::string_view translation, std::span<const std::string> slots,
                   const PluralRule& plurals);

}  // namespace cudalab
