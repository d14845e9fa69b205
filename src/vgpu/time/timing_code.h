// Collects, while a function is decoded, what the time model keeps of its instructions.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/module.h"
#include "vgpu/time/round_strides.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

class TimingCode {
 public:
  explicit TimingCode(TimedCode& code) : code_(code) {}
  // A basic block with the number of Program::basic_blocks begins.
  void begin(std::size_t basic_block);
  // Its next instruction, which has made the sites from first_site on; none: first_site == end_site.
  void add(const ptx::Instruction& instruction, std::size_t first_site, std::size_t end_site);
  // The basic block waits for another thread.
  // It draws work from what is left for all.
  void note_drawing() { code_.basic_blocks[basic_block_].draws = true; }
  // Returns the number of the basic block.
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

  TimedCode& code_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_set<std::uint32_t>
      parameters_;  // registers of theirs: instructions read these where they lie
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
