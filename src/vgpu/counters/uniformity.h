// Finds values that ptxas knows to be the same in all lanes of a warp, and code that it knows to be executed
// by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace cudalab::vgpu {

// Statements [begin, end) of a function, and the indices of the successor basic blocks.
struct BasicBlockSpan {
  std::size_t begin = 0, end = 0;
  std::vector<std::uint32_t> successors;
};

// The rules are derived from how ptxas 13.0 compiles reductions at such addresses (docs/counters.md,
// "Atomics"). Uniform: parameters, block indices, votes, and loads from uniform addresses. Not uniform:
// thread indices, atomics, values computed from these, and registers whose definition depends on a divergent
// branch.
class Uniformity {
 public:
  Uniformity(const ptx::Function& function, std::vector<BasicBlockSpan> basic_blocks);

  bool is_uniform(const ptx::Operand& operand) const;
  bool is_uniform(const ptx::Address& address) const;
  // The value of an immediate, or of a register that is always this constant.
  std::optional<std::uint64_t> constant(const ptx::Operand& operand) const;
  // Whether the statement is executed only if a thread index equals a value: `if (threadIdx.x == 0)`.
  bool is_of_one_thread(std::size_t statement) const;

 private:
  enum class Shape : std::uint8_t {
    kUniform,
    kThread /* a thread's number and something uniform */,
    kDivergent
  };
  struct Register {
    Shape shape = Shape::kUniform;
    std::vector<std::size_t> definitions;     // statements
    std::vector<std::uint32_t> basic_blocks;  // in which it is used, in ascending order
  };

  void collect_registers();
  bool learn(std::size_t statement, std::uint32_t basic_block);
  bool part_lanes(std::uint32_t basic_block);
  bool raise(const std::string& name, Shape shape);
  Shape shape_of(const std::string& name) const;
  Shape shape_of(const ptx::Operand& operand) const;
  Shape shape_of(const ptx::Address& address) const;
  Shape widest(const ptx::Instruction& instruction, std::size_t first) const;
  Shape result_of(const ptx::Instruction& instruction) const;
  Shape shuffled(const ptx::Instruction& instruction) const;
  bool guard_is_uniform(const ptx::Instruction& instruction) const;
  std::vector<bool> reached_before_join(std::uint32_t from, std::uint32_t basic_block) const;
  void find_code_of_one_thread();
  std::optional<bool> asks_for_one_thread(const std::string& predicate) const;
  const ptx::Instruction* instruction_at(std::size_t statement) const;
  const ptx::Instruction* last_of(std::uint32_t basic_block) const;

  const ptx::Function& function_;
  std::vector<BasicBlockSpan> basic_blocks_;
  std::vector<std::uint32_t>
      joins_;  // by basic block: where its paths reconverge; basic_blocks_.size(): at the end
  std::vector<std::uint32_t> basic_block_of_;  // by statement
  std::vector<bool> parted_;                   // by basic block: lanes diverge at its end
  std::vector<bool> is_conditional_;           // by basic block: diverged lanes execute it separately
  std::vector<bool> one_thread_;               // by basic block
  std::unordered_map<std::string, Register> registers_;
  bool gave_up_ = false;  // the function is too large to analyze; nothing is known
};

}  // namespace cudalab::vgpu
