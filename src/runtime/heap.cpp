// Keeps the free blocks of the heap, in a linked list within the blocks themselves.
#include "runtime/heap.h"

#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace cudalab::runtime {
namespace {

struct FreeBlock {
  FreeBlock* next;
};

FreeBlock* kept = nullptr;

// In bytes. The C library maps blocks larger than kLargest separately, and they are zero. It keeps free
// blocks of up to kLargestListed bytes in one list per size, in steps of kStep.
constexpr std::size_t kLargest = 64u << 10, kLargestListed = 1032, kStep = 16, kSmallest = 24;
constexpr std::size_t kMostBytes = 64u << 20;

std::size_t next_size(std::size_t size) {
  const std::size_t smaller = size * 3 / 4;
  if (smaller > kLargestListed) return smaller;
  return size > kLargestListed ? kLargestListed : size - kStep;
}

void keep(void* memory) { kept = new (memory) FreeBlock{kept}; }

std::uintptr_t end_of(void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) + ::malloc_usable_size(memory);
}

// The C library may have used the rest of the page at whose end the heap ends.
void keep_rest_of_page() {
  void* const first = std::malloc(kSmallest);
  if (!first) return;
  const std::uintptr_t begin = end_of(first), end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  keep(first);
  if (begin < end && end - begin < kLargest)
    if (void* const rest = std::malloc(end - begin)) keep(rest);
}

}  // namespace

void keep_free_memory() {
  while (kept) std::free(std::exchange(kept, kept->next));
  const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  std::size_t bytes = 0;
  for (std::size_t size = kLargest; size >= kSmallest; size = next_size(size))
    while (bytes < kMostBytes) {
      void* const memory = std::malloc(size);
      if (!memory) return;
      // A block beyond the old end means that the heap has grown, or that the block is from another thread's
      // heap, which has larger addresses.
      const bool is_new = end_of(memory) > end;
      if (is_new && size > kLargestListed) {
        std::free(memory);
        break;
      }
      bytes += ::malloc_usable_size(memory);
      keep(memory);
      if (is_new) break;
    }
  ::malloc_trim(0);  // returns the free pages at the end, which contain traces of these attempts
  keep_rest_of_page();
}

}  // namespace cudalab::runtime
