// By how much each round of a loop of one basic block moves a register, as far as constants in the code tell:
// `add i, i, 4` moves i by 4 and what is computed from it as base + i * 8 by 32.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ptx/module.h"

namespace cudalab::vgpu {

class RoundStrides {
 public:
  void begin() { writes_.clear(); }
  // The basic block's next instruction, which writes its first operand.
  void add(const ptx::Instruction& instruction);
  // Nothing: not known. A register that the basic block leaves as it is moves by 0.
  std::optional<std::int64_t> of(const std::string& name) const;

 private:
  using Known = std::unordered_set<std::string>;  // registers that are being asked about
  std::optional<std::int64_t> stride(const std::string& name, Known& above) const;
  std::optional<std::int64_t> stride(const ptx::Operand& operand, Known& above) const;
  std::optional<std::int64_t> computed(const ptx::Instruction& instruction, Known& above) const;

  std::unordered_map<std::string, std::optional<ptx::Instruction>> writes_;  // nothing: several
};

}  // namespace cudalab::vgpu
