// Collects, while a function is decoded, what the time model keeps of its instructions.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/module.h"
#include "vgpu/time/live_registers.h"
#include "vgpu/time/round_strides.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

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
