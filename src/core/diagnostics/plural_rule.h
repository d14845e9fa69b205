// Selects the plural form that a number requires, by the Plural-Forms rule of a PO file (GNU gettext).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cudalab {

class PluralRule {
 public:
  PluralRule() = default;  // the English rule
  // `rule` is, for example, "nplurals=2; plural=n != 1;". Throws Error(kUsage) that names `place`.
  PluralRule(std::string_view rule, std::string_view place);

  std::size_t forms() const { return forms_; }
  std::size_t form_of(std::uint64_t number) const;
  // The form for a number in text form, such as "1,024". "1.5" and text that is not a number take the form
  // for 2.
  std::size_t form_of(std::string_view number) const;

 private:
  std::size_t forms_ = 2;
  std::string expression_ = "n != 1";
};

}  // namespace cudalab
