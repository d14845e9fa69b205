// Shared memory of a module: its layout per kernel, and the variable that an address was computed from.
#include "vgpu/flow/shared_memory.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/alignment.h"
#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

using ptx::is_one_of;

constexpr int kMostPasses = 64;

// A cvt between integers that can hold a shared address.
bool keeps_addresses(const ptx::Instruction& instruction) {
  const std::size_t parts = instruction.parts.size();
  const auto is_wide = [](ptx::Word type) { return is_one_of(type, {"u32", "s32", "u64", "s64"}); };
  return parts >= 3 && is_wide(instruction.parts[parts - 1]) && is_wide(instruction.parts[parts - 2]);
}

// Instructions whose result does not depend on their operands.
bool reads_memory(const ptx::Instruction& instruction) {
  return instruction.facts->access != ptx::Access::kNone || instruction.facts->flow == ptx::Flow::kBack;
}

const ptx::Instruction* instruction_of(const ptx::Statement& statement) {
  return std::get_if<ptx::Instruction>(&statement);
}

bool names_symbol(const ptx::Operand& operand, const std::function<bool(const std::string&)>& is_wanted) {
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) return is_wanted(symbol->name);
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  const auto* base = address ? std::get_if<ptx::Symbol>(&address->base) : nullptr;
  return base && is_wanted(base->name);
}

bool names_any(const ptx::Function& function, const std::function<bool(const std::string&)>& is_wanted) {
  return std::ranges::any_of(function.body, [&](const ptx::Statement& statement) {
    const ptx::Instruction* instruction = instruction_of(statement);
    return instruction && std::ranges::any_of(instruction->operands, [&](const ptx::Operand& operand) {
             return names_symbol(operand, is_wanted);
           });
  });
}

}  // namespace

SharedBases::SharedBases(const ptx::Function& function, std::function<bool(const std::string&)> is_variable)
    : is_variable_(std::move(is_variable)) {
  if (!names_any(function, is_variable_)) return;
  for (const ptx::Statement& statement : function.body)
    if (const ptx::Instruction* instruction = instruction_of(statement))
      for_each_result(*instruction, [&](const std::string& name) { registers_[name] = {}; });
  bool changed = true;
  for (int pass = 0; changed && pass < kMostPasses; ++pass) {
    changed = false;
    for (const ptx::Statement& statement : function.body)
      if (const ptx::Instruction* instruction = instruction_of(statement)) changed |= learn(*instruction);
  }
  if (changed) registers_.clear();
}

std::string_view SharedBases::of(const ptx::Address& address) const {
  if (const auto* symbol = std::get_if<ptx::Symbol>(&address.base)) return of_symbol(symbol->name).variable;
  const auto* base = std::get_if<ptx::Register>(&address.base);
  const auto found = base ? registers_.find(base->name) : registers_.end();
  return found == registers_.end() ? std::string_view() : found->second.variable;
}

// ---- values ------------------------------------------------------------------------------------------
// The value of a register that may hold either.
SharedBases::Value SharedBases::met(const Value& a, const Value& b) {
  if (a.kind == Value::Kind::kUnseen || a == b) return b;
  if (b.kind == Value::Kind::kUnseen) return a;
  return {Value::Kind::kUnknown};
}

// The value of a result computed from both.
SharedBases::Value SharedBases::mixed(const Value& a, const Value& b) {
  if (a.kind == Value::Kind::kUnseen || b.kind == Value::Kind::kUnseen) return {};
  const bool are_integers = a.kind == Value::Kind::kInteger && b.kind == Value::Kind::kInteger;
  return {are_integers ? Value::Kind::kInteger : Value::Kind::kUnknown};
}

SharedBases::Value SharedBases::sum(const Value& a, const Value& b) {
  if (a.kind == Value::Kind::kAddress && b.kind == Value::Kind::kInteger) return a;
  if (b.kind == Value::Kind::kAddress && a.kind == Value::Kind::kInteger) return b;
  return mixed(a, b);
}

SharedBases::Value SharedBases::difference(const Value& a, const Value& b) {
  if (a.kind == Value::Kind::kAddress && b.kind == Value::Kind::kInteger) return a;
  return mixed(a, b);
}

SharedBases::Value SharedBases::of_symbol(const std::string& name) const {
  return is_variable_(name) ? Value{Value::Kind::kAddress, name} : Value{Value::Kind::kUnknown};
}

SharedBases::Value SharedBases::of_operand(const ptx::Operand& operand) const {
  if (std::holds_alternative<ptx::Immediate>(operand.value)) return {Value::Kind::kInteger};
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) return of_symbol(symbol->name);
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) {
    const auto found = registers_.find(name->name);
    return found == registers_.end() ? Value{Value::Kind::kInteger} : found->second;
  }
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
    Value all{Value::Kind::kInteger};
    for (const ptx::Operand& element : vector->elements) all = mixed(all, of_operand(element));
    return all;
  }
  return {Value::Kind::kUnknown};
}

