// Reads the device code that nvcc embeds in a program, and links the PTX of several objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace cudalab::runtime {

// Makes one module of the PTX of several objects, as nvlink does for -rdc=true.

// A definition takes the place of declarations of its name. What only one object can see and another has too
// is renamed. Throws Error(kUsage) where two objects define one name for all.
ptx::Module linked(std::vector<ptx::Module> parts);

// Reads the device code that nvcc puts into a program.
//
// A wrapper {magic, version, pointer, prelinked} leads to a container; with version 2, `prelinked` leads to a
// list of containers that are to be linked. A container is a header and entries, each a header and a payload:
//
//   container  u32 0xba55ed50   u16 1     u16 header bytes   u64 bytes of the entries
//   entry      u16 kind  u16    u32 header bytes             u64 payload bytes, with what pads them
//              at 16: u32 compressed bytes   at 28: u32 sm   at 40: u64 flags   at 56: u64 raw bytes

struct DeviceImage {
  bool is_ptx = false;
  int architecture = 0;      // 90
  std::string ptx;           // the text; empty for machine code
  std::string machine_code;  // a cubin; empty for PTX
  bool is_linked =
      false;  // with the device code of the program's other files (core/programs/fat_binary_format.h)
};

// The PTX of all architectures, and the machine code of one. Throws Error(kUsage) for bytes that are no
// container, or that end before what they announce.
std::vector<DeviceImage> images_of(std::span<const std::byte> container, int of_architecture = 0);

// The container that begins there, as its header says. Throws Error(kUsage) where it ends behind the bytes.
std::span<const std::byte> container_in(std::span<const std::byte> bytes);

// Of a container in memory: within what the program's file was loaded to, where it lies in that.
std::span<const std::byte> container_at(const void* address);

// The containers that a wrapper leads to. More than one are to be linked.
std::vector<const void*> containers_of(const void* wrapper);

}  // namespace cudalab::runtime
