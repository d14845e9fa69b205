// Programs that hold NVIDIA's runtime themselves, as nvcc links it by default: their calls are led here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cudalab::runtime {

struct CodeSymbol {
  std::string name;
  std::uint64_t address = 0;  // as the file says, without where it was loaded
};

// The functions that a program's symbol table names `cuda…` or `__cuda…`. Empty for a stripped program, and
// for bytes that are no ELF file of 64 bits.
std::vector<CodeSymbol> runtime_functions_of(std::span<const std::byte> elf);

}  // namespace cudalab::runtime
