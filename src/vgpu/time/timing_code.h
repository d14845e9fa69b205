// Collects what the time model keeps of instructions while a function is decoded, including live registers
// and strides of loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/module.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

// The number of registers that hold values across a basic block that does not use them. The compiler has that
// many registers less for what the basic block loads.

// Covers one function; call its members in the order of the instructions.
class LiveRegisters {
 public:
  // Begins a basic block with its number in the function and the numbers of its successors.
  void begin(std::uint32_t number, std::vector<std::uint32_t> successors);
  // Registers of the next instruction: call read() before write(). Registers that the instruction may leave
  // unchanged count as read and written.
  void read(std::uint32_t reg);
  void write(std::uint32_t reg);

  // For each basic block, in the order of begin(): number of 32-bit registers. `words_of`: 32-bit words of a
  // register; 0 if it needs none. Returns all 0 for a function so large that the analysis would take too long
  // (2^28 pairs of basic block and register).
  std::vector<int> unused(const std::function<int(std::uint32_t)>& words_of) const;

 private:
  struct BasicBlock {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> successors;
    std::vector<std::uint32_t> reads, writes;  // `reads`: before the basic block writes them
  };
  std::vector<BasicBlock> basic_blocks_;
  // By register: number of begun basic blocks at its last use.
  std::vector<std::size_t> read_in_, written_in_;
};

// The distance by which each round of a one-block loop moves a register, as far as constants in the code
// tell. Example: `add i, i, 4` moves i by 4, and a value computed as base + i * 8 by 32.

// Name of the register operand; nullptr if the operand is missing or something else.
const std::string* register_at(const ptx::Instruction& instruction, std::size_t i);

// The instructions must outlive the queries.
class RoundStrides {
 public:
  void begin();
  // Adds the basic block's next instruction, which writes its first operand.
  void add(const ptx::Instruction& instruction);
  // Empty if unknown. A register that the basic block does not write moves by 0.
  std::optional<std::int64_t> of(std::string_view name);

 private:
  std::optional<std::int64_t> of_operand(const ptx::Instruction& instruction, std::size_t i);
  std::optional<std::int64_t> computed(const ptx::Instruction& instruction);

  // A `nullptr` stands for a register that is written several times, or under a guard.
  std::unordered_map<std::string_view, const ptx::Instruction*> writes_;
  // Results of of(). Empty while a result is being computed, so a register that depends on itself stays
  // unknown.
  std::unordered_map<std::string_view, std::optional<std::int64_t>> found_;
};

// Collects, while a function is decoded, what the time model keeps of its instructions.

class TimingCode {
 public:
  explicit TimingCode(TimedCode& code) : code_(code) {}
  // Begins the basic block with this index in Program::basic_blocks. `of_function` is its number in the
  // function, as in `successors`.
  void begin(std::size_t basic_block, std::uint32_t of_function, std::vector<std::uint32_t> successors);
  // Adds the next instruction, whose sites are [first_site, end_site). Returns whether its cost is known.
  bool add(const ptx::Instruction& instruction, std::size_t first_site, std::size_t end_site);
  // Ends the function. `bytes_of`: size of a register by its name; 0 for a predicate.
  void end(const std::function<std::size_t(const std::string&)>& bytes_of);
  // Notes that the basic block fetches work dynamically.
  void note_drawing() { code_.basic_blocks[basic_block_].draws = true; }
  // Notes that the basic block waits for another thread. Returns its index.
  std::size_t note_wait() {
    code_.basic_blocks[basic_block_].waits = true;
    return basic_block_;
  }

 private:
  void add_register(const std::string& name, bool is_result, TimedOp& op);
  void add_operand(const ptx::Operand& operand, bool is_result, TimedOp& op);
  bool reads_three_registers(const TimedOp& op) const;
  void follow_counters(const ptx::Instruction& instruction);
  bool asks_for_a_counter(const std::string& predicate) const;
  void find_walks();
  void follow_values(const ptx::Instruction& instruction, const TimedOp& op);
  bool is_constant(const ptx::Instruction& instruction, const TimedOp& op) const;
  bool is_constant(std::uint32_t reg) const;

  TimedCode& code_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_set<std::uint32_t>
      parameters_;  // registers loaded from parameters: instructions read them directly from constant memory
  LiveRegisters live_;
  std::vector<std::size_t> begun_;                      // indices of basic blocks, in order
  std::unordered_set<std::uint32_t> shared_addresses_;  // registers, which need 32 bits whatever the PTX type
  // By register: number of writes, and number of these that write a constant, which can be recomputed where
  // it is needed.
  std::unordered_map<std::uint32_t, std::array<int, 2>> written_;
  std::size_t basic_block_ = 0;
  // State of the current basic block: number of writes to each register, registers moved by a constant, and
  // registers that its predicates compare.
  std::unordered_map<std::string, int> writes_;
  std::unordered_set<std::string> moved_;
  std::unordered_map<std::string, std::vector<std::string>> compared_;
  RoundStrides strides_;
  std::vector<std::pair<std::size_t, std::string_view>>
      loads_;  // index of the op, and base register of its address
};

}  // namespace cudalab::vgpu
