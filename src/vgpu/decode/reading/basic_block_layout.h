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

// Basic blocks of a function, and the order in which to lay them out so that diverged lanes meet again.

// The basic blocks of a function; 0 is the entry. `successors[b]` are those that may follow b.
struct BasicBlockGraph {
  std::vector<std::vector<std::uint32_t>> successors;
};

// A weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993):
// loops are contiguous, and but for edges back to a loop's head every edge goes forwards. Of a warp's paths
// the one that stands first in this order runs; so all lanes that can still reach a block come before it, and
// they meet no later than at the immediate post-dominator of the branch that parted them ("thread frontiers",
// G. Diamos et al., MICRO 2011). What the entry does not reach is left out.
std::vector<std::uint32_t> layout_order(const BasicBlockGraph& graph);

// The basic blocks of a function: which instruction begins one, the order in which their code stands, and the
// branches from one to another.

struct BasicBlock {
  std::size_t begin = 0, end = 0;         // statements
  std::vector<std::uint32_t> successors;  // as `BasicBlockLayout` numbers them
  std::size_t start = 0;                  // of its code
};

class BasicBlockLayout {
 public:
  // Throws Error(kUsage) for a branch to a label that does not exist.
  BasicBlockLayout(const ptx::Function& source, const std::string& source_name);

  const ptx::Instruction* instruction_at(std::size_t statement) const;  // nullptr: a label
  std::vector<std::uint32_t> order() const;                             // of those that can be reached
  const BasicBlock& operator[](std::uint32_t index) const { return basic_blocks_[index]; }
  std::vector<BasicBlockSpan> spans() const;  // all of them, as the counters' rules read them
  // The basic blocks that a bra or brx may go to; none where its operands are not of that form.
  std::vector<std::uint32_t> targets_of(const ptx::Instruction& instruction) const;

  // The code of a basic block begins at `start`; that of `next` will stand behind it.
  void begin(std::uint32_t index, std::optional<std::uint32_t> next, std::size_t start);
  std::uint32_t after() const { return current_ + 1; }  // the one that follows in the text
  bool is_last() const { return after() == basic_blocks_.size(); }
  bool stands_next(std::uint32_t index) const { return next_ == index; }

  // Fields of instructions (by their place in the code) that hold where a basic block's code begins.
  void patch_target(std::size_t inst, std::uint32_t basic_block);
  void patch_fallthrough(std::size_t inst, std::uint32_t basic_block);
  void patch_fallthrough_behind(std::size_t inst);  // the instruction behind it
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
  std::vector<std::size_t> behind_;            // instructions whose fallthrough is the one behind them
  std::map<std::string, std::size_t> tables_;  // by label of the list
  std::vector<TablePatch> table_patches_;
};

}  // namespace cudalab::vgpu
