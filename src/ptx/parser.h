// The recursive-descent parser behind ptx::parse: one member function per grammar rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/diagnostics/message.h"
#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/names.h"

namespace cudalab::ptx {

// The source lines that `.file` and `.loc` assign to instructions. PTX declares the files last, so lines are
// kept as numbers until the whole text has been read.

class LineTable {
 public:
  struct Position {
    std::uint32_t file = 0, line = 0, column = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
  };

  void start_function();
  // Handles `.loc`: sets the position of the following instructions. Compilers use line 0 for generated code;
  // it changes nothing.
  void set(const Position& position);
  // Handles `.loc … inlined_at parent`, where `parent` is the position of an earlier `.loc` and may itself be
  // inlined.
  void set_inlined(const Position& position, const Position& parent);
  // The number of the current position, to be kept with an instruction; 0 if there is none.
  std::size_t current() const { return current_; }

  // Writes the lines of position `number` into the instruction. Throws Error(kUsage) if the file names,
  // repeated for each instruction, exceed kMaxLineTableBytes.
  void describe(std::size_t number, const std::vector<std::string>& files, Instruction& instruction);

 private:
  struct Location {
    Position position;
    std::size_t inlined_at = 0;  // index of the parent, which is smaller; 0 if there is none
  };
  SourceLine source_line(const Position& position, const std::vector<std::string>& files);
  void add(const Position& position, std::size_t inlined_at);

  std::vector<Location> locations_{Location{}};
  std::map<Position, std::size_t> last_at_;  // most recent entry per position, within the function
  std::size_t current_ = 0;
  std::size_t bytes_ = 0;
};

// The linkage that precedes a declaration: `.visible .func …`.
struct Linkage {
  bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
};

// The value of a constant expression so far. Integers are .s64 until a U suffix, a cast or a value beyond
// .s64 makes them .u64 (PTX ISA 4.6.1).
struct Constant {
  Immediate value;
  bool is_unsigned = false;
  Token first = {};  // first token of the expression, for error messages
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : lexer_(text, name), token_(lexer_.next()) {}
  Module parse_module();

 private:
  using Kind = Token::Kind;
  using Term =
      Message (*)();  // a function of msg that names what the grammar expects; called only for an error
  using Base = std::variant<std::monostate, Register, Symbol>;

  // The function whose body is being parsed.
  struct Body {
    struct Scope {  // an open `{ }`, with the sizes of the function's lists at its beginning
      std::size_t statements = 0, branch_targets = 0;
    };
    Function& function;
    Names names;
    std::vector<Scope> scopes{};
    std::vector<std::size_t> lines{};  // per statement: its position in the line table
    std::uint64_t registers = 0;
  };

  // ---- tokens (parser.cpp) ----
  bool at(std::string_view text) const { return token_.text == text && token_.kind != Kind::kString; }
  bool at(Kind kind) const { return token_.kind == kind; }
  Token take();
  bool accept(std::string_view text);
  void expect(std::string_view text);
  Token expect(Kind kind, Term what);
  [[noreturn]] void fail_expected(Argument what) const;
  [[noreturn]] void fail(const Token& at, Message problem) const {
    throw lexer_.error(at, std::move(problem));
  }
  std::uint32_t parse_u32(Term what);
  std::uint64_t parse_size(Term what, std::uint64_t limit);
  std::string parse_declared_name();
  template <class Item>
  void parse_list(Item item);
  template <class Item>
  void parse_parenthesised_list(Item item);

  // ---- module (parser.cpp) ----
  void parse_version();
  void parse_target();
  void parse_address_size();
  void parse_module_item();
  void parse_file();
  void parse_section();
  void parse_pragma();
  void parse_alias();
  Linkage parse_linkage();
  void add_module_variable(Variable variable, const Token& name);
  void resolve_lines();

  // ---- functions (parser_functions.cpp) ----
  void parse_function(const Linkage& linkage, bool is_entry);
  void parse_function_attributes(Function& function);
  std::vector<Variable> parse_parameters();
  Variable parse_parameter();
  bool parse_performance_directive(Function& function);
  Dim3 parse_dim3();
  void add_function(Function function, std::vector<std::size_t> lines, const Token& name);
  std::vector<std::size_t> parse_body(Function& function);
  bool is_module_name(std::string_view name) const;
  void declare_parameters(const Function& function);
  void parse_statement();
  void add_statement(Statement statement, const Token& at);
  void parse_body_directive();
  void enter_scope();
  void leave_scope();
  void parse_location();
  LineTable::Position parse_position();
  void parse_label(const Token& name);
  void parse_branch_targets(std::string label);
  void parse_call_targets(std::string label);
  void parse_call_prototype(std::string label);
  std::vector<std::string> parse_names();

  // ---- declarations (parser_declarations.cpp) ----
  std::optional<Space> space_of(std::string_view directive) const;
  std::vector<std::pair<Token, Variable>> parse_variables(const Linkage& linkage);
  Variable parse_variable_head();
  bool parse_variable_modifier(Variable& variable);
  void parse_attributes(Variable& variable);
  void parse_dimensions(Variable& variable);
  void parse_initializer(Variable& variable);
  void parse_initializer_level(Variable& variable, std::size_t level);
  void complete_row(Variable& variable, std::uint64_t used, std::uint64_t row);
  Initializer parse_initializer_element();
  Initializer parse_initializer_symbol();
  void check_size(const Variable& variable, const Token& name) const;
  void parse_registers();
  void parse_register_name(Type type, int vector_width);
  std::optional<std::uint32_t> parse_register_count();
  void parse_body_variables();

  // ---- instructions (parser_instructions.cpp) ----
  Guard parse_guard();
  Register parse_register();
  void parse_instruction(const Token& opcode, std::optional<Guard> guard);
  void parse_opcode(const Token& first, Instruction& instruction);
  void parse_call(Instruction& call);
  std::vector<Operand> parse_call_list();
  Operand parse_operand();
  Operand parse_simple_operand();
  Operand parse_vector();
  Operand parse_element();
  Operand parse_negated();
  Operand parse_named_operand();
  std::int64_t parse_offset();
  Operand parse_address();
  Base parse_base();
  void parse_coordinates(Address& address);
  void use_sampler_as_coordinate(Address& address);
  std::variant<Register, Immediate> parse_coordinate();

  // ---- constant expressions (constant_expression.cpp) ----
  bool at_constant() const;
  Immediate parse_constant();
  std::uint64_t parse_integer(Term what);
  std::uint64_t require_integer(const Constant& constant) const;
  Constant parse_conditional();
  Constant parse_product();
  Constant parse_unary();
  class ConstantReader;

  Lexer lexer_;
  Token token_;
  Module module_;
  NameMap<std::size_t> functions_, variables_;  // from name to index in the module
  LineTable lines_;
  std::vector<std::vector<std::size_t>> line_numbers_;  // per function and statement: a position in lines_

  Body* body_ = nullptr;  // null outside a function
  std::size_t statement_count_ = 0;
  std::uint64_t padded_elements_ = 0;
};

// list ::= item ("," item)*
template <class Item>
void Parser::parse_list(Item item) {
  do {
    item();
  } while (accept(","));
}

// parenthesised_list ::= "(" list? ")"
template <class Item>
void Parser::parse_parenthesised_list(Item item) {
  expect("(");
  if (!at(")")) parse_list(item);
  expect(")");
}

}  // namespace cudalab::ptx
