#include "vgpu/decode/reading/register_uses.h"

#include <algorithm>
#include <utility>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

// The base of an address (a register or variable) and its offset, as text; "" if there is no base.
std::string place_text(const ptx::Address& address) {
  if (const auto* base = std::get_if<ptx::Register>(&address.base))
    return base->name + "+" + std::to_string(address.offset);
  if (const auto* base = std::get_if<ptx::Symbol>(&address.base))
    return base->name + "+" + std::to_string(address.offset);
  return "";
}

using SetOnce = std::unordered_map<std::string, const ptx::Instruction*>;  // by the instruction that sets it

bool moves(const ptx::Instruction& instruction) {
  const ptx::Linear linear = instruction.facts->linear;
  const bool converts = instruction.parts[0] == "cvt";
  return !instruction.guard && !converts &&
         ((instruction.operands.size() == 2 && linear == ptx::Linear::kCopy) ||
          (instruction.operands.size() == 3 && linear == ptx::Linear::kSum));
}

// Registers that are set once, with the instruction that sets them; nullptr if that is no move.
SetOnce registers_set_once(const ptx::Function& function) {
  std::unordered_map<std::string, int> times;
  SetOnce by;
  for (const ptx::Statement& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    const auto count = [&](const ptx::Operand& element) {
      if (const auto* name = std::get_if<ptx::Register>(&element.value)) ++times[name->name];
    };
    for (const ptx::Operand& result : instruction->call_returns) ptx::for_each_element(result, count);
    ptx::for_each_result(*instruction, count);
    if (!moves(*instruction)) continue;
    if (const auto* name = std::get_if<ptx::Register>(&instruction->operands.front().value))
      by[name->name] = instruction;
  }
  for (const auto& [name, count] : times)
    if (count == 1)
      by.try_emplace(name, nullptr);
    else
      by.erase(name);
  return by;
}

// Adds registers whose value is copied into these, directly or indirectly.
void add_what_is_copied(const ptx::Function& function, std::unordered_set<std::string>& registers) {
  for (std::size_t before = 0; before != registers.size();) {
    before = registers.size();
    for (const ptx::Statement& statement : function.body) {
      const auto* instruction = std::get_if<ptx::Instruction>(&statement);
      if (!instruction || instruction->parts[0] != "mov" || instruction->operands.size() != 2) continue;
      const auto* to = std::get_if<ptx::Register>(&instruction->operands[0].value);
      const auto* from = std::get_if<ptx::Register>(&instruction->operands[1].value);
      if (to && from && registers.contains(to->name)) registers.insert(from->name);
    }
  }
}

// The address and the register with the expected value of an atom.cas; empty for other instructions.
std::pair<const ptx::Address*, const ptx::Register*> swap_in(const ptx::Instruction& instruction) {
  const bool is_atomic = instruction.facts->access == ptx::Access::kAtomic;
  if (!is_atomic || !ptx::has_part(instruction, "cas") || instruction.operands.size() < 4) return {};
  return {std::get_if<ptx::Address>(&instruction.operands[1].value),
          std::get_if<ptx::Register>(&instruction.operands[2].value)};
}

using Base = std::variant<std::monostate, ptx::Register, ptx::Symbol>;

Base as_base(const ptx::Operand& operand) {
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) return *name;
  if (const auto* name = std::get_if<ptx::Symbol>(&operand.value)) return *name;
  return {};
}

// Calls visit(name) for each register and symbol in the operand, including those of an address.
template <class Visit>
void for_each_name(const ptx::Operand& operand, const Visit& visit) {
  ptx::for_each_element(operand, [&](const ptx::Operand& element) {
    if (const ptx::Register* name = ptx::register_of(element)) visit(name->name);
    if (const auto* name = std::get_if<ptx::Symbol>(&element.value)) visit(name->name);
    const auto* address = std::get_if<ptx::Address>(&element.value);
    if (!address) return;
    if (const auto* base = std::get_if<ptx::Register>(&address->base)) visit(base->name);
    if (const auto* base = std::get_if<ptx::Symbol>(&address->base)) visit(base->name);
    for (const auto& coordinate : address->coordinates)
      if (const auto* name = std::get_if<ptx::Register>(&coordinate)) visit(name->name);
  });
}

