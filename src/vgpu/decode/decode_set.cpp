// set: a comparison whose result is a number, as a setp into a predicate of our own and a choice between two
// constants.
#include "core/text.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/opcode_names.h"

namespace cudalab::vgpu {
namespace {

constexpr const char* kScratch = "the predicate of set";  // no register in PTX is called that

// What a comparison that holds gives: 1.0, or all ones.
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
    return decode_row(scope, instruction);  // two numbers a register
  const std::size_t parts = instruction.parts.size();
  const auto type = parts >= 4 ? ptx::type_named(instruction.parts.at(parts - 2)) : std::nullopt;
  const auto yes = type ? true_value(*type) : std::nullopt;
  if (!yes) unsupported(instruction);

  ptx::Instruction compare = instruction;
  compare.parts.at(0) = "setp";
  compare.parts.erase(compare.parts.end() - 2);
  compare.opcode = joined(compare.parts, ".");
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

}  // namespace cudalab::vgpu
