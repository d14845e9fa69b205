// Parses declarations of variables, with their initializers, and of registers.
#include <algorithm>
#include <array>
#include <bit>

#include "messages/ptx.h"
#include "ptx/lexer.h"
#include "ptx/parser.h"

namespace cudalab::ptx {
namespace {

struct SpaceName {
  std::string_view directive;
  Space space;
};
constexpr std::array<SpaceName, 7> kSpaces{{
    {".reg", Space::kReg},
    {".const", Space::kConst},
    {".global", Space::kGlobal},
    {".local", Space::kLocal},
    {".param", Space::kParam},
    {".shared", Space::kShared},
    {".tex", Space::kTex},
}};

// The product of the dimensions after the first `level`. check_size has limited it, so it cannot overflow.
std::uint64_t elements_below(const Variable& variable, std::size_t level) {
  std::uint64_t count = static_cast<std::uint64_t>(variable.vector_width);
  for (std::size_t d = level; d < variable.dimensions.size(); ++d) count *= variable.dimensions[d];
  return count;
}

}  // namespace

std::optional<Space> Parser::space_of(std::string_view directive) const {
  const auto row = std::find_if(kSpaces.begin(), kSpaces.end(),
                                [&](const SpaceName& s) { return s.directive == directive; });
  if (row == kSpaces.end()) return std::nullopt;
  return row->space;
}

// ---- variables ---------------------------------------------------------------------------------------

// variables ::= variable_head NAME dimension* ("=" initializer)? ("," NAME dimension* ("=" initializer)?)*
std::vector<std::pair<Token, Variable>> Parser::parse_variables(const Linkage& linkage) {
  Variable head = parse_variable_head();
  head.is_extern = linkage.is_extern;
  head.is_visible = linkage.is_visible;
  head.is_weak = linkage.is_weak;
  head.is_common = linkage.is_common;
  std::vector<std::pair<Token, Variable>> variables;
  parse_list([&] {
    auto& [name, variable] = variables.emplace_back(token_, head);
    variable.ptx_line = name.line;
    variable.name = parse_declared_name();
    parse_dimensions(variable);
    check_size(variable, name);
    if (accept("=")) parse_initializer(variable);
  });
  return variables;
}

// variable_head ::= space modifier* TYPE modifier*
Variable Parser::parse_variable_head() {
  Variable variable;
  variable.ptx_line = token_.line;
  variable.space = *space_of(take().text);
  while (at(Kind::kDirective)) {
    if (parse_variable_modifier(variable)) continue;
    const std::optional<Type> type = type_named(token_.text.substr(1));
    if (!type) fail_expected(msg::ptx_term_type());
    variable.type = *type;
    take();
  }
  if (variable.type == Type::kNone) fail_expected(msg::ptx_term_type());
  if (variable.type == Type::kPred && variable.space != Space::kReg)
    fail_expected(msg::ptx_term_type_in_memory());
  return variable;
}

// modifier ::= ".align" SIZE | ".v2" | ".v4" | ".v8" | ".ptr" SPACE? | ".attribute" "(" … ")"
bool Parser::parse_variable_modifier(Variable& variable) {
  if (at(".attribute")) {
    parse_attributes(variable);
  } else if (accept(".align")) {
    const Token where = token_;
    variable.align = parse_size(msg::ptx_term_alignment, kMaxAlignment);
    if (!std::has_single_bit(variable.align)) fail(where, msg::ptx_alignment_wrong());
  } else if (at(".v2") || at(".v4") || at(".v8")) {
    variable.vector_width = take().text.back() - '0';
  } else if (accept(".ptr")) {
    variable.is_pointer = true;
    if (space_of(token_.text)) take();
  } else {
    return false;
  }
  return true;
}

// attributes ::= ".attribute" "(" (".managed" | ".unified" "(" INTEGER "," INTEGER ")") ("," …)* ")"
void Parser::parse_attributes(Variable& variable) {
  take();
  expect("(");
  parse_list([&] {
    if (expect(Kind::kDirective, msg::ptx_term_attribute).text == ".managed") variable.is_managed = true;
    if (!accept("(")) return;
    parse_list([&] { parse_integer(msg::ptx_term_integer); });
    expect(")");
  });
  expect(")");
}

// dimension ::= "[" SIZE? "]"
void Parser::parse_dimensions(Variable& variable) {
  while (at("[")) {
    if (variable.dimensions.size() == kMaxDimensions) fail(token_, msg::ptx_dimensions_too_many());
    take();
    variable.dimensions.push_back(at("]") ? 0 : parse_size(msg::ptx_term_array_length, kMaxVariableBytes));
    expect("]");
  }
}

void Parser::check_size(const Variable& variable, const Token& name) const {
  std::uint64_t bytes = info(variable.type).bytes * static_cast<std::uint64_t>(variable.vector_width);
  for (std::uint64_t length : variable.dimensions) {
    if (length > kMaxVariableBytes / std::max<std::uint64_t>(bytes, 1))
      fail(name, msg::ptx_variable_too_large(Code{variable.name}));
    bytes *= std::max<std::uint64_t>(length, 1);
  }
}

// ---- initializers ------------------------------------------------------------------------------------

// initializer ::= level(0)                                 determines the length of `x[] = {…}`
void Parser::parse_initializer(Variable& variable) {
  const Token where = token_;
  const bool unsized = !variable.dimensions.empty() && variable.dimensions.front() == 0;
  parse_initializer_level(variable, 0);
  if (unsized) {
    const std::uint64_t row = std::max<std::uint64_t>(elements_below(variable, 1), 1);
    variable.dimensions.front() = (variable.initial.size() + row - 1) / row;
  }
  if (variable.initial.size() > variable.elements())
    fail(where,
         msg::ptx_initial_values_too_many(variable.initial.size(), variable.elements(), Code{variable.name}));
}

// level(n) ::= "{" (level(n + 1) ("," level(n + 1))*)? "}" | element
void Parser::parse_initializer_level(Variable& variable, std::size_t level) {
  if (!at("{")) {
    variable.initial.push_back(parse_initializer_element());
    return;
  }
  if (level > variable.dimensions.size()) fail(token_, msg::ptx_braces_too_many());
  const std::size_t begin = variable.initial.size();
  const std::uint64_t row = elements_below(variable, level + 1);
  const auto parse_next = [&] {
    if (at("{") && row != 0) complete_row(variable, (variable.initial.size() - begin) % row, row);
    parse_initializer_level(variable, level + 1);
  };
  take();
  if (!at("}")) parse_list(parse_next);
  expect("}");
}

// Appends zeros to a row of which `used` of `row` elements are initialized, so the next row starts at
// the right index.
void Parser::complete_row(Variable& variable, std::uint64_t used, std::uint64_t row) {
  if (used == 0) return;
  padded_elements_ += row - used;
  if (padded_elements_ > kMaxPaddedElements) fail(token_, msg::ptx_elements_left_out());
  variable.initial.resize(variable.initial.size() + (row - used));
}

// element ::= constant | generic_symbol | MASK "(" generic_symbol ")"       the last form is one byte of the
// address
Initializer Parser::parse_initializer_element() {
  if (!at_constant()) return parse_initializer_symbol();
  const Immediate value = parse_constant();
  if (!at("(")) return {value};
  if (value.kind != Immediate::Kind::kInteger) fail_expected(msg::ptx_term_either(Code{","}, Code{"}"}));
  take();
  Initializer element = parse_initializer_symbol();
  expect(")");
  element.mask = value.bits;
  return element;
}

// generic_symbol ::= "generic" "(" NAME offset ")" offset | NAME offset
Initializer Parser::parse_initializer_symbol() {
  Initializer element;
  element.generic = accept("generic");
  if (element.generic) expect("(");
  Symbol symbol{parse_declared_name(), parse_offset()};
  if (element.generic) expect(")");
  if (symbol.offset == 0) symbol.offset = parse_offset();
  element.value = std::move(symbol);
  return element;
}

// ---- inside a function -------------------------------------------------------------------------------

// body_variables ::= linkage variables ";"
void Parser::parse_body_variables() {
  const Linkage linkage = parse_linkage();
  if (!space_of(token_.text)) fail_expected(msg::ptx_term_declaration());
  for (auto& [name, variable] : parse_variables(linkage)) {
    const auto unique = body_->names.declare(variable.name, Names::Kind::kVariable);
    if (!unique) fail(name, msg::ptx_declared_twice(Code{variable.name}));
    variable.name = *unique;
    body_->function.variables.push_back(std::move(variable));
  }
  expect(";");
}

// registers ::= ".reg" (".v2" | ".v4")? TYPE register_name ("," register_name)* ";"
void Parser::parse_registers() {
  const Variable head = parse_variable_head();
  parse_list([&] { parse_register_name(head.type, head.vector_width); });
  expect(";");
}

// register_name ::= NAME register_count
void Parser::parse_register_name(Type type, int vector_width) {
  const Token where = token_;
  const std::string name = parse_declared_name();
  const std::optional<std::uint32_t> count = parse_register_count();
  const auto unique = count ? body_->names.declare_registers(name, *count)
                            : body_->names.declare(name, Names::Kind::kRegister);
  if (!unique) fail(where, msg::ptx_declared_twice(Code{name}));
  body_->registers += count.value_or(1);
  if (body_->registers > kMaxRegistersPerFunction) fail(where, msg::ptx_registers_too_many());
  if (count != 0u) body_->function.registers.push_back({type, *unique, count.value_or(0), vector_width});
}

// register_count ::= ("<" COUNT ">")?                      not an expression, which would consume the `>`
std::optional<std::uint32_t> Parser::parse_register_count() {
  if (!accept("<")) return std::nullopt;
  const Token where = token_;
  const std::uint64_t count = require_integer(parse_unary());
  if (count > kMaxRegistersPerFunction) fail(where, msg::ptx_register_count_too_large(count));
  expect(">");
  return static_cast<std::uint32_t>(count);
}

}  // namespace cudalab::ptx
