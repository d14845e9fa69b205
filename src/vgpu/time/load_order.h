// Which loads the compiler lets go ahead of the stores in front of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

std::span<const TimedOp> ops_of(const TimedCode& code, const TimedBasicBlock& basic_block);

// The register that the address of an access begins with.
inline constexpr std::uint32_t kNoRegister = ~0u;
std::uint32_t base_of(const TimedCode& code, const TimedOp& op);

// Whether loads from elsewhere stand behind its stores, which may be to what they read: then it leaves all of
// them where they are. (Read off machine code.)
bool mixes_loads(const TimedCode& code, std::span<const TimedBasicBlock* const> basic_blocks);

// By site: loads that go ahead of stores to their own surroundings, and so never miss for what these change.
// In loops that are unrolled, those that the next rounds' loads go ahead of are counted as well.
std::vector<bool> loads_ahead_of_stores(const TimedCode& code, std::size_t sites);

}  // namespace cudalab::vgpu
