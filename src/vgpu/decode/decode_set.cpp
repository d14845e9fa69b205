// set: a comparison whose result is a number, as a setp into a predicate of our own and a choice between two
// constants.
#include "vgpu/decode/function_decoder.h"

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
void FunctionDecoder::decode_set(const ptx::Instruction& instruction) {
  if (opcode_table().find(instruction.opcode)) return decode_row(instruction);  // two numbers a register
  const std::size_t parts = instruction.parts.size();
  const auto type = parts >= 4 ? ptx::type_named(instruction.parts.at(parts - 2)) : std::nullopt;
  const auto yes = type ? true_value(*type) : std::nullopt;
  if (!yes || instruction.operands.empty()) unsupported(instruction);

  ptx::Instruction compare = instruction;
  compare.parts.at(0) = "setp";
  compare.parts.erase(compare.parts.end() - 2);
  compare.opcode = fmt::format("{}", fmt::join(compare.parts, "."));
  compare.operands.at(0).value = ptx::Register{kScratch};
  const Slot predicate =
      registers_.try_emplace(kScratch, RegisterInfo{ptx::Type::kPred, 0, allocate(4)}).first->second.slot;
  decode_row(compare);

  const std::size_t bytes = ptx::info(*type).bytes;
  Inst choice;
  choice.a = context_.constants.slot(*yes, bytes);
  choice.b = context_.constants.slot(0, bytes);
  choice.c = predicate;
  choice.d = result(instruction.operands.at(0), *type);
  choice.run = internal_row(bytes == 2 ? "selp.b16" : "selp.b32").run;
  choice.source = line_;
  pending_.push_back(choice);
}

}  // namespace cudalab::vgpu
