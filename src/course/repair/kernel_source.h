// A kernel's source as the generators of edits see it: tokens with multi-character operators, function
// bodies, statements, and variables with their types and scopes. Accepts any text; what cannot be recognized
// is absent.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile/sources/source_parts.h"

namespace cudalab::course {

// Numbers of tokens are positions in tokens(). Preprocessor lines have no tokens.
class KernelSource {
 public:
  // Tokens of a statement without leading `if (…)`, `for (…)` and `else`; `end` is its semicolon.
  struct Statement {
    std::size_t begin, end;
  };
  // A numeric variable, and the tokens between which it is in scope.
  struct Scalar {
    std::string_view name;
    bool is_whole;
    std::size_t from, to;
  };

  explicit KernelSource(std::string_view text);  // the text must outlive this

  std::string_view text() const { return text_; }
  std::size_t size() const { return tokens_.size(); }
  const compile::SourceToken& token(std::size_t i) const { return tokens_[i]; }
  // The token's text; empty after the last token.
  std::string_view at(std::size_t i) const;
  std::string between(std::size_t first, std::size_t last) const;  // including both
  bool is_in_body(std::size_t i) const { return in_body_[i]; }
  // The parenthesis or bracket that closes the one at `open`, or the last token.
  std::size_t closing(std::size_t open) const;

  bool is_name(std::size_t i) const;
  bool is_number(std::size_t i) const;
  bool is_whole_number(std::size_t i) const;
  static bool is_type_word(std::string_view text);
  // Whether an operand ends at this token. An operator after it is binary.
  bool ends_operand(std::size_t i) const;
  // Whether the token is in a statement that assigns, adds or returns a value.
  bool is_in_expression(std::size_t i) const;

  const std::vector<Statement>& statements() const { return statements_; }
  bool is_expression(const Statement& statement) const;
  bool is_store(const Statement& statement) const;

  // The types of variables and parameters by name; "int" for all integers, with "*" for pointers.
  const std::map<std::string_view, std::string>& types() const { return types_; }
  bool declares(std::size_t i) const;
  bool is_array(std::string_view name) const;
  std::vector<Scalar> scalars_at(std::size_t i) const;
  // The few variables of one kind (integer or not) that were declared last, without booleans and the name at
  // the token itself.
  std::vector<Scalar> few_scalars_at(std::size_t i, bool is_whole) const;

 private:
  bool is_word(std::size_t i) const;
  bool is_character(std::size_t i) const;  // 'a'
  void join(const compile::SourceToken& token);
  void find_constant(const compile::SourceToken& directive);
  void find_bodies();
  std::size_t skipped_heads(std::size_t begin, std::size_t end) const;
  void find_variables();
  std::size_t scope_end(std::size_t declared) const;
  std::size_t next(std::size_t i, std::string_view text) const;

  std::string_view text_;
  std::vector<compile::SourceToken> tokens_;
  std::vector<bool> in_body_;
  std::vector<Statement> statements_;
  std::vector<Scalar> scalars_;
  std::map<std::string_view, std::string> types_;
};

}  // namespace cudalab::course
