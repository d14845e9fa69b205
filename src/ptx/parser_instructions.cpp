// Parses instructions and their operands. The modifiers of an opcode may have any order.
#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "messages/ptx.h"
#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/parser.h"

namespace cudalab::ptx {

// The order of modifiers in the PTX ISA. ptxas accepts any order.

namespace {

enum Rank {
  kMode,
  kSync,
  kAligned,
  kShape,
  kCount,
  kScope,
  kKind,
  kCache,
  kRounding,
  kFlush,
  kLimit,
  kVector,
  kType
};

const std::unordered_map<std::string_view, Rank>& ranks() {
  static const std::unordered_map<std::string_view, Rank> words{
      // the mode of the instruction, if it comes first
      {"any", kMode},
      {"all", kMode},
      {"lo", kMode},
      {"hi", kMode},
      {"wide", kMode},
      {"sync", kSync},
      {"aligned", kAligned},
      {"x1", kCount},
      {"x2", kCount},
      {"x4", kCount},
      // memory order and scope
      {"weak", kCount},
      {"volatile", kCount},
      {"relaxed", kCount},
      {"acquire", kCount},
      {"release", kCount},
      {"cta", kScope},
      {"cluster", kScope},
      {"gpu", kScope},
      {"sys", kScope},
      // state spaces, layouts, lane operations, comparisons
      {"global", kKind},
      {"shared", kKind},
      {"shared::cta", kKind},
      {"shared::cluster", kKind},
      {"local", kKind},
      {"const", kKind},
      {"param", kKind},
      {"row", kKind},
      {"col", kKind},
      {"up", kKind},
      {"down", kKind},
      {"bfly", kKind},
      {"idx", kKind},
      {"eq", kKind},
      {"ne", kKind},
      {"lt", kKind},
      {"le", kKind},
      {"gt", kKind},
      {"ge", kKind},
      {"add", kKind},
      {"min", kKind},
      {"max", kKind},
      {"trans", kScope},
      {"ca", kCache},
      {"cg", kCache},
      {"cs", kCache},
      {"lu", kCache},
      {"cv", kCache},
      {"wb", kCache},
      {"wt", kCache},
      {"nc", kCache},
      {"rn", kRounding},
      {"rz", kRounding},
      {"rm", kRounding},
      {"rp", kRounding},
      {"rna", kRounding},
      {"rni", kRounding},
      {"rzi", kRounding},
      {"rmi", kRounding},
      {"rpi", kRounding},
      {"approx", kRounding},
      {"full", kRounding},
      {"ftz", kFlush},
      {"sat", kLimit},
      {"satfinite", kLimit},
      {"v2", kVector},
      {"v4", kVector},
      {"v8", kVector}};
  return words;
}

// m16n8k16
bool is_shape(std::string_view part) {
  return part.size() >= 4 && part[0] == 'm' && std::isdigit(static_cast<unsigned char>(part[1])) != 0 &&
         part.find('n') != std::string_view::npos;
}

std::optional<Rank> rank_of(std::string_view part) {
  if (const auto found = ranks().find(part); found != ranks().end()) return found->second;
  if (type_named(part)) return kType;
  if (is_shape(part)) return kShape;
  if (part.starts_with("L1::") || part.starts_with("L2::")) return kCache;
  return std::nullopt;
}

// Puts the parts of an opcode into the order of the PTX ISA, because later code reads some parts by position.
// Many libraries write `ldmatrix.sync.aligned.x4.m8n8.shared.b16`, with `x4` before `m8n8`. Types keep their
// order, and so do the layouts of two matrices.
void put_modifiers_in_order(std::vector<Word>& parts) {
  if (parts.size() < 3 || !facts_of(std::span(parts).first(1)).has_free_order) return;
  // An unknown modifier has no known position.
  if (!std::all_of(parts.begin() + 1, parts.end(), [](Word part) { return rank_of(part); })) return;
  std::ranges::stable_sort(parts.begin() + 1, parts.end(), {}, [](Word part) { return *rank_of(part); });
}

}  // namespace

// guard ::= "@" "!"? PREDICATE
Guard Parser::parse_guard() {
  take();
  Guard guard;
  guard.negated = accept("!");
  guard.predicate = parse_register().name;
  return guard;
}

// register ::= NAME
Register Parser::parse_register() {
  const Token where = token_;
  Names::Resolved name = body_->names.resolve(expect(Kind::kWord, msg::ptx_term_register).text);
  if (!name.is_register) fail(where, msg::ptx_register_undeclared(shortened(name.name)));
  return {std::move(name.name)};
}

// instruction ::= OPCODE (call | operands) ";"
void Parser::parse_instruction(const Token& opcode, std::optional<Guard> guard) {
  Instruction instruction;
  instruction.guard = std::move(guard);
  instruction.ptx_line = opcode.line;
  parse_opcode(opcode, instruction);
  if (instruction.parts.front() == "call")
    parse_call(instruction);
  else if (!at(";"))
    parse_list([&] { instruction.operands.push_back(parse_operand()); });
  expect(";");
  add_statement(std::move(instruction), opcode);
}

// opcode ::= WORD DIRECTIVE*                               `mov.u32`, and also `mov .u32`
void Parser::parse_opcode(const Token& first, Instruction& instruction) {
  std::string opcode(first.text);
  while (at(Kind::kDirective)) opcode += take().text;
  if (static_cast<std::size_t>(std::ranges::count(opcode, '.')) >= kMaxOpcodeParts)
    fail(first, msg::ptx_opcode_parts_too_many());
  std::vector<Word> parts = words_of(opcode);
  put_modifiers_in_order(parts);
  set_opcode(instruction, std::move(parts));
}

// call ::= (call_list ",")? TARGET ("," call_list)? ("," PROTOTYPE)?
void Parser::parse_call(Instruction& call) {
  if (at("(")) {
    call.call_returns = parse_call_list();
    expect(",");
  }
  call.call_target = body_->names.resolve(expect(Kind::kWord, msg::ptx_term_function).text).name;
  if (!accept(",")) return;
  if (at("(")) {
    call.call_arguments = parse_call_list();
    if (!accept(",")) return;
  }
  call.call_prototype = parse_declared_name();
}

// call_list ::= "(" (operand ("," operand)*)? ")"
std::vector<Operand> Parser::parse_call_list() {
  std::vector<Operand> list;
  parse_parenthesised_list([&] { list.push_back(parse_simple_operand()); });
  return list;
}

// ---- operands ----------------------------------------------------------------------------------------

// operand ::= simple_operand ("|" simple_operand)?
Operand Parser::parse_operand() {
  Operand first = parse_simple_operand();
  if (!accept("|")) return first;
  DestinationPair pair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(parse_simple_operand());
  return {std::move(pair)};
}

// simple_operand ::= vector | address | element
Operand Parser::parse_simple_operand() {
  if (at("{")) return parse_vector();
  if (at("[")) return parse_address();
  return parse_element();
}

// vector ::= "{" (element ("," element)*)? "}"
Operand Parser::parse_vector() {
  take();
  Vector vector;
  if (!at("}")) parse_list([&] { vector.elements.push_back(parse_element()); });
  expect("}");
  return {std::move(vector)};
}

// element ::= "_" | "!" register | constant | NAME offset
Operand Parser::parse_element() {
  if (accept("_")) return {Underscore{}};
  if (at("!")) return parse_negated();
  if (at_constant()) return {parse_constant()};
  if (!at(Kind::kWord)) fail_expected(msg::ptx_term_operand());
  return parse_named_operand();
}

// negated ::= "!" register | "!" constant
Operand Parser::parse_negated() {
  take();
  if (at(Kind::kWord) && !at("WARP_SZ")) return {Negated{parse_register()}};
  const std::uint64_t value = parse_integer(msg::ptx_term_register);
  return {Immediate{Immediate::Kind::kInteger, value == 0}};
}

namespace {

// The index of the dot before the part in `%r1.h1` or `%r1.b3210`; npos if there is no part.
std::size_t part_of_register(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 2 >= name.size()) return std::string_view::npos;
  const std::string_view digits = name.substr(dot + 2);
  const bool is_part = (name[dot + 1] == 'b' || name[dot + 1] == 'h') &&
                       digits.find_first_not_of("0123456789") == std::string_view::npos;
  return is_part ? dot : std::string_view::npos;
}

}  // namespace

