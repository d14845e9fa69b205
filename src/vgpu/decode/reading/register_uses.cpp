#include "vgpu/decode/reading/register_uses.h"

#include <algorithm>
#include <utility>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

// A register whose value an address is.
std::string place_text(const ptx::Address& address) {
  if (const auto* base = std::get_if<ptx::Register>(&address.base))
    return base->name + "+" + std::to_string(address.offset);
  if (const auto* base = std::get_if<ptx::Symbol>(&address.base))
    return base->name + "+" + std::to_string(address.offset);
  return "";
}

using SetOnce = std::unordered_map<std::string, const ptx::Instruction*>;  // by which instruction

void add_set_registers(std::unordered_map<std::string, int>& times, const ptx::Operand& operand) {
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) ++times[name->name];
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
    for (const ptx::Operand& element : vector->elements) add_set_registers(times, element);
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value))
    for (const ptx::Operand& element : pair->elements) add_set_registers(times, element);
}

bool moves(const ptx::Instruction& instruction) {
  const std::string& name = instruction.parts[0];
  return !instruction.guard && ((instruction.operands.size() == 2 && (name == "mov" || name == "cvta")) ||
                                (instruction.operands.size() == 3 && name == "add"));
}

// What a first operand names counts as set, also where an instruction only reads it. Nothing: set by what is
// no move.
SetOnce registers_set_once(const ptx::Function& function) {
  std::unordered_map<std::string, int> times;
  SetOnce by;
  for (const ptx::Statement& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    for (const ptx::Operand& result : instruction->call_returns) add_set_registers(times, result);
    if (instruction->operands.empty()) continue;
    const ptx::Operand& first = instruction->operands.front();
    add_set_registers(times, first);
    if (const auto* name = std::get_if<ptx::Register>(&first.value); name && moves(*instruction))
      by[name->name] = instruction;
  }
  for (const auto& [name, count] : times)
    if (count == 1)
      by.try_emplace(name, nullptr);
    else
      by.erase(name);
  return by;
}

// With what is copied into them, by whichever way.
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

// The address and what is expected there; nothing of another instruction.
std::pair<const ptx::Address*, const ptx::Register*> swap_in(const ptx::Instruction& instruction) {
  if (instruction.parts[0] != "atom" || !ptx::has_part(instruction, "cas") || instruction.operands.size() < 4)
    return {};
  return {std::get_if<ptx::Address>(&instruction.operands[1].value),
          std::get_if<ptx::Register>(&instruction.operands[2].value)};
}

using Base = std::variant<std::monostate, ptx::Register, ptx::Symbol>;

Base as_base(const ptx::Operand& operand) {
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) return *name;
  if (const auto* name = std::get_if<ptx::Symbol>(&operand.value)) return *name;
  return {};
}

void add_registers(std::unordered_set<std::string>& names, const ptx::Operand& operand) {
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) names.insert(name->name);
  if (const auto* name = std::get_if<ptx::Symbol>(&operand.value)) names.insert(name->name);
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* base = std::get_if<ptx::Register>(&address->base)) names.insert(base->name);
    if (const auto* base = std::get_if<ptx::Symbol>(&address->base)) names.insert(base->name);
    for (const auto& coordinate : address->coordinates)
      if (const auto* name = std::get_if<ptx::Register>(&coordinate)) names.insert(name->name);
  }
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
    for (const ptx::Operand& element : vector->elements) add_registers(names, element);
}

void count_names(std::unordered_map<std::string, int>& mentions, const ptx::Address& address) {
  if (const auto* base = std::get_if<ptx::Register>(&address.base)) ++mentions[base->name];
  if (const auto* base = std::get_if<ptx::Symbol>(&address.base)) ++mentions[base->name];
  for (const auto& coordinate : address.coordinates)
    if (const auto* name = std::get_if<ptx::Register>(&coordinate)) ++mentions[name->name];
}

void count_mention(std::unordered_map<std::string, int>& mentions, const ptx::Operand& operand) {
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) ++mentions[name->name];
  if (const auto* name = std::get_if<ptx::Symbol>(&operand.value)) ++mentions[name->name];
  if (const auto* negated = std::get_if<ptx::Negated>(&operand.value)) ++mentions[negated->name.name];
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) count_names(mentions, *address);
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
    for (const ptx::Operand& element : vector->elements) count_mention(mentions, element);
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value))
    for (const ptx::Operand& element : pair->elements) count_mention(mentions, element);
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
      for (const ptx::Operand& operand : *operands) count_mention(mentions, operand);
  }
  return mentions;
}

}  // namespace

RegisterUses::RegisterUses(const ptx::Function& function)
    : set_once_(registers_set_once(function)), mentions_(count_mentions(function)) {
  for (const ptx::Statement& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    const std::string& name = instruction->parts[0];
    const bool has_result = name != "st" && name != "red" && name != "call" && name != "bra";
    for (std::size_t i = 0; i < instruction->operands.size(); ++i) {
      const bool is_result = i == 0 && has_result, is_stored = i == 1 && name == "st";
      if (!is_result && !is_stored) add_registers(computed_, instruction->operands[i]);
    }
    for (const ptx::Operand& argument : instruction->call_arguments) add_registers(computed_, argument);
    if (name != "atom" && name != "red") continue;
    for (const ptx::Operand& operand : instruction->operands)
      if (const auto* address = std::get_if<ptx::Address>(&operand.value))
        atomic_addresses_.insert(place_text(*address));
    if (const auto [address, expected] = swap_in(*instruction); address && expected)
      expected_[place_of(*address)].insert(expected->name);
  }
  for (auto& [place, registers] : expected_) add_what_is_copied(function, registers);
}

// `mov.u64 %rd1, total; add.s64 %rd2, %rd1, 4;`: [%rd2] is [total+4]. What a register was copied from counts
// only where that is set once, too: it would mean another place later.
std::string RegisterUses::place_of(const ptx::Address& address) const {
  Base base = address.base;
  std::int64_t offset = address.offset;
  for (std::size_t steps = 0; steps <= set_once_.size(); ++steps) {  // registers may be set in a circle
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
