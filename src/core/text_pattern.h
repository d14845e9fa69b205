// Regular expressions (ECMAScript), compiled in one place because the standard templates compile slowly.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab {

// Regular expressions (ECMAScript's). The library's are templates that take seconds to compile: they are, in
// one source alone.

struct TextMatch {
  std::vector<std::string> groups;  // the whole, then each pair of parentheses: empty where it took no part
  std::string before, behind;       // what stands around the whole
};

class TextPattern {
 public:
  explicit TextPattern(const char* expression);
  ~TextPattern();

  std::optional<TextMatch> fits(std::string_view text) const;  // from end to end
  std::optional<TextMatch> first_in(std::string_view text) const;
  std::vector<TextMatch> all_in(std::string_view text) const;

  // With "$1" for the first pair of parentheses.
  std::string replace_first(std::string_view text, const std::string& with) const;
  std::string replace_all(std::string_view text, const std::string& with) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace cudalab
