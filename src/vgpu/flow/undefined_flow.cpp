#include "vgpu/flow/undefined_flow.h"

#include <algorithm>
#include <unordered_map>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

using ptx::has_part;

using Kind = ValueStep::Kind;
using Names = std::vector<std::string>;

// Adds the registers of a value; "" for a constant.
void add_values(Names& names, const ptx::Operand& operand) {
  ptx::for_each_element(operand, [&](const ptx::Operand& element) {
    const ptx::Register* name = ptx::register_of(element);
    names.push_back(name ? name->name : "");
  });
}

void add_address(Names& names, const ptx::Operand& operand) {
  if (const ptx::Register* base = ptx::base_register_of(operand)) names.push_back(base->name);
}

Names values_of(const ptx::Instruction& instruction, std::size_t first) {
  Names names;
  for (std::size_t i = first; i < instruction.operands.size(); ++i)
    add_values(names, instruction.operands[i]);
  return names;
}

ValueUse use_of_logic(const ptx::Instruction& instruction) {
  ValueUse use{.kind = instruction.parts[0] == "and" ? Kind::kAnd : Kind::kOr};
  add_values(use.results, instruction.operands[0]);
  use.values = values_of(instruction, 1);
  for (std::size_t i = 0; i < 2; ++i)
    use.negated[i] = std::holds_alternative<ptx::Negated>(instruction.operands[i + 1].value);
  return use;
}

ValueUse use_of_select(const ptx::Instruction& instruction) {
  ValueUse use{.kind = Kind::kSelect};
  add_values(use.results, instruction.operands[0]);
  use.values = values_of(instruction, 1);
  use.chooser = use.values.back();
  use.values.pop_back();
  return use;
}

ValueUse use_of_load(const ptx::Instruction& instruction) {
  ValueUse use{.kind = has_part(instruction, "local") ? Kind::kLoad : Kind::kMix};
  add_values(use.results, instruction.operands[0]);
  add_address(use.matters, instruction.operands[1]);
  return use;
}

ValueUse use_of_store(const ptx::Instruction& instruction) {
  ValueUse use{.kind = Kind::kStore};
  add_address(use.matters, instruction.operands[0]);
  add_values(use.values, instruction.operands[1]);
  return use;
}

ValueUse use_of_atomic(const ptx::Instruction& instruction) {
  ValueUse use;
  const std::size_t at = instruction.facts->has_result ? 1 : 0;
  if (at == 1) add_values(use.results, instruction.operands[0]);
  add_address(use.matters, instruction.operands[at]);
  for (std::string& name : values_of(instruction, at + 1)) use.matters.push_back(std::move(name));
  return use;
}

// Arithmetic, conversions and moves: rows of the opcode table.
ValueUse use_of_row(const ptx::Instruction& instruction) {
  ValueUse use;
  add_values(use.results, instruction.operands[0]);
  // A word of bit-fields may be partly undefined without harm.
  if (instruction.facts->bits == ptx::Bits::kAll) use.values = values_of(instruction, 1);
  return use;
}

ValueUse use_of_shuffle(const ptx::Instruction& instruction) {
  ValueUse use{.kind = Kind::kShuffle};
  const auto* pair = std::get_if<ptx::DestinationPair>(&instruction.operands[0].value);
  add_values(use.results, pair ? pair->elements[0] : instruction.operands[0]);
  add_values(use.values, instruction.operands[1]);
  return use;
}

ValueUse unguarded_use_of(const ptx::Instruction& instruction) {
  const ptx::OpcodeFacts& facts = *instruction.facts;
  const std::size_t operands = instruction.operands.size();
  if (facts.bits != ptx::Bits::kUnseen && operands >= 2) {
    if (facts.access == ptx::Access::kLoad) return use_of_load(instruction);
    if (facts.access == ptx::Access::kStore) return use_of_store(instruction);
    if (facts.access != ptx::Access::kNone) return use_of_atomic(instruction);
    if (facts.lanes == ptx::Lanes::kShuffled) return use_of_shuffle(instruction);
    const ptx::Word name = instruction.parts[0];
    if (name == "selp" && operands == 4) return use_of_select(instruction);
    if ((name == "and" || name == "or") && has_part(instruction, "pred") && operands == 3)
      return use_of_logic(instruction);
    return use_of_row(instruction);
  }
  ValueUse use;
  ptx::for_each_result(instruction, [&](const ptx::Operand& element) { add_values(use.results, element); });
  return use;
}

}  // namespace

ValueUse value_use_of(const ptx::Instruction& instruction) {
  ValueUse use = unguarded_use_of(instruction);
  if (instruction.guard) use.matters.push_back(instruction.guard->predicate);
  return use;
}

namespace {

bool is_source(const ValueUse& use) { return use.kind == Kind::kLoad || use.kind == Kind::kShuffle; }

bool has_source(const ptx::Function& function) {
  return std::any_of(function.body.begin(), function.body.end(), [](const ptx::Statement& statement) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) return false;
    return instruction->facts->lanes == ptx::Lanes::kShuffled ||
           (instruction->facts->access == ptx::Access::kLoad && has_part(*instruction, "local"));
  });
}

}  // namespace

UndefinedFlow::UndefinedFlow(const ptx::Function& function) {
  if (!has_source(function)) return;
  std::vector<ValueUse> uses;
  std::unordered_map<std::string, std::vector<std::size_t>> takers;  // of a register: indices of uses
  for (const ptx::Statement& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    uses.push_back(value_use_of(*instruction));
    if (uses.back().results.empty()) continue;
    for (const std::string& name : uses.back().values) takers[name].push_back(uses.size() - 1);
    takers[uses.back().chooser].push_back(uses.size() - 1);
  }
  std::vector<std::string> reached;
  const auto reach_results = [&](const ValueUse& use) {
    for (const std::string& name : use.results)
      if (!name.empty() && names_.insert(name).second) reached.push_back(name);
  };
  for (const ValueUse& use : uses)
    if (is_source(use)) reach_results(use);
  while (!reached.empty()) {
    const std::string name = std::move(reached.back());
    reached.pop_back();
    for (const std::size_t taker : takers[name]) reach_results(uses[taker]);
  }
}

bool UndefinedFlow::concerns(const ValueUse& use) const {
  const auto is_one = [&](const std::string& name) { return may_be_undefined(name); };
  return std::any_of(use.results.begin(), use.results.end(), is_one) ||
         std::any_of(use.values.begin(), use.values.end(), is_one) ||
         std::any_of(use.matters.begin(), use.matters.end(), is_one) || is_one(use.chooser);
}

}  // namespace cudalab::vgpu
