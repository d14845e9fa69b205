// The translations of one language, by the English text.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/plural_rule.h"
#include "core/languages/po_file.h"

namespace cudalab {

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

  const PluralRule& plurals() const { return plurals_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> translations_;
  PluralRule plurals_;
};

// A translation with its slots filled in: {2} is the second; {2|sector|sectors} is the form that stands with
// the second's number.
std::string filled(std::string_view translation, std::span<const std::string> slots,
                   const PluralRule& plurals);

}  // namespace cudalab
