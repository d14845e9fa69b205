#include "vgpu/time/round_strides.h"

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

const std::string* register_at(const ptx::Instruction& instruction, std::size_t i) {
  if (i >= instruction.operands.size()) return nullptr;
  const auto* found = std::get_if<ptx::Register>(&instruction.operands[i].value);
  return found ? &found->name : nullptr;
}

std::optional<std::int64_t> constant_at(const ptx::Instruction& instruction, std::size_t i) {
  if (i >= instruction.operands.size()) return std::nullopt;
  const auto* found = std::get_if<ptx::Immediate>(&instruction.operands[i].value);
  if (!found || found->kind != ptx::Immediate::Kind::kInteger) return std::nullopt;
  return static_cast<std::int64_t>(found->bits);
}

std::optional<std::int64_t> sum(std::optional<std::int64_t> a, std::optional<std::int64_t> b,
                                std::int64_t sign = 1) {
  if (!a || !b) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*a) + static_cast<std::uint64_t>(sign * *b));
}

std::optional<std::int64_t> product(std::optional<std::int64_t> stride, std::optional<std::int64_t> times) {
  if (stride == 0) return 0;
  if (!stride || !times) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*stride) * static_cast<std::uint64_t>(*times));
}

}  // namespace

void RoundStrides::add(const ptx::Instruction& instruction) {
  const std::string* const name = register_at(instruction, 0);
  if (!name) return;
  const auto [found, is_new] = writes_.try_emplace(*name, instruction);
  if (!is_new || instruction.guard) found->second = std::nullopt;
}

std::optional<std::int64_t> RoundStrides::of(const std::string& name) const {
  Known above;
  return stride(name, above);
}

std::optional<std::int64_t> RoundStrides::stride(const std::string& name, Known& above) const {
  const auto found = writes_.find(name);
  if (found == writes_.end()) return 0;
  if (!found->second || !above.insert(name).second) return std::nullopt;
  const ptx::Instruction& instruction = *found->second;
  const std::string* const moved = register_at(instruction, 1);
  std::optional<std::int64_t> by;
  if (moved && *moved == name) {  // what it was before
    const bool adds = instruction.parts[0] == "add", subtracts = instruction.parts[0] == "sub";
    if (adds || subtracts) by = product(subtracts ? -1 : 1, constant_at(instruction, 2));
  } else {
    by = computed(instruction, above);
  }
  above.erase(name);
  return by;
}

std::optional<std::int64_t> RoundStrides::stride(const ptx::Operand& operand, Known& above) const {
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) return stride(name->name, above);
  const bool is_constant = std::holds_alternative<ptx::Immediate>(operand.value) ||
                           std::holds_alternative<ptx::Symbol>(operand.value);
  return is_constant ? std::optional<std::int64_t>(0) : std::nullopt;
}

std::optional<std::int64_t> RoundStrides::computed(const ptx::Instruction& instruction, Known& above) const {
  const std::string_view opcode = instruction.parts[0];
  const auto of_operand = [&](std::size_t i) {
    return i < instruction.operands.size() ? stride(instruction.operands[i], above) : std::nullopt;
  };
  if (opcode == "add") return sum(of_operand(1), of_operand(2));
  if (opcode == "sub") return sum(of_operand(1), of_operand(2), -1);
  if (opcode == "mov" || opcode == "cvt" || opcode == "cvta") return of_operand(1);
  if (opcode == "mul") return product(of_operand(1), constant_at(instruction, 2));
  if (opcode == "mad") return sum(product(of_operand(1), constant_at(instruction, 2)), of_operand(3));
  const std::optional<std::int64_t> places = constant_at(instruction, 2);
  if (opcode == "shl" && places && *places >= 0 && *places < 32)
    return product(of_operand(1), std::int64_t{1} << *places);
  return std::nullopt;
}

}  // namespace cudalab::vgpu
