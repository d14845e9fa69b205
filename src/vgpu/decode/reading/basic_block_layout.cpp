#include "vgpu/decode/reading/basic_block_layout.h"

#include <utility>

#include "core/error.h"
#include "vgpu/decode/reading/control_flow.h"
#include "vgpu/decode/reading/forms.h"

namespace cudalab::vgpu {

BasicBlockLayout::BasicBlockLayout(const ptx::Function& source, const std::string& source_name)
    : source_(source), source_name_(source_name) {
  find_basic_blocks();
  connect_all();
}

const ptx::Instruction* BasicBlockLayout::instruction_at(std::size_t statement) const {
  return std::get_if<ptx::Instruction>(&source_.body[statement]);
}

void BasicBlockLayout::find_basic_blocks() {
  basic_blocks_.push_back({});
  for (std::size_t i = 0; i < source_.body.size(); ++i) {
    if (const auto* label = std::get_if<ptx::Label>(&source_.body[i])) {
      if (basic_blocks_.back().end > basic_blocks_.back().begin || i > basic_blocks_.back().begin) {
        basic_blocks_.back().end = i;
        basic_blocks_.push_back({i, i, {}, 0});
      }
      labels_[label->name] = static_cast<std::uint32_t>(basic_blocks_.size() - 1);
      continue;
    }
    basic_blocks_.back().end = i + 1;
    if (ends_basic_block(*instruction_at(i))) basic_blocks_.push_back({i + 1, i + 1, {}, 0});
  }
  basic_blocks_.back().end = source_.body.size();
}

std::uint32_t BasicBlockLayout::basic_block_of_label(const std::string& label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end())
    throw usage_error("{}: `{}` branches to the label `{}`, which does not exist", source_name_, source_.name,
                      label);
  return found->second;
}

// One list of targets may serve many branches, so that a short text makes a graph of any size.
void BasicBlockLayout::connect_all() {
  constexpr std::size_t kMostEdges = 1u << 20;
  for (const ptx::BranchTargets& list : source_.branch_targets) target_lists_.try_emplace(list.label, &list);
  std::size_t edges = 0;
  for (std::uint32_t i = 0; i < basic_blocks_.size(); ++i) {
    connect(i);
    edges += basic_blocks_[i].successors.size();
    if (edges > kMostEdges)
      throw usage_error("{}: `{}` has branches to more than {} targets", source_name_, source_.name,
                        kMostEdges);
  }
}

std::vector<std::uint32_t> BasicBlockLayout::targets_of(const ptx::Instruction& instruction) const {
  const auto* symbol =
      instruction.operands.empty() ? nullptr : std::get_if<ptx::Symbol>(&instruction.operands.back().value);
  if (!symbol) return {};
  if (instruction.parts[0] == "bra") return {basic_block_of_label(symbol->name)};
  std::vector<std::uint32_t> basic_blocks;
  if (const auto list = target_lists_.find(symbol->name); list != target_lists_.end())
    for (const std::string& label : list->second->targets)
      basic_blocks.push_back(basic_block_of_label(label));
  return basic_blocks;
}

void BasicBlockLayout::connect(std::uint32_t index) {
  BasicBlock& basic_block = basic_blocks_[index];
  const ptx::Instruction* last =
      basic_block.end > basic_block.begin ? instruction_at(basic_block.end - 1) : nullptr;
  if (last && is_branch(*last)) basic_block.successors = targets_of(*last);
  if ((!last || falls_through(*last)) && index + 1 < basic_blocks_.size())
    basic_block.successors.push_back(index + 1);
}

std::vector<std::uint32_t> BasicBlockLayout::order() const {
  BasicBlockGraph graph;
  for (const BasicBlock& basic_block : basic_blocks_) graph.successors.push_back(basic_block.successors);
  return layout_order(graph);
}

std::vector<BasicBlockSpan> BasicBlockLayout::spans() const {
  std::vector<BasicBlockSpan> code;
  for (const BasicBlock& basic_block : basic_blocks_)
    code.push_back({basic_block.begin, basic_block.end, basic_block.successors});
  return code;
}

void BasicBlockLayout::begin(std::uint32_t index, std::optional<std::uint32_t> next, std::size_t start) {
  current_ = index;
  next_ = next;
  basic_blocks_[index].start = start;
}

// ---- patches -----------------------------------------------------------------------------------------
void BasicBlockLayout::patch_target(std::size_t inst, std::uint32_t basic_block) {
  patches_.push_back({inst, basic_block, Patch::Field::kTarget});
}
void BasicBlockLayout::patch_fallthrough(std::size_t inst, std::uint32_t basic_block) {
  patches_.push_back({inst, basic_block, Patch::Field::kFallthrough});
}
void BasicBlockLayout::patch_fallthrough_behind(std::size_t inst) { behind_.push_back(inst); }

std::size_t BasicBlockLayout::branch_table(const std::string& list, std::vector<std::uint32_t> targets,
                                           Program& program) {
  const auto [table, is_new] = tables_.try_emplace(list, program.branch_tables.size());
  if (is_new) {
    table_patches_.push_back({table->second, std::move(targets)});
    program.branch_tables.emplace_back();
  }
  return table->second;
}

void BasicBlockLayout::apply_patches(std::vector<Inst>& code, Program& program) const {
  for (const Patch& patch : patches_) {
    Inst& inst = code[patch.inst];
    const Inst* to = code.data() + basic_blocks_[patch.basic_block].start;
    (patch.field == Patch::Field::kTarget ? inst.target : inst.fallthrough) = to;
  }
  for (std::size_t inst : behind_) code[inst].fallthrough = &code[inst + 1];
  for (const TablePatch& patch : table_patches_)
    for (std::uint32_t basic_block : patch.basic_blocks)
      program.branch_tables[patch.table].push_back(code.data() + basic_blocks_[basic_block].start);
}

}  // namespace cudalab::vgpu
