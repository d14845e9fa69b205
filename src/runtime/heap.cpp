#include "runtime/heap.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace cudalab::runtime {
namespace {

struct FreeBlock {
  FreeBlock* next;
};

constexpr std::size_t kLargest = 64u << 10;  // larger blocks are mapped, and fresh in any case
constexpr std::size_t kSmallest = 24;        // of glibc
constexpr std::size_t kMostBytes = 64u << 20;

// Takes all free blocks, from the largest to the smallest, until the heap would have to grow; then gives them
// back.
void clear_once() {
  const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  FreeBlock* taken = nullptr;
  std::size_t bytes = 0;
  for (std::size_t size = kLargest; size >= kSmallest && bytes < kMostBytes; size = size * 3 / 4)
    while (void* memory = std::malloc(size)) {
      const std::size_t usable = ::malloc_usable_size(memory);
      if (reinterpret_cast<std::uintptr_t>(memory) + usable > end) {
        std::free(memory);
        break;
      }
      std::memset(memory, 0, usable);
      taken = new (memory) FreeBlock{taken};
      if ((bytes += usable) >= kMostBytes) break;
    }
  while (taken) {
    FreeBlock* const next = taken->next;
    taken->next = nullptr;
    std::free(taken);
    taken = next;
  }
}

}  // namespace

void clear_free_memory() {
  clear_once();
  clear_once();      // neighbours were merged: the marks between them are now within a block
  ::malloc_trim(0);  // whole free pages become fresh
}

}  // namespace cudalab::runtime
