// Splits CUDA C++ source into tokens, and these into declarations and definitions, by punctuation alone.
#include "compile/sources/source_parts.h"

#include <algorithm>
#include <string>
#include <utility>

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

  // Skips to the `#else`, `#elif` or `#endif` of the branch.
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
  int line_ = 1;  // the line of the position `counted_`
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

namespace {

// Words followed by parentheses that do not contain parameters.
const Words kAttributes{"__launch_bounds__",
                        "__maxnreg__",
                        "__cluster_dims__",
                        "__block_size__",
                        "__align__",
                        "alignas",
                        "__attribute__",
                        "__declspec",
                        "decltype",
                        "noexcept",
                        "explicit",
                        "requires",
                        "sizeof"};
constexpr int kDeepest =
    200;  // nested namespaces and classes: more is unrealistic, and the recursion must stay bounded

class PartFinder {
 public:
  PartFinder(const Tokens& tokens, const Words& macros) : tokens_(tokens), macros_(macros) {}

  std::vector<Part> find() {
    if (scope(0, false) != tokens_.size()) throw Unbalanced{};
    return std::move(parts_);
  }

 private:
  // scope = { namespace | 'extern "C" {' scope '}' | access ':' | part }; returns the index of its `}`.
  std::size_t scope(std::size_t at, bool in_class) {
    while (at < tokens_.size() && !is(at, "}")) {
      if (kind(at) == TokenKind::kDirective || is(at, ";"))
        ++at;
      else if (in_class && is(at + 1, ":") && (is(at, "public") || is(at, "private") || is(at, "protected")))
        at += 2;
      else if (is(at, "namespace") || (is(at, "inline") && is(at + 1, "namespace")))
        at = name_space(at);
      else if (is(at, "extern") && kind(at + 1) == TokenKind::kText && is(at + 2, "{"))
        at = after_scope(at + 2, false);
      else
        at = part(at, in_class);
    }
    return at;
  }

  std::size_t after_scope(std::size_t open, bool in_class) {
    if (++depth_ > kDeepest) throw Unbalanced{};
    const std::size_t close = scope(open + 1, in_class);
    if (close >= tokens_.size()) throw Unbalanced{};
    --depth_;
    return close + 1;
  }

  std::size_t name_space(std::size_t at) {
    const std::string outer = prefix_;
    for (; at < tokens_.size() && !is(at, "{") && !is(at, ";"); ++at)
      if (kind(at) == TokenKind::kWord && !is(at, "namespace") && !is(at, "inline"))
        prefix_ += std::string(tokens_[at].text) + "::";
    if (is(at, "{")) at = after_scope(at, false);
    prefix_ = outer;
    return at;
  }

  std::size_t part(std::size_t first, bool in_class) {
    Part part;
    part.first = first;
    part.in_class = in_class;
    std::size_t at = first;
    bool is_class = false;
    if (is(at, "template") && is(at + 1, "<")) at = template_head(at + 1, part);
    bool is_named = is(at, "using");
    for (; at < tokens_.size(); ++at) {
      if (is(at, ";")) return finish(part, at + 1);
      if (is(at, "}")) return finish(part, at);  // a semicolon is missing
      if (is(at, "=") && !is(at - 1, "operator")) part.has_value = true;
      is_named |=
          is(at, ",") || is_single_colon(at) || part.has_value || part.parameters != 0 || part.body != 0;
      if (is(at, "[")) at = match(at);
      if (is(at, "(")) {
        note_parentheses(at, part);
        at = match(at);
        if (ends_macro_call(at, part)) return finish(part, at + 1);
      } else if (is(at, "{")) {
        if (part.parameters != 0 && !part.has_value && !continues_after(match(at)))
          return finish_function(part, at);
        at = is_class && !part.has_value && part.parameters == 0 ? class_body(at, part) : match(at);
      } else if (part.parameters == 0 && is_class_key(text(at))) {
        is_class = !is(at, "enum");
      } else if (!is_named && kind(at) == TokenKind::kWord) {
        part.name = text(at);
      }
    }
    return finish(part, at);
  }

  // The members of a class become separate parts; the class itself ends at its semicolon.
  std::size_t class_body(std::size_t open, Part& part) {
    part.body = open;
    const std::string outer = prefix_;
    prefix_ += part.name + "::";
    const std::size_t after = after_scope(open, true);
    prefix_ = outer;
    part.declarators = after;
    return after - 1;
  }

  bool is_single_colon(std::size_t at) const { return is(at, ":") && !is(at - 1, ":") && !is(at + 1, ":"); }

  // `a{1}, b{2} { … }`: braces that initialise members before a constructor's body.
  bool continues_after(std::size_t close) const { return is(close + 1, ",") || is(close + 1, "{"); }

  void note_parentheses(std::size_t open, Part& part) const {
    if (part.parameters != 0 || part.has_value || open == part.first) return;
    if (is(open + 1, "*") || is(open + 1, "&") || is(open + 1, "^")) return;  // a pointer to a function
    const bool names_operator = preceded_by_operator(open);
    const std::size_t name = before_template_arguments(open - 1, part.first);
    if (!names_operator && (kind(name) != TokenKind::kWord || kAttributes.contains(text(name)))) return;
    if (is(open - 1, "operator")) return;  // operator()(…): the parameters follow
    part.parameters = open;
    part.name = names_operator ? "operator" : std::string(text(name));
    part.is_macro_call = open - 1 == part.first;
  }