std::unordered_map<std::string, int> count_mentions(const ptx::Function& function) {
  std::unordered_map<std::string, int> mentions;
  for (const ptx::Statement& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    if (instruction->guard) ++mentions[instruction->guard->predicate];
    ++mentions[instruction->call_target];
    for (const auto* operands :
         {&instruction->operands, &instruction->call_returns, &instruction->call_arguments})
      for (const ptx::Operand& operand : *operands)
        for_each_name(operand, [&](const std::string& name) { ++mentions[name]; });
  }
  return mentions;
}

}  // namespace

RegisterUses::RegisterUses(const ptx::Function& function)
    : set_once_(registers_set_once(function)), mentions_(count_mentions(function)) {
  const auto note_computed = [this](const ptx::Operand& operand) {
    for_each_name(operand, [this](const std::string& name) { computed_.insert(name); });
  };
  for (const ptx::Statement& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    const ptx::Access access = instruction->facts->access;
    for (std::size_t i = 0; i < instruction->operands.size(); ++i) {
      const bool is_result = i == 0 && instruction->facts->has_result,
                 is_stored = i == 1 && access == ptx::Access::kStore;
      if (!is_result && !is_stored) note_computed(instruction->operands[i]);
    }
    for (const ptx::Operand& argument : instruction->call_arguments) note_computed(argument);
    if (access != ptx::Access::kAtomic && access != ptx::Access::kReduction) continue;
    for (const ptx::Operand& operand : instruction->operands)
      if (const auto* address = std::get_if<ptx::Address>(&operand.value))
        atomic_addresses_.insert(place_text(*address));
    if (const auto [address, expected] = swap_in(*instruction); address && expected)
      expected_[place_of(*address)].insert(expected->name);
  }
  for (auto& [place, registers] : expected_) add_what_is_copied(function, registers);
}

// `mov.u64 %rd1, total; add.s64 %rd2, %rd1, 4;`: [%rd2] is [total+4]. A copy is only followed if the copied
// register is also set only once; otherwise it could later hold another address.
std::string RegisterUses::place_of(const ptx::Address& address) const {
  Base base = address.base;
  std::int64_t offset = address.offset;
  for (std::size_t steps = 0; steps <= set_once_.size(); ++steps) {  // registers may be set in a cycle
    const auto* name = std::get_if<ptx::Register>(&base);
    const auto found = name ? set_once_.find(name->name) : set_once_.end();
    if (found == set_once_.end() || !found->second) break;
    const std::vector<ptx::Operand>& operands = found->second->operands;
    const Base from = as_base(operands[1]);
    const auto* copied = std::get_if<ptx::Register>(&from);
    if (copied ? !set_once_.contains(copied->name) : !std::holds_alternative<ptx::Symbol>(from)) break;
    const auto* added = operands.size() == 3 ? std::get_if<ptx::Immediate>(&operands[2].value) : nullptr;
    if (operands.size() == 3 && !added) break;
    if (added) offset += static_cast<std::int64_t>(added->bits);
    base = from;
  }
  if (const auto* name = std::get_if<ptx::Register>(&base)) return name->name + "+" + std::to_string(offset);
  if (const auto* symbol = std::get_if<ptx::Symbol>(&base))
    return symbol->name + "+" + std::to_string(offset + symbol->offset);
  return "";
}

bool RegisterUses::is_expected_by_swap(const ptx::Operand& loaded, const ptx::Address& address) const {
  const auto* name = std::get_if<ptx::Register>(&loaded.value);
  const auto found = expected_.find(place_of(address));
  return name && found != expected_.end() && found->second.contains(name->name);
}

bool RegisterUses::is_computed_with(const ptx::Operand& destination) const {
  const auto* name = std::get_if<ptx::Register>(&destination.value);
  return name && computed_.contains(name->name);
}

bool RegisterUses::is_unused(const ptx::Operand& destination) const {
  if (std::holds_alternative<ptx::Underscore>(destination.value)) return true;
  if (const auto* vector = std::get_if<ptx::Vector>(&destination.value))
    return std::all_of(vector->elements.begin(), vector->elements.end(),
                       [&](const ptx::Operand& element) { return is_unused(element); });
  const auto* name = std::get_if<ptx::Register>(&destination.value);
  return name && mentions_.at(name->name) == 1;
}

bool RegisterUses::is_updated_atomically(const ptx::Address& address) const {
  return atomic_addresses_.contains(place_text(address));
}

}  // namespace cudalab::vgpu
