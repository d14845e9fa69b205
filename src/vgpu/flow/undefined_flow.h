// Finds registers of a function that may hold undefined values, and how its instructions use them.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "ptx/module.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// The registers that an instruction uses, by name.
struct ValueUse {
  ValueStep::Kind kind = ValueStep::Kind::kMix;
  std::vector<std::string> results, values, matters;  // values: "" for a constant
  std::array<bool, 2> negated{};
  std::string chooser;
};
ValueUse value_use_of(const ptx::Instruction& instruction);

// Undefined values arise in loads of local memory and in shuffles, and propagate through instructions.
class UndefinedFlow {
 public:
  explicit UndefinedFlow(const ptx::Function& function);
  bool is_empty() const { return names_.empty(); }
  bool may_be_undefined(const std::string& name) const { return names_.contains(name); }
  bool concerns(const ValueUse& use) const;

 private:
  std::unordered_set<std::string> names_;
};

}  // namespace cudalab::vgpu
