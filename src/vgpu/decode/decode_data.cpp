// Decodes computing instructions: rows of the opcode table, and the forms of mov, cvta and set.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/execute/cluster.h"
#include "vgpu/execute/control.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// set: a comparison with a numeric result, decoded to a setp into an internal predicate and a selection
// between two constants.

namespace {

constexpr const char* kScratch = "the predicate of set";  // cannot be the name of a register in PTX

// The result of a comparison that is true: 1.0, or all ones.
std::optional<std::uint64_t> true_value(ptx::Type type) {
  switch (type) {
    case ptx::Type::kF32: return 0x3f80'0000;
    case ptx::Type::kF16: return 0x3c00;
    case ptx::Type::kBF16: return 0x3f80;
    case ptx::Type::kU16:
    case ptx::Type::kS16:
    case ptx::Type::kU32:
    case ptx::Type::kS32: return ~0ull;
    default: return std::nullopt;
  }
}

}  // namespace

// set.CMP{.BOOL}{.ftz}.DTYPE.STYPE d, a, b{, {!}c}
void decode_set(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (opcode_table().find(instruction.opcode))
    return decode_row(scope, instruction);  // two numbers per register
  const std::size_t parts = instruction.parts.size();
  const auto type = parts >= 4 ? ptx::type_named(instruction.parts.at(parts - 2)) : std::nullopt;
  const auto yes = type ? true_value(*type) : std::nullopt;
  if (!yes) unsupported(instruction);

  ptx::Instruction compare = instruction;
  std::vector<Word> words = instruction.parts;
  words[0] = "setp";
  words.erase(words.end() - 2);
  set_opcode(compare, std::move(words));
  compare.operands.at(0).value = ptx::Register{kScratch};
  const Slot predicate = scope.declarations.scratch_predicate(kScratch);
  decode_row(scope, compare);

  const std::size_t bytes = ptx::info(*type).bytes;
  Inst choice;
  choice.a = scope.operands.constant(*yes, bytes);
  choice.b = scope.operands.constant(0, bytes);
  choice.c = predicate;
  choice.d = scope.operands.result(instruction.operands.at(0), *type);
  scope.code.add(choice, internal_row(bytes == 2 ? "selp.b16" : "selp.b32"));
}

void decode_nothing(FunctionScope&, const ptx::Instruction&) {}

// Memory is always up to date in the virtual GPU; only the checks use fences.
void decode_fence(FunctionScope& scope, const ptx::Instruction& instruction) {
  const bool is_for_mbarriers = part_of(instruction, 1) == "mbarrier_init";
  const bool is_for_bulk_copies = part_of(instruction, 1) == "proxy" &&
                                  part_of(instruction, 2).text().starts_with("async") &&
                                  part_of(instruction, 3) != "global";
  const bool is_for_block = has_part(instruction, "cta");
  scope.code.emit(is_for_mbarriers     ? cluster::fence_mbarrier_init
                  : is_for_bulk_copies ? control::fence_proxy
                  : is_for_block       ? control::fence_of_block
                                       : control::fence);
}

// ---- rows --------------------------------------------------------------------------------------------
namespace {

bool compares(const Row* row) {
  return row && (row->shape == Shape::kCompare || row->shape == Shape::kComparePairs);
}

std::uint64_t take_combination(std::vector<Word>& parts) {
  static constexpr Meaning<std::uint64_t> kNames[] = {{"and", kAnd}, {"or", kOr}, {"xor", kXor}};
  for (const auto& [name, value] : kNames) {
    const auto found = std::find(parts.begin() + 1, parts.end(), name);
    if (found == parts.end()) continue;
    parts.erase(found);
    return value;
  }
  return kPlain;
}

// setp.CMP{.BOOL}{.ftz}.TYPE p{|q}, a, b{, {!}c}
void decode_compare(FunctionScope& scope, const ptx::Instruction& instruction, const Row* plain) {
  std::vector<Word> parts = instruction.parts;
  const std::uint64_t combination = take_combination(parts);
  const Row* row = combination ? opcode_table().find(text_of(parts)) : plain;
  if (!compares(row)) unsupported(instruction);
  const auto& operands = instruction.operands;
  check_operand_count(instruction, row->source_count + (combination ? 2 : 1));
  Inst made;
  made.imm = combination;
  made.a = scope.operands.source(operands.at(1), row->sources[0]);
  made.b = scope.operands.source(operands.at(2), row->sources[1]);
  if (combination) {
    if (const auto* negated = std::get_if<ptx::Negated>(&operands.at(3).value)) {
      made.c = scope.operands.predicate(negated->name.name);
      made.imm |= kNegateC;
    } else {
      made.c = scope.operands.source(operands.at(3), ptx::Type::kPred);
    }
  }
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operands.at(0).value)) {
    made.d = scope.operands.result(pair->elements[0], ptx::Type::kPred);
    made.d2 = scope.operands.result(pair->elements[1], ptx::Type::kPred);
  } else {
    made.d = scope.operands.result(operands.at(0), ptx::Type::kPred);
  }
  scope.code.add(made, *row);
}

}  // namespace

void decode_row(FunctionScope& scope, const ptx::Instruction& instruction) {
  const Row* row = opcode_table().find(instruction.opcode);
  // setp.lt.and.s32: the combining operation is not part of the row's name.
  if (!row || row->shape != Shape::kLanewise) return decode_compare(scope, instruction, row);
  check_operand_count(instruction, row->source_count + 1);
  Inst made;
  Slot* const sources[] = {&made.a, &made.b, &made.c, &made.e};
  for (int i = 0; i < row->source_count; ++i)
    *sources[i] = scope.operands.source(instruction.operands.at(i + 1), row->sources[i]);
  made.d = scope.operands.result(instruction.operands.at(0), row->result);
  scope.code.add(made, *row);
}

