// What a function's registers hold: PTX declares many of them as mere bits, and what the function does with
// them says whether these are a float, a signed or an unsigned number.
#pragma once

#include <string>
#include <unordered_map>

#include "ptx/module.h"

namespace cudalab::vgpu {

bool is_mere_bits(ptx::Type type);  // of up to 64, or none

class ValueTypes {
 public:
  explicit ValueTypes(const ptx::Function& function);
  // kNone where nothing tells.
  ptx::Type of(const std::string& name) const;

 private:
  bool learn(const ptx::Instruction& instruction);
  bool note(const std::string& name, ptx::Type type);

  std::unordered_map<std::string, ptx::Type> types_;
};

}  // namespace cudalab::vgpu