// named_operand ::= REGISTER ("." PART)? | SYMBOL offset
Operand Parser::parse_named_operand() {
  Names::Resolved name = body_->names.resolve(take().text);
  if (const std::size_t dot = name.is_register ? part_of_register(name.name) : std::string::npos;
      dot != std::string::npos)
    return {Register{name.name.substr(0, dot), name.name.substr(dot + 1)}};
  if (name.is_register) return {Register{std::move(name.name)}};
  return {Symbol{std::move(name.name), parse_offset()}};
}

// offset ::= (("+" | "-") product)*
std::int64_t Parser::parse_offset() {
  std::uint64_t offset = 0;
  while (at("+") || at("-")) {
    const bool minus = take().text == "-";
    const std::uint64_t step = require_integer(parse_product());
    offset += minus ? 0 - step : step;
  }
  return static_cast<std::int64_t>(offset);
}

// address ::= "[" (base offset | constant) ("," coordinates)? "]"
Operand Parser::parse_address() {
  take();
  Address address;
  if (at_constant()) {
    address.offset = static_cast<std::int64_t>(parse_integer(msg::ptx_term_address));
  } else {
    address.base = parse_base();
    address.offset = parse_offset();
  }
  if (accept(",")) parse_coordinates(address);
  expect("]");
  return {std::move(address)};
}

// base ::= REGISTER | SYMBOL
Parser::Base Parser::parse_base() {
  Names::Resolved name = body_->names.resolve(expect(Kind::kWord, msg::ptx_term_address).text);
  if (name.is_register) return Register{std::move(name.name)};
  return Symbol{std::move(name.name), 0};
}

// coordinates ::= (SAMPLER ",")? ("{" coordinate ("," coordinate)* "}" | coordinate)
void Parser::parse_coordinates(Address& address) {
  if (!at("{") && !at_constant()) {
    address.sampler = parse_base();
    if (!accept(",")) return use_sampler_as_coordinate(address);
  }
  const bool braces = accept("{");
  parse_list([&] { address.coordinates.push_back(parse_coordinate()); });
  if (braces) expect("}");
}

// `[surface, %r1]` has no sampler: the operand parsed as one is the only coordinate.
void Parser::use_sampler_as_coordinate(Address& address) {
  Register* coordinate = std::get_if<Register>(&address.sampler);
  if (coordinate == nullptr) fail_expected(msg::ptx_term_coordinates());
  address.coordinates.emplace_back(std::move(*coordinate));
  address.sampler = std::monostate{};
}

// coordinate ::= register | constant
std::variant<Register, Immediate> Parser::parse_coordinate() {
  if (at_constant()) return parse_constant();
  return parse_register();
}

}  // namespace cudalab::ptx
