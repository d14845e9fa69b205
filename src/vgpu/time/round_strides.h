// By how much each round of a loop of one basic block moves a register, as far as constants in the code tell:
// `add i, i, 4` moves i by 4 and what is computed from it as base + i * 8 by 32.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/module.h"

namespace cudalab::vgpu {

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

}  // namespace cudalab::vgpu
