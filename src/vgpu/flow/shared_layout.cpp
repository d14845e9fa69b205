#include "vgpu/flow/shared_layout.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/alignment.h"

namespace cudalab::vgpu {
namespace {

using NameSet = std::unordered_set<std::string_view>;

// What a function's text names, and whether it calls what a register says.
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

  // The names that a function and all that it may call mention; a call through a register may go anywhere.
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
