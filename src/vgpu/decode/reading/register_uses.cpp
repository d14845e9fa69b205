#include "vgpu/decode/reading/register_uses.h"

#include <algorithm>

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

RegisterUses::RegisterUses(const ptx::Function& function) : mentions_(count_mentions(function)) {
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
  }
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
