// Recognizes the parts of a kernel's source from its tokens, without a grammar: students' kernels need not
// compile.
#include "course/repair/kernel_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace cudalab::course {
namespace {

using compile::SourceToken;
using compile::TokenKind;

constexpr std::array<std::string_view, 22> kOperators{
    "<<<", ">>>", "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<",
    ">>",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "++", "--", "->"};

// Words that begin no expression and name no variable.
const std::set<std::string_view> kKeywords{
    "if",        "else",       "for",        "while",      "do",           "return",
    "break",     "continue",   "const",      "unsigned",   "int",          "float",
    "double",    "long",       "short",      "char",       "bool",         "size_t",
    "void",      "extern",     "static",     "volatile",   "struct",       "template",
    "typename",  "using",      "sizeof",     "true",       "false",        "auto",
    "constexpr", "__shared__", "__global__", "__device__", "__restrict__", "__host__",
    "switch",    "case",       "default",    "goto",       "signed",       "inline",
    "namespace", "class",      "operator",   "new",        "delete",       "nullptr",
    "this",      "register",   "asm",        "union",      "enum",         "__forceinline__"};

bool is_operator(std::string_view text) { return std::ranges::find(kOperators, text) != kOperators.end(); }

}  // namespace

KernelSource::KernelSource(std::string_view text) : text_(text) {
  for (const SourceToken& token : compile::tokens_of(text_))
    token.kind == TokenKind::kDirective ? find_constant(token) : join(token);
  find_bodies();
  find_variables();
}

// `#define TILE 16` is a variable as far as edits are concerned.
void KernelSource::find_constant(const SourceToken& directive) {
  const std::vector<SourceToken> words = compile::tokens_of(directive.text.substr(1));
  constexpr std::size_t kWords = 3;  // define, the name and its value
  if (words.size() != kWords || words[0].text != "define" || words[2].kind != TokenKind::kText) return;
  const bool is_whole = words[2].text.find_first_of(".\"'") == std::string_view::npos;
  types_.emplace(words[1].text, is_whole ? "int" : "float");
  scalars_.push_back({words[1].text, is_whole, 0, std::string_view::npos});
}

// Joins adjacent one-character tokens to operators.
void KernelSource::join(const SourceToken& token) {
  if (token.kind == TokenKind::kMark && !tokens_.empty()) {
    SourceToken& last = tokens_.back();
    const std::string_view both = text_.substr(last.begin, token.end() - last.begin);
    if (last.kind == TokenKind::kMark && last.end() == token.begin && is_operator(both)) {
      last.text = both;
      return;
    }
  }
  tokens_.push_back(token);
}

void KernelSource::find_bodies() {
  in_body_.resize(tokens_.size());
  int depth = 0, parentheses = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string_view text = tokens_[i].text;
    if (text == "}") --depth;
    in_body_[i] = depth > 0;
    if (text == "(") ++parentheses;
    if (text == ")") --parentheses;
    if (text == "{") ++depth;
    if (text == "{" || text == "}") begin = i + 1;
    if (text == ";" && parentheses == 0 && depth > 0) {
      statements_.push_back({skipped_heads(begin, i), i});
      begin = i + 1;
    }
  }
}

// Skips leading `if (…)`, `for (…)`, `else` and the like.
std::size_t KernelSource::skipped_heads(std::size_t begin, std::size_t end) const {
  while (begin < end) {
    const std::string_view text = tokens_[begin].text;
    if (text == "else" || text == "do") {
      ++begin;
    } else if ((text == "if" || text == "for" || text == "while") && begin + 1 < end &&
               at(begin + 1) == "(") {
      begin = closing(begin + 1) + 1;
    } else {
      break;
    }
  }
  return std::min(begin, end);
}

std::size_t KernelSource::closing(std::size_t open) const {
  int depth = 0;
  for (std::size_t i = open; i < tokens_.size(); ++i) {
    if (at(i) == "(" || at(i) == "[") ++depth;
    if ((at(i) == ")" || at(i) == "]") && --depth == 0) return i;
  }
  return tokens_.size() - 1;
}

std::string_view KernelSource::at(std::size_t i) const {
  return i < tokens_.size() ? tokens_[i].text : std::string_view();
}

bool KernelSource::is_word(std::size_t i) const {
  return i < tokens_.size() && tokens_[i].kind == TokenKind::kWord;
}

bool KernelSource::is_name(std::size_t i) const { return is_word(i) && !kKeywords.contains(at(i)); }

bool KernelSource::is_number(std::size_t i) const {
  return i < tokens_.size() && tokens_[i].kind == TokenKind::kText && !at(i).empty() &&
         (std::isdigit(static_cast<unsigned char>(at(i).front())) || at(i).front() == '.');
}

bool KernelSource::is_character(std::size_t i) const {
  return i < tokens_.size() && tokens_[i].kind == TokenKind::kText && at(i).starts_with('\'');
}