// ---- instructions ------------------------------------------------------------------------------------
SharedBases::Value SharedBases::result_of(const ptx::Instruction& instruction) const {
  const ptx::Word name = instruction.parts[0];
  const auto& operands = instruction.operands;
  const auto at = [&](std::size_t i) { return of_operand(operands[i]); };
  if (reads_memory(instruction)) return {Value::Kind::kInteger};
  const bool is_copied = is_one_of(name, {"mov", "cvta"}) || (name == "cvt" && keeps_addresses(instruction));
  const bool has_one_result = !std::holds_alternative<ptx::Vector>(operands[0].value);
  if (is_copied && operands.size() == 2 && has_one_result) return at(1);
  if (name == "add" && operands.size() == 3) return sum(at(1), at(2));
  if (name == "sub" && operands.size() == 3) return difference(at(1), at(2));
  if (is_one_of(name, {"mad", "mad24"}) && operands.size() == 4) return sum(mixed(at(1), at(2)), at(3));
  if (name == "selp" && operands.size() == 4) return met(at(1), at(2));
  Value all{Value::Kind::kInteger};
  for (std::size_t i = 1; i < operands.size(); ++i) all = mixed(all, at(i));
  return all;
}

template <class Function>
void SharedBases::for_each_result(const ptx::Instruction& instruction, const Function& function) {
  const auto visit = [&](const ptx::Operand& element) {
    if (const auto* name = std::get_if<ptx::Register>(&element.value)) function(name->name);
  };
  for (const ptx::Operand& operand : instruction.call_returns) ptx::for_each_element(operand, visit);
  ptx::for_each_result(instruction, visit);
}

bool SharedBases::learn(const ptx::Instruction& instruction) {
  bool changed = false;
  std::optional<Value> result;
  for_each_result(instruction, [&](const std::string& name) {
    if (!result)
      result = instruction.operands.empty() ? Value{Value::Kind::kInteger} : result_of(instruction);
    Value& known = registers_[name];
    const Value now = met(known, *result);
    changed |= now != known;
    known = now;
  });
  return changed;
}

namespace {

using NameSet = std::unordered_set<std::string_view>;

// The names in a function's text, and whether it makes indirect calls.
struct Mentions {
  NameSet names;
  bool calls_any = false;
};

void note_names(const ptx::Operand& operand, NameSet& names) {
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) names.insert(symbol->name);
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  if (const auto* base = address ? std::get_if<ptx::Symbol>(&address->base) : nullptr)
    names.insert(base->name);
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
    for (const ptx::Operand& element : vector->elements) note_names(element, names);
}

Mentions mentions_of(const ptx::Function& function) {
  Mentions mentions;
  for (const ptx::Statement& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    for (const ptx::Operand& operand : instruction->operands) note_names(operand, mentions.names);
    if (instruction->parts.front() != "call") continue;
    mentions.names.insert(instruction->call_target);
    mentions.calls_any |= !instruction->call_prototype.empty();
  }
  return mentions;
}

class CallGraph {
 public:
  CallGraph(const ptx::Module& module, std::span<const ptx::Function* const> functions)
      : functions_(functions) {
    for (std::size_t i = 0; i < functions.size(); ++i) {
      numbers_[functions[i]->name] = i;
      mentions_.push_back(mentions_of(*functions[i]));
    }
    for (const ptx::Alias& alias : module.aliases)
      if (const auto found = numbers_.find(alias.target); found != numbers_.end())
        numbers_.try_emplace(alias.name, found->second);
  }

  // Names that a function and all functions that it may call mention. An indirect call may reach any
  // function.
  NameSet names_from(std::size_t function) const {
    NameSet names;
    std::vector<bool> seen(mentions_.size());
    std::vector<std::size_t> open{function};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      names.insert(mentions_[at].names.begin(), mentions_[at].names.end());
      for (const std::string_view name : mentions_[at].names)
        if (const auto found = numbers_.find(name); found != numbers_.end()) open.push_back(found->second);
      if (mentions_[at].calls_any) add_functions(open);
    }
    return names;
  }

 private:
  void add_functions(std::vector<std::size_t>& to) const {
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (!functions_[i]->is_entry) to.push_back(i);
  }

  std::span<const ptx::Function* const> functions_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
  std::vector<Mentions> mentions_;
};

bool lies_in_shared(const ptx::Variable& variable) {
  return variable.space == ptx::Space::kShared && !variable.is_extern && variable.bytes() > 0;
}

}  // namespace

SharedLayout lay_out_shared(const ptx::Module& module, std::span<const ptx::Function* const> functions) {
  SharedLayout layout{std::vector<SharedLayout::Place>(module.variables.size()),
                      std::vector<std::uint64_t>(functions.size())};
  if (std::ranges::none_of(module.variables, lies_in_shared)) return layout;
  const CallGraph calls(module, functions);
  std::vector<NameSet> names;
  for (std::size_t i = 0; i < functions.size(); ++i) names.push_back(calls.names_from(i));
  for (std::size_t v = 0; v < module.variables.size(); ++v) {
    const ptx::Variable& variable = module.variables[v];
    if (!lies_in_shared(variable)) continue;
    SharedLayout::Place& place = layout.variables[v];
    for (std::size_t i = 0; i < functions.size(); ++i)
      if (names[i].contains(variable.name)) {
        place.offset = std::max(place.offset, layout.ends[i]);
        if (functions[i]->is_entry) place.kernels.push_back(static_cast<int>(i));
      }
    place.offset = round_up(place.offset, variable.alignment());
    for (std::size_t i = 0; i < functions.size(); ++i)
      if (names[i].contains(variable.name)) layout.ends[i] = place.offset + variable.bytes();
  }
  return layout;
}

}  // namespace cudalab::vgpu
