// Reads 64-bit ELF files: sections, needed libraries and functions. All reads check bounds. Damaged files and
// files of other formats yield empty results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/prediction.h"

namespace cudalab {

struct ElfFunction {
  std::string name;
  std::uint64_t address = 0;  // as in the file, without the load address
};

bool is_elf(std::span<const std::byte> file);
bool has_section(std::span<const std::byte> file, std::string_view name);
std::vector<std::string> needed_libraries(std::span<const std::byte> file);  // "libcudart.so.13"
// Functions in the symbol table whose names begin with one of the prefixes. Stripped files have none.
std::vector<ElfFunction> functions_of(std::span<const std::byte> file,
                                      std::span<const std::string_view> prefixes);

// The resources that ptxas assigned to each kernel in GPU machine code (a cubin), by the kernel's symbol.
ResourcesBySymbol resources_in_machine_code(std::span<const std::byte> cubin);

// The bytes of a file, memory-mapped; empty if the file cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const char* path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const;

 private:
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cudalab