// lop3.BOOL.b32 d|p, a, b, c, table, {!}q: p = (d != 0) BOOL q. The d may be `_`.
void decode_logic_of_three(FunctionScope& scope, const ptx::Instruction& instruction) {
  const bool has_predicate = instruction.parts.size() == 3;
  if (!has_predicate) return decode_row(scope, instruction);
  const auto* results = std::get_if<ptx::DestinationPair>(&instruction.operands.at(0).value);
  const bool known = is_one_of(instruction.parts[1], {"or", "and"}) && instruction.parts[2] == "b32";
  if (!known || !results || instruction.operands.size() != 6) unsupported(instruction);
  ptx::Instruction logic = instruction;
  set_opcode(logic, {"lop3", "b32"});
  logic.operands[0] = results->elements[0];
  logic.operands.pop_back();
  const bool is_wanted = !std::holds_alternative<ptx::Underscore>(logic.operands[0].value);
  constexpr const char* kScratch = "the result of lop3";  // cannot be the name of a register in PTX
  if (!is_wanted) {
    scope.declarations.scratch_word(kScratch);
    logic.operands[0].value = ptx::Register{kScratch};
  }
  decode_row(scope, logic);
  ptx::Instruction compare = instruction;
  set_opcode(compare, {"setp", "ne", instruction.parts[1], "b32"});
  compare.operands = {results->elements[1], logic.operands[0], {ptx::Immediate{}}, instruction.operands[5]};
  decode_row(scope, compare);
}

// ---- mov ---------------------------------------------------------------------------------------------
namespace {

// The type of one part of a packed value; for example, 2 parts of 64 bits have 32 bits each.
ptx::Type part_type(std::size_t bytes) {
  switch (bytes) {
    case 1: return ptx::Type::kB8;
    case 2: return ptx::Type::kB16;
    case 4: return ptx::Type::kB32;
    case 8: return ptx::Type::kB64;
    default: return ptx::Type::kB128;
  }
}

void decode_pack(FunctionScope& scope, const ptx::Instruction& instruction, const ptx::Vector& parts,
                 std::size_t bytes) {
  const std::size_t count = parts.elements.size();
  const Row& row = internal_row(fmt::format("pack.b{}.v{}", 8 * bytes, count));
  std::vector<Slot> slots;
  for (const ptx::Operand& part : parts.elements)
    slots.push_back(scope.operands.source(part, part_type(bytes / count)));
  Inst made;
  made.d = scope.operands.result(instruction.operands.at(0), part_type(bytes));
  made.slots = scope.module.keep(std::move(slots));
  scope.code.add(made, row);
}

void decode_unpack(FunctionScope& scope, const ptx::Instruction& instruction, const ptx::Vector& parts,
                   std::size_t bytes) {
  const std::size_t count = parts.elements.size();
  const Row& row = internal_row(fmt::format("unpack.b{}.v{}", 8 * bytes, count));
  Inst made;
  made.a = scope.operands.source(instruction.operands.at(1), part_type(bytes));
  std::vector<Slot> slots;
  for (const ptx::Operand& part : parts.elements)
    slots.push_back(scope.operands.result(part, part_type(bytes / count)));
  made.slots = scope.module.keep(std::move(slots));
  scope.code.add(made, row);
}

}  // namespace

void decode_mov(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (instruction.parts.size() != 2) unsupported(instruction);
  const auto type = ptx::type_named(instruction.parts.at(1));
  if (!type) unsupported(instruction);
  const std::size_t bytes = ptx::info(*type).bytes;
  if (const auto* parts = std::get_if<ptx::Vector>(&instruction.operands.at(1).value))
    return decode_pack(scope, instruction, *parts, bytes);
  if (const auto* parts = std::get_if<ptx::Vector>(&instruction.operands.at(0).value))
    return decode_unpack(scope, instruction, *parts, bytes);
  const Row& row = internal_row(bytes == 0 ? "mov.pred" : "mov.b" + std::to_string(8 * bytes));
  Inst made;
  made.a = scope.operands.source(instruction.operands.at(1), *type);
  made.d = scope.operands.result(instruction.operands.at(0), *type);
  scope.code.add(made, row);
}

// ---- cvta --------------------------------------------------------------------------------------------
// cvta{.to}.SPACE.SIZE d, a: converts between an address in a memory space and a generic address. Only
// shared, local and parameter addresses differ from generic ones here (memory.h).
void decode_cvta(FunctionScope& scope, const ptx::Instruction& instruction) {
  const bool to_space = part_of(instruction, 1) == "to";
  std::string_view space = part_of(instruction, to_space ? 2 : 1).text();
  space = space.substr(0, space.find("::"));
  if (instruction.parts.back() != "u64") unsupported(instruction);
  const std::uint64_t window = space == "shared" ? kSharedWindow : space == "local" ? kLocalWindow : 0;
  Inst made;
  made.a = scope.operands.source(instruction.operands.at(1), ptx::Type::kU64);
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kU64);
  if (window != 0) made.b = scope.operands.constant(to_space ? 0 - window : window, 8);
  scope.code.add(made, internal_row(window == 0 ? "mov.b64" : "add.u64"));
}

}  // namespace cudalab::vgpu
