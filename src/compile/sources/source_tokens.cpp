// The lexical rules of C++ that matter for finding where functions begin and end.
#include "compile/sources/source_tokens.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "core/text.h"

namespace cudalab::compile {
namespace {

class Cutter {
 public:
  explicit Cutter(std::string_view source) : source_(source) {}

  std::vector<SourceToken> cut() {
    while (at_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = source_[at_];
    if (c == '\n') line_is_empty_ = true;
    if (kBlanks.find(c) != std::string_view::npos) {
      ++at_;
    } else if (starts("//")) {
      at_ = end_of_continued(at_);
    } else if (starts("/*")) {
      at_ = after("*/", at_ + 2);
    } else if (c == '#' && line_is_empty_) {
      directive();
    } else {
      line_is_empty_ = false;
      token(c);
    }
  }

  void token(char c) {
    if (c == '"' || c == '\'') return add(TokenKind::kText, after_quotes(at_));
    if (is_digit(c)) return add(TokenKind::kText, after_number(at_));
    if (!is_word_start(c)) return add(TokenKind::kMark, at_ + 1);
    const std::size_t end = after_word(at_);
    const bool raw = source_[end - 1] == 'R' && end - at_ <= 3 && end < source_.size() && source_[end] == '"';
    if (raw) return add(TokenKind::kText, after_raw_string(end));
    add(TokenKind::kWord, end);
  }

  void add(TokenKind kind, std::size_t end) {
    end = std::min(end, source_.size());
    line_ += static_cast<int>(
        std::count(source_.begin() + counted_, source_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    counted_ = static_cast<std::ptrdiff_t>(at_);
    tokens_.push_back({kind, source_.substr(at_, end - at_), at_, line_});
    at_ = end;
  }

  void directive() {
    add(TokenKind::kDirective, end_of_continued(at_));
    const SourceToken& line = tokens_.back();
    if (directive_name(line) == "if" && directive_rest(line) == "0") skip_branch();
  }

  // To the `#else`, `#elif` or `#endif` of the branch.
  void skip_branch() {
    int depth = 0;
    while (at_ < source_.size()) {
      const std::size_t end = end_of_continued(at_);
      const std::string_view line = trimmed(source_.substr(at_, end - at_));
      if (line.starts_with('#')) {
        const std::string_view name = directive_name({TokenKind::kDirective, line, 0, 0});
        if (depth == 0 && (name == "endif" || name == "else" || name == "elif")) return;
        depth += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
      }
      at_ = std::min(end + 1, source_.size());
    }
  }

  bool starts(std::string_view with) const { return source_.substr(at_, with.size()) == with; }
  std::size_t end_of_line(std::size_t from) const {
    return std::min(source_.find('\n', from), source_.size());
  }
  std::size_t after(std::string_view mark, std::size_t from) const {
    const std::size_t found = source_.find(mark, from);
    return found == std::string_view::npos ? source_.size() : found + mark.size();
  }
  std::size_t end_of_continued(std::size_t from) const {
    std::size_t end = end_of_line(from);
    while (end < source_.size() && trimmed(source_.substr(from, end - from)).ends_with('\\'))
      end = end_of_line(end + 1);
    return end;
  }
  std::size_t after_word(std::size_t from) const {
    while (from < source_.size() && is_word(source_[from])) ++from;
    return from;
  }
  // 1'000, 0x1p-3, 1.5e+3f
  std::size_t after_number(std::size_t from) const {
    for (; from < source_.size(); ++from) {
      const char c = source_[from];
      const bool sign = (c == '+' || c == '-') && std::string_view("eEpP").find(source_[from - 1]) < 4;
      const bool separator = c == '\'' && from + 1 < source_.size() && is_word(source_[from + 1]);
      if (!is_word(c) && c != '.' && !sign && !separator) break;
    }
    return from;
  }
  std::size_t after_quotes(std::size_t from) const {
    const char quote = source_[from];
    for (std::size_t at = from + 1; at < source_.size(); ++at) {
      if (source_[at] == '\\')
        ++at;
      else if (source_[at] == quote)
        return at + 1;
      else if (source_[at] == '\n')
        return at;
    }
    return source_.size();
  }
  // R"MARK( … )MARK"
  std::size_t after_raw_string(std::size_t quote) const {
    const std::size_t open = source_.find('(', quote);
    if (open == std::string_view::npos) return source_.size();
    return after(")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"", open);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;  // of the place `counted_`
  std::ptrdiff_t counted_ = 0;
  bool line_is_empty_ = true;
  std::vector<SourceToken> tokens_;
};

}  // namespace

std::vector<SourceToken> tokens_of(std::string_view source) { return Cutter(source).cut(); }

std::string_view directive_name(const SourceToken& directive) {
  const std::string_view text = trimmed(directive.text.substr(1));
  std::size_t end = 0;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(0, end);
}

std::string_view directive_rest(const SourceToken& directive) {
  const std::string_view text = trimmed(directive.text.substr(1));
  const std::string_view rest = text.substr(directive_name(directive).size());
  return trimmed(rest.substr(0, std::min(rest.find("//"), rest.find("/*"))));
}

}  // namespace cudalab::compile
