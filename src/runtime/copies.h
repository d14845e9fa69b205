// Copies of boxes of bytes between host and devices: checks, the transfer, and reports of bytes that were
// never written.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/programs/program_record.h"
#include "runtime/runtime.h"
#include "vgpu/memory/written_bits.h"

namespace cudalab::runtime {

// Which unwritten bytes of an array of structs are those that alignment leaves between members.

// Whether the gaps in so many bytes are the same in each element of an array of structs, and each of them can
// be what the next member's alignment leaves.
bool are_paddings(std::span<const vgpu::ByteRun> gaps, std::size_t bytes);

// Copies of boxes of bytes between host and devices: what is allowed, and the moving itself.

// One side of a copy: rows of bytes, `pitch` from one to the next, and slices of rows.
struct Side {
  std::uint64_t address = 0;
  std::size_t pitch = 0, slice = 0;
  bool is_array = false;  // device memory that no pointer leads to
};

struct Box {
  Side to, from;
  std::size_t width = 0, height = 1, depth = 1;  // width in bytes
  std::size_t bytes() const { return width * height * depth; }
};

inline Box line(void* to, const void* from, std::size_t bytes) {
  return {{reinterpret_cast<std::uint64_t>(to), bytes, bytes, false},
          {reinterpret_cast<std::uint64_t>(from), bytes, bytes, false},
          bytes,
          1,
          1};
}

// Queues a copy. `waits`: the call returns when it is done. Throws Failure as the card answers.
void copy(const char* call, const Box& box, cudaMemcpyKind kind, Stream& stream, bool waits);
// What memory is set to: elements of 1, 2 or 4 bytes.
struct FillValue {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
};
void fill(const char* call, const Side& to, std::size_t width, std::size_t height, std::size_t depth,
          FillValue value, Stream& stream, bool waits);

}  // namespace cudalab::runtime
