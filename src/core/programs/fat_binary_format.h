// Numbers of the container in which a program carries its device code (layout: runtime/modules/fat_binary.h).
#pragma once

#include <cstdint>

namespace cudalab {

inline constexpr std::uint32_t kFatBinaryMagic = 0xba55ed50;
inline constexpr std::uint16_t kFatBinaryPtx = 1, kFatBinaryMachineCode = 2;  // the kinds of an entry

// A flag of an entry that only the virtual GPU's runtime knows: its PTX refers to functions or variables of
// the program's other files, so the runtime links all entries with this flag.
inline constexpr std::uint64_t kFatBinaryLinkedFlag = 1ull << 62;

}  // namespace cudalab