bool KernelSource::ends_operand(std::size_t i) const {
  return is_name(i) || is_number(i) || is_character(i) || at(i) == ")" || at(i) == "]" || at(i) == "true" ||
         at(i) == "false";
}

bool KernelSource::is_type_word(std::string_view text) {
  static const std::set<std::string_view> words{"int",  "unsigned", "size_t", "float", "double",
                                                "long", "short",    "char",   "bool",  "TYPE"};
  return words.contains(text);
}

// Finds declarations: TYPE NAME, TYPE* NAME, and further names after commas.
void KernelSource::find_variables() {
  std::string type;
  int depth = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string_view text = at(i);
    if (text == "(") ++depth;
    if (text == ")") --depth;
    if (text == ";" || text == "{" || text == "}") type.clear();
    if (is_type_word(text) && at(i + 1) != "(") {
      type = text == "size_t" || text == "long" || text == "unsigned" ? "int" : std::string(text);
      if (text == "unsigned" && is_type_word(at(i + 1))) continue;
    } else if ((text == "*" || text == "&") && !type.empty() && i > 0 && is_type_word(at(i - 1))) {
      type += '*';
    } else if (is_name(i) && !type.empty() && declares(i)) {
      types_.emplace(text, type);
      if (at(i + 1) != "[" && !type.ends_with("*"))
        scalars_.push_back({text, type == "int", i, scope_end(i)});
    }
  }
}

// The end of the enclosing block; for a loop variable or a parameter, of that loop or function.
std::size_t KernelSource::scope_end(std::size_t declared) const {
  std::size_t i = declared;
  int parentheses = 0;
  while (i > 0 && at(i) != ";" && at(i) != "{" && at(i) != "}" && parentheses <= 0) {
    --i;
    if (at(i) == "(") ++parentheses;
    if (at(i) == ")") --parentheses;
  }
  const bool is_in_head = parentheses > 0;
  std::size_t at_end = is_in_head ? closing(i) + 1 : declared;
  if (is_in_head && at(at_end) != "{") return next(at_end, ";");
  int depth = 0;
  for (; at_end < tokens_.size(); ++at_end) {
    if (at(at_end) == "{") ++depth;
    if (at(at_end) == "}" && --depth < (is_in_head ? 1 : 0)) return at_end;
  }
  return at_end;
}

std::size_t KernelSource::next(std::size_t i, std::string_view text) const {
  while (i < tokens_.size() && at(i) != text) ++i;
  return i;
}

std::vector<KernelSource::Scalar> KernelSource::scalars_at(std::size_t i) const {
  std::vector<Scalar> found;
  for (const Scalar& scalar : scalars_)
    if (scalar.from < i && i < scalar.to) found.push_back(scalar);
  return found;
}

bool KernelSource::declares(std::size_t i) const {
  const std::string_view before = i > 0 ? at(i - 1) : "", behind = at(i + 1);
  const bool is_pointer = (before == "*" || before == "&") && i > 1 &&
                          (is_type_word(at(i - 2)) || at(i - 2) == "*" || at(i - 2) == "const");
  const bool is_first = is_type_word(before) || is_pointer || before == "__restrict__";
  return (is_first || before == ",") &&
         (behind == "=" || behind == ";" || behind == "," || behind == ")" || behind == "[" || behind == ">");
}

bool KernelSource::is_in_expression(std::size_t i) const {
  for (; i > 0 && at(i) != ";" && at(i) != "{" && at(i) != "}"; --i)
    if (at(i) == "=" || at(i) == "+=" || at(i) == "return") return true;
  return false;
}

bool KernelSource::is_whole_number(std::size_t i) const {
  return is_number(i) && at(i).find_first_of(".eE") == std::string_view::npos && !at(i).starts_with("0x");
}

bool KernelSource::is_array(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
    if (at(i) == name && at(i + 1) == "[" && declares(i)) return true;
  return false;
}

std::vector<KernelSource::Scalar> KernelSource::few_scalars_at(std::size_t i, bool is_whole) const {
  constexpr std::size_t kFewScalars = 4;
  std::vector<Scalar> found = scalars_at(i);
  std::erase_if(found, [&](const Scalar& scalar) {
    return scalar.is_whole != is_whole || types_.at(scalar.name) == "bool" || scalar.name == at(i);
  });
  if (found.size() > kFewScalars) found.erase(found.begin(), found.end() - kFewScalars);
  return found;
}

std::string KernelSource::between(std::size_t first, std::size_t last) const {
  return std::string(text_.substr(tokens_[first].begin, tokens_[last].end() - tokens_[first].begin));
}

bool KernelSource::is_expression(const Statement& statement) const {
  return statement.begin < statement.end && (is_name(statement.begin) || at(statement.begin) == "*") &&
         !is_name(statement.begin + 1);
}

bool KernelSource::is_store(const Statement& statement) const {
  for (std::size_t i = statement.begin; i < statement.end; ++i)
    if (at(i) == "=" || at(i) == "+=") return at(statement.begin + 1) == "[";
  return false;
}

}  // namespace cudalab::course
