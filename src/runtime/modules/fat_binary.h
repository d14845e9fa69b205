// Reads the device code that nvcc embeds in a program, and links the PTX of several objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace cudalab::runtime {

// Links the PTX of several objects into one module, as nvlink does for -rdc=true. A definition replaces
// declarations of its name. A local name that is already taken is renamed. Throws Error(kUsage) if two
// objects define the same global name.
ptx::Module linked(std::vector<ptx::Module> parts);

// Device code that nvcc embeds in a program.
//
// A wrapper {magic, version, pointer, prelinked} points to a container. In version 2, `prelinked` points to a
// list of containers to be linked. A container is a header followed by entries, each a header and a payload:
//
//   container  u32 0xba55ed50   u16 1     u16 header bytes   u64 bytes of all entries
//   entry      u16 kind  u16    u32 header bytes             u64 payload bytes, padding included
//              at 16: u32 compressed bytes   at 28: u32 sm   at 40: u64 flags   at 56: u64 raw bytes

struct DeviceImage {
  bool is_ptx = false;
  int architecture = 0;      // e.g. 90
  std::string ptx;           // the text; empty for machine code
  std::string machine_code;  // a cubin; empty for PTX
  // Needs linking with the device code of other files (core/programs/fat_binary_format.h).
  bool is_linked = false;
};

// Returns the PTX for all architectures, and the machine code for one. Throws Error(kUsage) if the bytes are
// not a container, or are shorter than its header says.
std::vector<DeviceImage> images_of(std::span<const std::byte> container, int of_architecture = 0);

// Returns the container at the beginning of `bytes`; its header has the length. Throws Error(kUsage) if it is
// longer than `bytes`.
std::span<const std::byte> container_in(std::span<const std::byte> bytes);

// Returns the container at an address in memory. If the address is in a loaded segment of an executable, the
// container must end within it.
std::span<const std::byte> container_at(const void* address);

// Returns the containers that a wrapper points to. Several must be linked.
std::vector<const void*> containers_of(const void* wrapper);

}  // namespace cudalab::runtime