  // The index of `launch` in `launch<float, 2>`, whose last token is at `last`; else `last` itself.
  std::size_t before_template_arguments(std::size_t last, std::size_t first) const {
    int depth = 0;
    for (std::size_t at = last; at > first; --at) {
      depth += is(at, ">") ? 1 : is(at, "<") ? -1 : 0;
      if (depth == 0) return at == last ? last : at - 1;
    }
    return last;
  }

  bool preceded_by_operator(std::size_t open) const {
    for (std::size_t back = 1; back <= 4 && back <= open; ++back) {
      if (is(open - back, "operator")) return back > 1;
      if (is(open - back, ";") || is(open - back, "{") || is(open - back, "}")) return false;
    }
    return false;
  }

  // MACRO(…) without a semicolon, if the file defines that macro.
  bool ends_macro_call(std::size_t close, const Part& part) const {
    if (!part.is_macro_call || part.parameters == 0 || !macros_.contains(part.name)) return false;
    return close + 1 >= tokens_.size() || kind(close + 1) == TokenKind::kWord ||
           kind(close + 1) == TokenKind::kDirective;
  }

  std::size_t template_head(std::size_t open, Part& part) const {
    int depth = 0;
    for (std::size_t at = open; at < tokens_.size(); ++at) {
      if (is(at, "(")) at = match(at);
      depth += is(at, "<") ? 1 : is(at, ">") ? -1 : 0;
      if (depth != 0) continue;
      part.template_parameters = joined(open + 1, at);
      return at + 1;
    }
    throw Unbalanced{};
  }

  std::size_t finish_function(Part& part, std::size_t open) {
    part.body = open;
    return finish(part, match(open) + 1);
  }

  std::size_t finish(Part& part, std::size_t last) {
    part.last = last;
    part.name = prefix_ + part.name;
    parts_.push_back(std::move(part));
    return last;
  }

  // The index of the bracket that matches the one at `open`. All branches of a preprocessor conditional begin
  // at the same depth.
  std::size_t match(std::size_t open) const {
    const std::string_view opening = text(open), closing = opening == "(" ? ")" : opening == "[" ? "]" : "}";
    std::vector<int> depths;
    int depth = 0;
    for (std::size_t at = open; at < tokens_.size(); ++at) {
      if (kind(at) == TokenKind::kDirective) {
        at = follow_conditional(at, depths, depth);
        continue;
      }
      depth += is(at, opening) ? 1 : is(at, closing) ? -1 : 0;
      if (depth == 0) return depths.empty() ? at : last_of_branches(at);
    }
    throw Unbalanced{};
  }

  // If every branch closes the bracket, the bracket in the last branch is returned.
  std::size_t last_of_branches(std::size_t at) const {
    std::size_t last = end_of_conditional(at);
    while (last > at && kind(last) == TokenKind::kDirective) --last;
    return last;
  }

  // If the opening bracket is inside a branch, the following branches are skipped.
  std::size_t follow_conditional(std::size_t at, std::vector<int>& depths, int& depth) const {
    const std::string_view name = directive_name(tokens_[at]);
    if (name.starts_with("if")) depths.push_back(depth);
    if (name.starts_with("el") && depths.empty()) return end_of_conditional(at);
    if (name.starts_with("el")) depth = depths.back();
    if (name == "endif" && !depths.empty()) depths.pop_back();
    return at;
  }

  std::size_t end_of_conditional(std::size_t at) const {
    int depth = 1;
    while (depth > 0 && ++at < tokens_.size()) {
      if (kind(at) != TokenKind::kDirective) continue;
      const std::string_view name = directive_name(tokens_[at]);
      depth += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
    }
    if (depth > 0) throw Unbalanced{};
    return at;
  }

  std::string joined(std::size_t first, std::size_t last) const {
    return text_of(std::span(tokens_).subspan(first, last - first));
  }

  TokenKind kind(std::size_t at) const { return at < tokens_.size() ? tokens_[at].kind : TokenKind::kMark; }
  std::string_view text(std::size_t at) const {
    return at < tokens_.size() ? tokens_[at].text : std::string_view();
  }
  bool is(std::size_t at, std::string_view wanted) const { return text(at) == wanted; }

  const Tokens& tokens_;
  const Words& macros_;
  std::string prefix_;  // "physics::"
  int depth_ = 0;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Part> parts_of(const Tokens& tokens, const Words& macros) {
  return PartFinder(tokens, macros).find();
}

bool is_attribute(std::string_view word) { return kAttributes.contains(word); }

bool is_class_key(std::string_view word) {
  return word == "struct" || word == "class" || word == "union" || word == "enum";
}

std::string text_of(std::span<const SourceToken> tokens) {
  std::string text;
  std::size_t end = tokens.empty() ? 0 : tokens.front().begin;
  for (const SourceToken& token : tokens) {
    if (token.kind == TokenKind::kDirective) continue;
    if (token.begin > end && !text.empty()) text += ' ';
    text += token.text;
    end = token.end();
  }
  return text;
}

}  // namespace cudalab::compile
