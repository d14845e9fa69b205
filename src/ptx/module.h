// A parsed PTX module as plain data, without interpretation. Grammar and names follow NVIDIA's "PTX ISA"
// (version 9.0); comments cite its sections.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/measurement.h"
#include "ptx/opcodes.h"
#include "ptx/word.h"

namespace cudalab::ptx {

// Fundamental types (PTX ISA 5.2). kB128 appears only in newer modules; kPred only on registers and operands.
// clang-format off
enum class Type : std::uint8_t {
  kNone, kPred,
  kB8, kB16, kB32, kB64, kB128,
  kU8, kU16, kU32, kU64,
  kS8, kS16, kS32, kS64,
  kF16, kF16x2, kBF16, kBF16x2, kTF32, kE4M3, kE5M2,
  kF32, kF64,
  kTexref, kSamplerref, kSurfref,
};
// clang-format on

struct TypeInfo {
  Type type;
  std::string_view name;  // as in `.u32`, without the dot
  std::size_t bytes;      // 0 for kNone and kPred
};
const TypeInfo& info(Type type);
std::optional<Type> type_named(std::string_view name);  // name without the dot

enum class Space : std::uint8_t { kNone /* generic */, kReg, kConst, kGlobal, kLocal, kParam, kShared, kTex };

// ---- operands ----------------------------------------------------------------------------------------
// `%r1`, a special register such as `%tid.x`, or a name from inline assembly
struct Register {
  std::string name;
  std::string part;  // part of a video instruction's operand: "h1" of `%r1.h1`, or "b3210"
};
struct Immediate {  // an integer or floating-point literal with its exact bits
  enum class Kind : std::uint8_t { kInteger, kF32Bits, kF64Bits } kind = Kind::kInteger;
  std::uint64_t bits =
      0;  // integers: two's complement; 0f literals: the low 32 bits; 0d and decimal literals: 64 bits
};
// a variable, function or label, as a value
struct Symbol {
  std::string name;
  std::int64_t offset = 0;
};
struct Address {  // `[base+offset]`; the base is a register, a symbol or absent
  std::variant<std::monostate, Register, Symbol> base;
  std::int64_t offset = 0;  // from the base; for a symbol, the symbol's own offset is not included
  // For textures and surfaces: `[base, {c0, c1}]`; `coordinates` are registers or immediates.
  std::vector<std::variant<Register, Immediate>> coordinates;
  std::variant<std::monostate, Register, Symbol> sampler;  // `[base, sampler, {c0, c1}]`
};
// `!%p1` as an operand
struct Negated {
  Register name;
};
struct Underscore {};  // `_`, the sink: the result is discarded

struct Operand;
// `{a, b, c, d}`
struct Vector {
  std::vector<Operand> elements;
};
// `%r1|%p1`; exactly two elements
struct DestinationPair {
  std::vector<Operand> elements;
};

struct Operand {
  std::variant<Register, Immediate, Symbol, Address, Negated, Underscore, Vector, DestinationPair> value;
};

// ---- statements --------------------------------------------------------------------------------------
// `@p`, `@!p`
struct Guard {
  std::string predicate;
  bool negated = false;
};

struct Instruction {
  std::optional<Guard> guard;
  std::string opcode;       // complete with dots: "ld.global.v4.f32"
  std::vector<Word> parts;  // split at the dots: {"ld", "global", "v4", "f32"}, not at `::`; never empty
  const OpcodeFacts* facts = &kUnknownOpcode;  // what it does
  std::vector<Operand> operands;
  SourceLine where;                    // the innermost line, from the last `.loc`
  std::vector<SourceLine> inlined_at;  // the lines where the code was inlined, innermost first; usually empty
  int ptx_line = 0;                    // the line in the PTX text, 1-based; always set
  // For `call`: (returns), callee, (arguments), name of the prototype or target list.
  std::vector<Operand> call_returns, call_arguments;
  std::string call_target;  // function name or register holding its address
  std::string
      call_prototype;  // for indirect calls: the label of the .callprototype or .calltargets; otherwise empty
};

// Sets the opcode, in all three forms.
void set_opcode(Instruction& instruction, std::vector<Word> parts);

struct Label {
  std::string name;
  int ptx_line = 0;
};

struct RegisterRange {  // `.reg .b32 %r<23>;` declares %r0..%r22; a single name has count 0
  Type type{};
  std::string name;  // "%r", or the complete name if count is 0
  std::uint32_t count = 0;
  int vector_width = 1;  // `.reg .v4 .f32 x;`
};

struct Initializer {  // one element of `= { … }`
  std::variant<Immediate, Symbol> value;
  bool generic = false;        // generic(symbol)
  std::uint64_t mask = ~0ull;  // mask(symbol) forms such as 0xFF(symbol): which byte of the address
};

struct Variable {
  Space space{};
  Type type{};
  int vector_width = 1;
  std::string name;
  std::uint64_t align = 0;                // 0: the natural alignment of the type
  std::vector<std::uint64_t> dimensions;  // empty: a scalar; a single 0: an unsized extern array
  std::vector<Initializer> initial;  // flattened in row-major order; missing elements at the end are zero
  bool is_extern = false, is_visible = false, is_weak = false, is_common = false, is_managed = false;
  bool is_pointer = false;  // an entry parameter with `.ptr`
  int ptx_line = 0;
  std::uint64_t elements() const {  // includes vector_width
    std::uint64_t n = static_cast<std::uint64_t>(vector_width);
    for (std::uint64_t d : dimensions) n *= d;
    return n;
  }
  std::uint64_t bytes() const { return elements() * info(type).bytes; }
  std::uint64_t alignment() const { return std::max<std::uint64_t>({align, info(type).bytes, 1}); }
};

struct CallPrototype {
  std::string label;
  std::vector<Variable> returns, parameters;
  std::vector<std::string> targets;  // of a `.calltargets`, which has neither returns nor parameters
  bool is_noreturn = false;
};
// .branchtargets, for brx.idx
struct BranchTargets {
  std::string label;
  std::vector<std::string> targets;
};

using Statement = std::variant<Instruction, Label>;

// Registers and variables of inner `{ }` scopes are hoisted into the function. If an inner name hides an
// outer one, or two scopes declare the same name, the parser renames the later one: `name` becomes `name@2`,
// a range becomes `%r@2_<8>`. Names are therefore unique within a function. Labels of inner scopes are always
// renamed.
struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  // `.extern .func` or a forward declaration: no body
  bool is_noreturn = false;
  bool is_extern = false, is_visible = false, is_weak = false;
  std::vector<Variable> returns, parameters;
  std::vector<RegisterRange> registers;
  std::vector<Variable> variables;  // .local, .shared, .param and other variables of the body
  std::vector<CallPrototype> prototypes;
  std::vector<BranchTargets> branch_targets;
  std::vector<Statement> body;
  // Performance directives. 0 if absent.
  Dim3 max_threads{0, 0, 0}, required_threads{0, 0, 0}, required_cluster{0, 0, 0};
  std::uint32_t min_blocks = 0, max_registers = 0;
  int ptx_line = 0;
};

// `.alias name, target;`: another name of a defined function
struct Alias {
  std::string name, target;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;  // "sm_90"
  std::vector<std::string> target_options;
  int address_size = 64;
  std::vector<std::string> files;   // indexed by `.file` number; [0] is unused unless the text uses it
  std::vector<Variable> variables;  // at module scope: .global, .const, .shared, .extern .shared
  std::vector<Function> functions;  // a definition replaces its forward declaration

  std::vector<Alias> aliases;
  bool has_taps = false;  // the text is from with_taps() (ptx/silence.h); others may not contain `tap`

  const Function* find_function(
      std::string_view name) const;  // follows aliases; the result may be a declaration only
  const Variable* find_variable(std::string_view name) const;
};

// Parses PTX text. Throws cudalab::Error(kUsage) with one line, "NAME:LINE:COLUMN: expected X, found `Y`",
// where NAME is the parameter `name`. Unknown opcodes and modifiers are accepted, because only the grammar is
// checked. Text with more nesting, elements or bytes than any compiler emits is rejected, so hostile text
// exhausts neither stack nor memory.
Module parse(std::string_view text, std::string_view name);

}  // namespace cudalab::ptx
