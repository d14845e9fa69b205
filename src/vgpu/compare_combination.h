// setp and set: how a comparison is combined with a predicate.
#pragma once

#include <cstdint>

namespace cudalab::vgpu {

// Inst::imm holds one of these, plus kNegateC where the predicate counts negated.
enum CompareCombination : std::uint64_t { kPlain = 0, kAnd = 1, kOr = 2, kXor = 3, kNegateC = 8 };

}  // namespace cudalab::vgpu
