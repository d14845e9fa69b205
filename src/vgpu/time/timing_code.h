// Collects, while a function is decoded, what the time model keeps of its instructions.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ptx/module.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

class TimingCode {
 public:
  explicit TimingCode(TimedCode& code) : code_(code) {}
  // A basic block with the number of Program::basic_blocks begins.
  void begin(std::size_t basic_block);
  // Its next instruction, which has made the sites from first_site on; none: first_site == end_site.
  void add(const ptx::Instruction& instruction, std::size_t first_site, std::size_t end_site);

 private:
  void add_register(const std::string& name, bool is_result, TimedOp& op);
  void add_operand(const ptx::Operand& operand, bool is_result, TimedOp& op);
  bool reads_three_registers(const TimedOp& op) const;

  TimedCode& code_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_set<std::uint32_t>
      parameters_;  // registers of theirs: instructions read these where they lie
  std::size_t basic_block_ = 0;
};

}  // namespace cudalab::vgpu
