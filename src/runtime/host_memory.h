// Asks the operating system about pages of the program's own memory: whether a page is mapped, and whether it
// was ever accessed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cudalab::runtime {

// The number of contiguously mapped bytes from `address` on, at most `bytes`.
std::size_t mapped_bytes(std::uint64_t address, std::size_t bytes);

// The number of bytes of the range that are in whole pages of the heap or the stack that have never been read
// or written, and so hold no values of the program. Returns 0 if the state of the pages is unknown, or if the
// program calls functions that return zeroed pages, such as calloc() and mmap(): it may rely on these zeros.
std::size_t untouched_bytes(std::uint64_t address, std::size_t bytes);

}  // namespace cudalab::runtime
