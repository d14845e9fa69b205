#include "vgpu/decode/reading/block_layout.h"

#include <utility>

#include "core/error.h"
#include "vgpu/decode/reading/control_flow.h"
#include "vgpu/decode/reading/forms.h"

namespace cudalab::vgpu {

BlockLayout::BlockLayout(const ptx::Function& source, const std::string& source_name)
    : source_(source), source_name_(source_name) {
  find_blocks();
  connect_blocks();
}

const ptx::Instruction* BlockLayout::instruction_at(std::size_t statement) const {
  return std::get_if<ptx::Instruction>(&source_.body[statement]);
}

void BlockLayout::find_blocks() {
  blocks_.push_back({});
  for (std::size_t i = 0; i < source_.body.size(); ++i) {
    if (const auto* label = std::get_if<ptx::Label>(&source_.body[i])) {
      if (blocks_.back().end > blocks_.back().begin || i > blocks_.back().begin) {
        blocks_.back().end = i;
        blocks_.push_back({i, i, {}, 0});
      }
      labels_[label->name] = static_cast<std::uint32_t>(blocks_.size() - 1);
      continue;
    }
    blocks_.back().end = i + 1;
    if (ends_basic_block(*instruction_at(i))) blocks_.push_back({i + 1, i + 1, {}, 0});
  }
  blocks_.back().end = source_.body.size();
}

std::uint32_t BlockLayout::block_of_label(const std::string& label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end())
    throw usage_error("{}: `{}` branches to the label `{}`, which does not exist", source_name_, source_.name,
                      label);
  return found->second;
}

// One list of targets may serve many branches, so that a short text makes a graph of any size.
void BlockLayout::connect_blocks() {
  constexpr std::size_t kMostEdges = 1u << 20;
  for (const ptx::BranchTargets& list : source_.branch_targets) target_lists_.try_emplace(list.label, &list);
  std::size_t edges = 0;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    connect_block(i);
    edges += blocks_[i].successors.size();
    if (edges > kMostEdges)
      throw usage_error("{}: `{}` has branches to more than {} targets", source_name_, source_.name,
                        kMostEdges);
  }
}

std::vector<std::uint32_t> BlockLayout::targets_of(const ptx::Instruction& instruction) const {
  const auto* symbol =
      instruction.operands.empty() ? nullptr : std::get_if<ptx::Symbol>(&instruction.operands.back().value);
  if (!symbol) return {};
  if (instruction.parts[0] == "bra") return {block_of_label(symbol->name)};
  std::vector<std::uint32_t> blocks;
  if (const auto list = target_lists_.find(symbol->name); list != target_lists_.end())
    for (const std::string& label : list->second->targets) blocks.push_back(block_of_label(label));
  return blocks;
}

void BlockLayout::connect_block(std::uint32_t index) {
  BasicBlock& block = blocks_[index];
  const ptx::Instruction* last = block.end > block.begin ? instruction_at(block.end - 1) : nullptr;
  if (last && is_branch(*last)) block.successors = targets_of(*last);
  if ((!last || falls_through(*last)) && index + 1 < blocks_.size()) block.successors.push_back(index + 1);
}

std::vector<std::uint32_t> BlockLayout::order() const {
  BasicBlockGraph graph;
  for (const BasicBlock& block : blocks_) graph.successors.push_back(block.successors);
  return layout_order(graph);
}

std::vector<CodeBlock> BlockLayout::code_blocks() const {
  std::vector<CodeBlock> code;
  for (const BasicBlock& block : blocks_) code.push_back({block.begin, block.end, block.successors});
  return code;
}

void BlockLayout::begin(std::uint32_t index, std::optional<std::uint32_t> next, std::size_t start) {
  current_ = index;
  next_ = next;
  blocks_[index].start = start;
}

// ---- patches -----------------------------------------------------------------------------------------
void BlockLayout::patch_target(std::size_t inst, std::uint32_t block) {
  patches_.push_back({inst, block, Patch::Field::kTarget});
}
void BlockLayout::patch_fallthrough(std::size_t inst, std::uint32_t block) {
  patches_.push_back({inst, block, Patch::Field::kFallthrough});
}
void BlockLayout::patch_fallthrough_behind(std::size_t inst) { behind_.push_back(inst); }

std::size_t BlockLayout::branch_table(const std::string& list, std::vector<std::uint32_t> targets,
                                      Program& program) {
  const auto [table, is_new] = tables_.try_emplace(list, program.branch_tables.size());
  if (is_new) {
    table_patches_.push_back({table->second, std::move(targets)});
    program.branch_tables.emplace_back();
  }
  return table->second;
}

void BlockLayout::apply_patches(std::vector<Inst>& code, Program& program) const {
  for (const Patch& patch : patches_) {
    Inst& inst = code[patch.inst];
    const Inst* to = code.data() + blocks_[patch.block].start;
    (patch.field == Patch::Field::kTarget ? inst.target : inst.fallthrough) = to;
  }
  for (std::size_t inst : behind_) code[inst].fallthrough = &code[inst + 1];
  for (const TablePatch& patch : table_patches_)
    for (std::uint32_t block : patch.blocks)
      program.branch_tables[patch.table].push_back(code.data() + blocks_[block].start);
}

}  // namespace cudalab::vgpu
