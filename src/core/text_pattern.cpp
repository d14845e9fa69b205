// Regular expressions (ECMAScript), compiled in one place because the standard templates compile slowly.
#include "core/text_pattern.h"

#include <regex>

namespace cudalab {
namespace {

using Place = std::string_view::const_iterator;

TextMatch match_of(const std::match_results<Place>& found) {
  TextMatch match{{}, found.prefix().str(), found.suffix().str()};
  for (const auto& group : found) match.groups.push_back(group.str());
  return match;
}

}  // namespace

struct TextPattern::Compiled {
  std::regex regex;

  std::string replace(std::string_view text, const std::string& with,
                      std::regex_constants::match_flag_type flags) const {
    return std::regex_replace(std::string(text), regex, with, flags);
  }
};

TextPattern::TextPattern(const char* expression)
    : compiled_(std::make_unique<const Compiled>(Compiled{std::regex(expression)})) {}
TextPattern::~TextPattern() = default;

std::optional<TextMatch> TextPattern::fits(std::string_view text) const {
  std::match_results<Place> found;
  if (!std::regex_match(text.begin(), text.end(), found, compiled_->regex)) return std::nullopt;
  return match_of(found);
}

std::optional<TextMatch> TextPattern::first_in(std::string_view text) const {
  std::match_results<Place> found;
  if (!std::regex_search(text.begin(), text.end(), found, compiled_->regex)) return std::nullopt;
  return match_of(found);
}

std::vector<TextMatch> TextPattern::all_in(std::string_view text) const {
  std::vector<TextMatch> matches;
  for (std::regex_iterator<Place> at(text.begin(), text.end(), compiled_->regex), end; at != end; ++at)
    matches.push_back(match_of(*at));
  return matches;
}

std::string TextPattern::replace_first(std::string_view text, const std::string& with) const {
  return compiled_->replace(text, with, std::regex_constants::format_first_only);
}

std::string TextPattern::replace_all(std::string_view text, const std::string& with) const {
  return compiled_->replace(text, with, std::regex_constants::format_default);
}

}  // namespace cudalab
