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

// How many registers hold values across a basic block that does not use them: the compiler has so many less
// for what the basic block loads.

// Of one function, which is told instruction by instruction.
class LiveRegisters {
 public:
  // A basic block begins, of which the function has this number and those that may follow.
  void begin(std::uint32_t number, std::vector<std::uint32_t> successors);
  // Registers of its next instruction: first those that it reads. One that it may leave as it is counts as
  // read and written.
  void read(std::uint32_t reg);
  void write(std::uint32_t reg);

  // For each basic block, in the order of begin(): registers of 32 bits. `words_of` a register: 0 of one that
  // needs none. All 0 for a function of some thousand basic blocks and some ten thousand registers.
  std::vector<int> unused(const std::function<int(std::uint32_t)>& words_of) const;

 private:
  struct BasicBlock {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> successors;
    std::vector<std::uint32_t> reads, writes;  // reads: before it writes them
  };
  std::vector<BasicBlock> basic_blocks_;
  std::vector<std::size_t> read_in_, written_in_;  // by register: how many had begun when it last was
};

// By how much each round of a loop of one basic block moves a register, as far as constants in the code tell:
// `add i, i, 4` moves i by 4 and what is computed from it as base + i * 8 by 32.

// The name of the register that is the operand; nullptr: something else is, or there is none.
const std::string* register_at(const ptx::Instruction& instruction, std::size_t i);

// Instructions must live as long as it is asked about them.
class RoundStrides {
 public:
  void begin();
  // The basic block's next instruction, which writes its first operand.
  void add(const ptx::Instruction& instruction);
  // Nothing: not known. A register that the basic block leaves as it is moves by 0.
  std::optional<std::int64_t> of(std::string_view name);

 private:
  std::optional<std::int64_t> of_operand(const ptx::Instruction& instruction, std::size_t i);
  std::optional<std::int64_t> computed(const ptx::Instruction& instruction);

  std::unordered_map<std::string_view, const ptx::Instruction*> writes_;  // nullptr: several
  // Already asked about; nothing while it is being found, as it stays for what is computed from itself.
  std::unordered_map<std::string_view, std::optional<std::int64_t>> found_;
};

// Collects, while a function is decoded, what the time model keeps of its instructions.

class TimingCode {
 public:
  explicit TimingCode(TimedCode& code) : code_(code) {}
  // A basic block with the number of Program::basic_blocks begins; of the function it has the number
  // `of_function`, as its successors have.
  void begin(std::size_t basic_block, std::uint32_t of_function, std::vector<std::uint32_t> successors);
  // Its next instruction, which has made the sites from first_site on; none: first_site == end_site.
  void add(const ptx::Instruction& instruction, std::size_t first_site, std::size_t end_site);
  // The function has ended; `bytes_of` a register by its name, 0: a predicate.
  void end(const std::function<std::size_t(const std::string&)>& bytes_of);
  // The basic block draws work from what is left for all.
  void note_drawing() { code_.basic_blocks[basic_block_].draws = true; }
  // The basic block waits for another thread. Returns its number.
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
      parameters_;  // registers of theirs: instructions read these where they lie
  LiveRegisters live_;
  std::vector<std::size_t> begun_;                      // basic blocks, in their order
  std::unordered_set<std::uint32_t> shared_addresses_;  // registers: of 32 bits, whatever PTX says
  // By register: how often it is written, and how often so that it can be written again where it is needed.
  std::unordered_map<std::uint32_t, std::array<int, 2>> written_;
  std::size_t basic_block_ = 0;
  // What the basic block has done until now: how often it wrote each register, which of them it moved by a
  // constant, and which ones its predicates compare.
  std::unordered_map<std::string, int> writes_;
  std::unordered_set<std::string> moved_;
  std::unordered_map<std::string, std::vector<std::string>> compared_;
  RoundStrides strides_;
  std::vector<std::pair<std::size_t, std::string_view>>
      loads_;  // and the registers that their addresses begin with
};

}  // namespace cudalab::vgpu
