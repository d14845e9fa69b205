// What the operating system knows about the program's own memory: whether it exists, and whether it was ever
// used.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cudalab::runtime {

// How many bytes from `address` on are mapped without a gap, at most `bytes`.
std::size_t mapped_bytes(std::uint64_t address, std::size_t bytes);

// How many bytes of the range lie in whole pages of the heap or the stack that nothing has read or written.
// They hold no values of the program's. 0 if that is unknown, and if the program calls functions that return
// cleared pages, such as calloc() and mmap(): its values may be the zeros.
std::size_t untouched_bytes(std::uint64_t address, std::size_t bytes);

}  // namespace cudalab::runtime
