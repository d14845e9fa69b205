#include "vgpu/time/round_strides.h"

#include "ptx/operand_elements.h"

namespace cudalab::vgpu {
namespace {

std::optional<std::int64_t> constant_at(const ptx::Instruction& instruction, std::size_t i) {
  if (i >= instruction.operands.size()) return std::nullopt;
  const auto* found = std::get_if<ptx::Immediate>(&instruction.operands[i].value);
  if (!found || found->kind != ptx::Immediate::Kind::kInteger) return std::nullopt;
  return static_cast<std::int64_t>(found->bits);
}

std::optional<std::int64_t> sum(std::optional<std::int64_t> a, std::optional<std::int64_t> b,
                                std::int64_t sign = 1) {
  if (!a || !b) return std::nullopt;
  const auto b_bits = static_cast<std::uint64_t>(*b);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*a) + (sign < 0 ? 0 - b_bits : b_bits));
}

std::optional<std::int64_t> product(std::optional<std::int64_t> stride, std::optional<std::int64_t> times) {
  if (stride == 0) return 0;
  if (!stride || !times) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*stride) * static_cast<std::uint64_t>(*times));
}

}  // namespace

const std::string* register_at(const ptx::Instruction& instruction, std::size_t i) {
  const ptx::Register* found =
      i < instruction.operands.size() ? ptx::register_of(instruction.operands[i]) : nullptr;
  return found ? &found->name : nullptr;
}

void RoundStrides::begin() {
  writes_.clear();
  found_.clear();
}

void RoundStrides::add(const ptx::Instruction& instruction) {
  const std::string* const name = register_at(instruction, 0);
  if (!name) return;
  const bool is_new = writes_.try_emplace(*name, &instruction).second;
  if (!is_new || instruction.guard) writes_[*name] = nullptr;
  found_.clear();
}

std::optional<std::int64_t> RoundStrides::of(std::string_view name) {
  const auto write = writes_.find(name);
  if (write == writes_.end()) return 0;
  const auto [known, is_new] = found_.try_emplace(name, std::nullopt);
  if (!is_new || !write->second) return known->second;
  const ptx::Instruction& instruction = *write->second;
  const std::string* const moved = register_at(instruction, 1);
  std::optional<std::int64_t> by;
  if (moved && *moved == name) {  // what it was before
    const bool adds = instruction.parts[0] == "add", subtracts = instruction.parts[0] == "sub";
    if (adds || subtracts) by = product(subtracts ? -1 : 1, constant_at(instruction, 2));
  } else {
    by = computed(instruction);
  }
  return found_[name] = by;
}

std::optional<std::int64_t> RoundStrides::of_operand(const ptx::Instruction& instruction, std::size_t i) {
  if (const std::string* name = register_at(instruction, i)) return of(*name);
  if (i >= instruction.operands.size()) return std::nullopt;
  const auto& value = instruction.operands[i].value;
  const bool is_constant =
      std::holds_alternative<ptx::Immediate>(value) || std::holds_alternative<ptx::Symbol>(value);
  return is_constant ? std::optional<std::int64_t>(0) : std::nullopt;
}

std::optional<std::int64_t> RoundStrides::computed(const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.parts[0];
  const auto operand = [&](std::size_t i) { return of_operand(instruction, i); };
  if (opcode == "add") return sum(operand(1), operand(2));
  if (opcode == "sub") return sum(operand(1), operand(2), -1);
  if (opcode == "mov" || opcode == "cvt" || opcode == "cvta") return operand(1);
  if (opcode == "mul") return product(operand(1), constant_at(instruction, 2));
  if (opcode == "mad") return sum(product(operand(1), constant_at(instruction, 2)), operand(3));
  const std::optional<std::int64_t> places = constant_at(instruction, 2);
  if (opcode == "shl" && places && *places >= 0 && *places < 32)
    return product(operand(1), std::int64_t{1} << *places);
  return std::nullopt;
}

}  // namespace cudalab::vgpu
