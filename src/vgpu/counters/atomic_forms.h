// What ptxas makes of an atomic instruction: which machine instructions, and for how many lanes.
#pragma once

#include <string>

#include "ptx/module.h"
#include "vgpu/counters/uniformity.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

struct AtomicUse {
  std::string operation;  // "add"
  ptx::Type type{};
  bool in_shared = false;
  bool wanted = false;  // the old value
  const ptx::Address* address = nullptr;
  const ptx::Operand* value = nullptr;
  std::size_t statement = 0;
};

// Read off the machine code that ptxas 13.0 makes for sm_90 of each operation, type and space with the
// address and the value each the same in all lanes or not, the old value used or not.
AtomicForm form_of(const AtomicUse& use, const Uniformity& uniformity);

}  // namespace cudalab::vgpu
