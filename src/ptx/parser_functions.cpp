// Parses functions: heads, performance directives, and bodies with their scopes, labels and lines.
#include <algorithm>
#include <array>

#include "messages/ptx.h"
#include "ptx/lexer.h"
#include "ptx/names.h"
#include "ptx/parser.h"

namespace cudalab::ptx {
namespace {

// Performance directives (PTX ISA 11.4). Directives without a member are accepted and ignored.
template <class Value>
struct Directive {
  std::string_view directive;
  Value Function::*member;
};
constexpr std::array<Directive<Dim3>, 3> kSizes{{
    {".maxntid", &Function::max_threads},
    {".reqntid", &Function::required_threads},
    {".reqnctapercluster", &Function::required_cluster},
}};
constexpr std::array<Directive<std::uint32_t>, 6> kCounts{{
    {".minnctapersm", &Function::min_blocks},
    {".maxnreg", &Function::max_registers},
    {".maxnctapersm", nullptr},
    {".maxclusterrank", nullptr},
    {".abi_preserve", nullptr},
    {".abi_preserve_control", nullptr},
}};
constexpr std::array<Directive<bool>, 3> kFlags{{
    {".noreturn", &Function::is_noreturn},
    {".explicitcluster", nullptr},
    {".blocksareclusters", nullptr},
}};

}  // namespace

// ---- heads -------------------------------------------------------------------------------------------

// function ::= attributes ("(" parameters ")")? NAME ("(" parameters ")")? directive* (";" | body)
void Parser::parse_function(const Linkage& linkage, bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  function.is_extern = linkage.is_extern;
  function.is_visible = linkage.is_visible;
  function.is_weak = linkage.is_weak;
  parse_function_attributes(function);
  if (at("(")) function.returns = parse_parameters();
  const Token name = token_;
  function.ptx_line = name.line;
  function.name = parse_declared_name();
  if (at("(")) function.parameters = parse_parameters();
  while (parse_performance_directive(function)) {
  }
  std::vector<std::size_t> lines;
  function.is_declaration = accept(";");
  if (!function.is_declaration) lines = parse_body(function);
  add_function(std::move(function), std::move(lines), name);
}

// attributes ::= (".attribute" "(" … ")" | ".noreturn")*
void Parser::parse_function_attributes(Function& function) {
  Variable ignored;  // `.attribute(.unified(a, b))` only affects the linker
  while (true) {
    if (at(".attribute"))
      parse_attributes(ignored);
    else if (accept(".noreturn"))
      function.is_noreturn = true;
    else
      return;
  }
}

// parameters ::= "(" (parameter ("," parameter)*)? ")"
std::vector<Variable> Parser::parse_parameters() {
  std::vector<Variable> parameters;
  parse_parenthesised_list([&] { parameters.push_back(parse_parameter()); });
  return parameters;
}

// parameter ::= (".param" | ".reg") variable_head NAME dimension*
Variable Parser::parse_parameter() {
  if (!at(".param") && !at(".reg")) fail_expected(Code{".param"});
  Variable parameter = parse_variable_head();
  const Token name = token_;
  parameter.ptx_line = name.line;
  parameter.name = parse_declared_name();
  parse_dimensions(parameter);
  check_size(parameter, name);
  return parameter;
}

// directive ::= size_directive dim3 | count_directive INTEGER | flag_directive | pragma
bool Parser::parse_performance_directive(Function& function) {
  const auto is_here = [&](const auto& row) { return at(row.directive); };
  if (const auto size = std::find_if(kSizes.begin(), kSizes.end(), is_here); size != kSizes.end()) {
    take();
    function.*size->member = parse_dim3();
  } else if (const auto count = std::find_if(kCounts.begin(), kCounts.end(), is_here);
             count != kCounts.end()) {
    take();
    const std::uint32_t value = parse_u32(msg::ptx_term_integer);
    if (count->member != nullptr) function.*count->member = value;
  } else if (const auto flag = std::find_if(kFlags.begin(), kFlags.end(), is_here); flag != kFlags.end()) {
    take();
    if (flag->member != nullptr) function.*flag->member = true;
  } else if (at(".pragma")) {
    parse_pragma();
  } else {
    return false;
  }
  return true;
}

// dim3 ::= X ("," Y ("," Z)?)?
Dim3 Parser::parse_dim3() {
  Dim3 size;
  size.x = parse_u32(msg::ptx_term_size);
  if (accept(",")) size.y = parse_u32(msg::ptx_term_size);
  if (accept(",")) size.z = parse_u32(msg::ptx_term_size);
  return size;
}

// A definition replaces its declaration. A repeated declaration changes nothing.
void Parser::add_function(Function function, std::vector<std::size_t> lines, const Token& name) {
  const auto [known, is_new] = functions_.try_emplace(function.name, module_.functions.size());
  if (is_new) {
    module_.functions.emplace_back();
    line_numbers_.emplace_back();
  } else if (function.is_declaration) {
    return;
  } else if (!module_.functions[known->second].is_declaration) {
    fail(name, msg::ptx_defined_twice(Code{function.name}));
  }
  module_.functions[known->second] = std::move(function);
  line_numbers_[known->second] = std::move(lines);
}

// ---- bodies ------------------------------------------------------------------------------------------

// body ::= "{" statement* "}"
// Returns the position in the line table of each statement.
std::vector<std::size_t> Parser::parse_body(Function& function) {
  Body body{function, Names([this](std::string_view name) { return is_module_name(name); })};
  body_ = &body;
  lines_.start_function();
  declare_parameters(function);
  expect("{");
  while (!at("}") || !body.scopes.empty()) parse_statement();
  expect("}");
  body_ = nullptr;
  return std::move(body.lines);
}

bool Parser::is_module_name(std::string_view name) const {
  return variables_.contains(name) || functions_.contains(name);
}

void Parser::declare_parameters(const Function& function) {
  for (const std::vector<Variable>* list : {&function.returns, &function.parameters})
    for (const Variable& parameter : *list) {
      const bool is_register = parameter.space == Space::kReg;
      if (!body_->names.declare(parameter.name,
                                is_register ? Names::Kind::kRegister : Names::Kind::kVariable))
        fail(token_, msg::ptx_declared_twice(Code{parameter.name}));
    }
}

// statement ::= "{" | "}" | guard? instruction | label | directive
// Nested scopes are counted instead of parsed recursively, so they cannot exhaust the stack.
void Parser::parse_statement() {
  if (at(Kind::kDirective)) return parse_body_directive();
  if (at("{")) return enter_scope();
  if (at("}")) return leave_scope();
  if (at("@")) {
    Guard guard = parse_guard();
    return parse_instruction(expect(Kind::kWord, msg::ptx_term_instruction), std::move(guard));
  }
  const Token word = expect(Kind::kWord, msg::ptx_term_statement);
  if (accept(":")) return parse_label(word);
  parse_instruction(word, std::nullopt);
}

void Parser::add_statement(Statement statement, const Token& at) {
  if (++statement_count_ > kMaxStatements) fail(at, msg::ptx_instructions_too_many());
  body_->function.body.push_back(std::move(statement));
  body_->lines.push_back(lines_.current());
}

// directive ::= location | registers | pragma | file | body_variables
void Parser::parse_body_directive() {
  if (at(".loc")) return parse_location();
  if (at(".reg")) return parse_registers();
  if (at(".pragma")) return parse_pragma();
  if (at(".file")) return parse_file();
  parse_body_variables();
}

void Parser::enter_scope() {
  if (body_->scopes.size() == kMaxScopeDepth) fail(token_, msg::ptx_scopes_too_deep());
  take();
  body_->names.enter();
  const Function& function = body_->function;
  body_->scopes.push_back({function.body.size(), function.branch_targets.size()});
}

void Parser::leave_scope() {
  take();
  const Body::Scope begin = body_->scopes.back();
  body_->scopes.pop_back();
  NameMap<std::string> labels;
  for (auto& [from, to] : body_->names.leave()) labels.emplace(std::move(from), std::move(to));
  if (labels.empty()) return;
  Function& function = body_->function;
  rename_labels(std::span(function.body).subspan(begin.statements), labels);
  rename_labels(std::span(function.branch_targets).subspan(begin.branch_targets), labels);
}

// location ::= ".loc" position ("," "function_name" LABEL offset "," "inlined_at" position)?
void Parser::parse_location() {
  take();
  const LineTable::Position position = parse_position();
  if (!accept(",")) return lines_.set(position);
  expect("function_name");
  expect(Kind::kWord, msg::ptx_term_label);
  parse_offset();
  expect(",");
  expect("inlined_at");
  lines_.set_inlined(position, parse_position());
}

// position ::= FILE LINE COLUMN
LineTable::Position Parser::parse_position() {
  LineTable::Position position;
  position.file = parse_u32(msg::ptx_term_file_number);
  position.line = static_cast<std::uint32_t>(parse_size(msg::ptx_term_line, INT32_MAX));
  position.column = parse_u32(msg::ptx_term_column);
  return position;
}

// label ::= NAME ":" (branch_targets | call_targets | call_prototype)?
void Parser::parse_label(const Token& name) {
  if (name.text.find_first_of(".:") != std::string_view::npos) fail(name, msg::ptx_label_with_dots());
  auto unique = body_->names.declare(name.text, Names::Kind::kLabel);
  if (!unique) fail(name, msg::ptx_declared_twice(shortened(name.text)));
  if (accept(".branchtargets")) return parse_branch_targets(*std::move(unique));
  if (accept(".calltargets")) return parse_call_targets(*std::move(unique));
  if (accept(".callprototype")) return parse_call_prototype(*std::move(unique));
  add_statement(Label{*std::move(unique), name.line}, name);
}

// branch_targets ::= ".branchtargets" LABEL ("," LABEL)* ";"
void Parser::parse_branch_targets(std::string label) {
  BranchTargets targets{std::move(label), parse_names()};
  body_->function.branch_targets.push_back(std::move(targets));
}

// call_targets ::= ".calltargets" FUNCTION ("," FUNCTION)* ";"
void Parser::parse_call_targets(std::string label) {
  CallPrototype prototype;
  prototype.label = std::move(label);
  prototype.targets = parse_names();
  body_->function.prototypes.push_back(std::move(prototype));
}

// names ::= NAME ("," NAME)* ";"
std::vector<std::string> Parser::parse_names() {
  std::vector<std::string> names;
  parse_list([&] { names.push_back(parse_declared_name()); });
  expect(";");
  return names;
}

// call_prototype ::= ".callprototype" ("(" parameters ")")? "_" ("(" parameters ")")? directive* ";"
void Parser::parse_call_prototype(std::string label) {
  CallPrototype prototype;
  prototype.label = std::move(label);
  if (at("(")) prototype.returns = parse_parameters();
  expect("_");
  if (at("(")) prototype.parameters = parse_parameters();
  Function directives;
  while (parse_performance_directive(directives)) {
  }
  prototype.is_noreturn = directives.is_noreturn;
  expect(";");
  body_->function.prototypes.push_back(std::move(prototype));
}

}  // namespace cudalab::ptx
