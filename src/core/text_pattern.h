// Regular expressions (ECMAScript), compiled in one place because the standard templates compile slowly.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab {

// Regular expressions (ECMAScript). The standard templates take seconds to compile, so only text_pattern.cpp
// includes them.

struct TextMatch {
  std::vector<std::string> groups;  // the match, then each capture group, empty if unused
  std::string before, behind;       // the text before and after the whole match
};

class TextPattern {
 public:
  explicit TextPattern(const char* expression);
  ~TextPattern();

  std::optional<TextMatch> fits(std::string_view text) const;  // matches the whole text only
  std::optional<TextMatch> first_in(std::string_view text) const;
  std::vector<TextMatch> all_in(std::string_view text) const;

  // `with` may contain "$1" for the first capture group.
  std::string replace_first(std::string_view text, const std::string& with) const;
  std::string replace_all(std::string_view text, const std::string& with) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace cudalab
