// Copies between host and devices: which ones are allowed, the transfer, and reports of bytes that were never
// written.
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

// Returns whether the gaps within `bytes` bytes can all be padding: they repeat in each element of an array
// of structs, and the alignment of the member after each gap explains its length.
bool are_paddings(std::span<const vgpu::ByteRun> gaps, std::size_t bytes);

// The bytes of a range of device memory that were never written, except padding between the members of
// structs.
std::size_t unwritten_bytes(std::uint64_t address, std::size_t bytes);

// One side of a copy, in bytes: rows begin `pitch` apart, slices of rows begin `slice` apart.
struct Side {
  std::uint64_t address = 0;
  std::size_t pitch = 0, slice = 0;
  bool is_array = false;  // the memory of a CUDA array, which has no address that a program can use
};

struct Box {
  Side to, from;
  std::size_t width = 0, height = 1, depth = 1;  // width in bytes, height in rows, depth in slices
  std::size_t bytes() const { return width * height * depth; }
};

inline Box line(void* to, const void* from, std::size_t bytes) {
  return {{reinterpret_cast<std::uint64_t>(to), bytes, bytes, false},
          {reinterpret_cast<std::uint64_t>(from), bytes, bytes, false},
          bytes,
          1,
          1};
}

// Queues a copy. With `waits`, returns when the copy is complete. Throws Failure with the error that a GPU
// returns.
void copy(const char* call, const Box& box, cudaMemcpyKind kind, Stream& stream, bool waits);
// The value of a memset: an element of 1, 2 or 4 bytes, repeated.
struct FillValue {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
};
void fill(const char* call, const Side& to, std::size_t width, std::size_t height, std::size_t depth,
          FillValue value, Stream& stream, bool waits);

}  // namespace cudalab::runtime
