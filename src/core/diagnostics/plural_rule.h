// Which form of a word stands with a number: the Plural-Forms of a PO file, as GNU gettext has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cudalab {

class PluralRule {
 public:
  PluralRule() = default;  // English's
  // "nplurals=2; plural=n != 1;" Throws Error(kUsage) that names `place`.
  PluralRule(std::string_view rule, std::string_view place);

  std::size_t forms() const { return forms_; }
  std::size_t form_of(std::uint64_t number) const;
  // Of a number as it is written: "1,024"; "1.5" takes the form of two, and so does what is no number.
  std::size_t form_of(std::string_view number) const;

 private:
  std::size_t forms_ = 2;
  std::string expression_ = "n != 1";
};

}  // namespace cudalab
