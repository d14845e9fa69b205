// The basic blocks of a function: the control flow between them, and the order of their code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"
#include "vgpu/counters/uniformity.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// Basic blocks of a function, and the order in which to lay them out so that diverged lanes reconverge.

// The control-flow graph; 0 is the entry. `successors[b]` are the basic blocks that may follow b.
struct BasicBlockGraph {
  std::vector<std::vector<std::uint32_t>> successors;
};

// A weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993):
// loops are contiguous, and every edge goes forward, except edges back to a loop's head. A warp runs the path
// that comes first in this order. All lanes that can still reach a block are therefore before it, and they
// reconverge no later than at the immediate post-dominator of the branch where they diverged ("thread
// frontiers", G. Diamos et al., MICRO 2011). Unreachable blocks are omitted.
std::vector<std::uint32_t> layout_order(const BasicBlockGraph& graph);

// The basic blocks of a function: which instructions begin them, the order of their code, and the branches
// between them.

struct BasicBlock {
  std::size_t begin = 0, end = 0;         // statements
  std::vector<std::uint32_t> successors;  // indices in `BasicBlockLayout`
  std::size_t start = 0;                  // index of its code
};

class BasicBlockLayout {
 public:
  // Throws Error(kUsage) for a branch to a label that does not exist.
  BasicBlockLayout(const ptx::Function& source, const std::string& source_name);

  const ptx::Instruction* instruction_at(std::size_t statement) const;  // nullptr: a label
  std::vector<std::uint32_t> order() const;                             // of the reachable ones
  const BasicBlock& operator[](std::uint32_t index) const { return basic_blocks_[index]; }
  std::vector<BasicBlockSpan> spans() const;  // all of them, for the analyses of counters/
  // The basic blocks that a bra or brx may jump to; empty if its operands have another form.
  std::vector<std::uint32_t> targets_of(const ptx::Instruction& instruction) const;

  // Begins the code of a basic block at index `start`; the code of `next` will follow it.
  void begin(std::uint32_t index, std::optional<std::uint32_t> next, std::size_t start);
  std::uint32_t after() const { return current_ + 1; }  // the next one in the text
  bool is_last() const { return after() == basic_blocks_.size(); }
  bool stands_next(std::uint32_t index) const { return next_ == index; }

  // Fields of instructions (by index in the code) that will be set to the start of a basic block's code.
  void patch_target(std::size_t inst, std::uint32_t basic_block);
  void patch_fallthrough(std::size_t inst, std::uint32_t basic_block);
  void patch_fallthrough_behind(std::size_t inst);  // to the instruction after it
  // The index in Program::branch_tables for this list of labels.
  std::size_t branch_table(const std::string& list, std::vector<std::uint32_t> targets, Program& program);
  void apply_patches(std::vector<Inst>& code, Program& program) const;

 private:
  struct Patch {
    std::size_t inst;
    std::uint32_t basic_block;
    enum class Field { kTarget, kFallthrough } field;
  };
  struct TablePatch {
    std::size_t table;
    std::vector<std::uint32_t> basic_blocks;
  };
  void find_basic_blocks();
  void connect_all();
  void connect(std::uint32_t index);
  std::uint32_t basic_block_of_label(const std::string& label) const;

  const ptx::Function& source_;
  const std::string& source_name_;
  std::unordered_map<std::string, std::uint32_t> labels_;                    // to basic blocks
  std::unordered_map<std::string, const ptx::BranchTargets*> target_lists_;  // by label
  std::vector<BasicBlock> basic_blocks_;
  std::uint32_t current_ = 0;
  std::optional<std::uint32_t> next_;
  std::vector<Patch> patches_;
  std::vector<std::size_t> behind_;            // instructions whose fallthrough is the next instruction
  std::map<std::string, std::size_t> tables_;  // by label of the list
  std::vector<TablePatch> table_patches_;
};

}  // namespace cudalab::vgpu
