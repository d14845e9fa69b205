// What an ELF file of 64 bits says of itself: its sections, the libraries that it asks for, its functions.
// Bytes are read with bounds; of what is damaged, or no such file, nothing is found.
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
  std::uint64_t address = 0;  // as the file says, without where it is loaded
};

bool is_elf(std::span<const std::byte> file);
bool has_section(std::span<const std::byte> file, std::string_view name);
std::vector<std::string> needed_libraries(std::span<const std::byte> file);  // "libcudart.so.13"
// Of the symbol table, whose names begin with one of the prefixes; a stripped file has none.
std::vector<ElfFunction> functions_of(std::span<const std::byte> file,
                                      std::span<const std::string_view> prefixes);

// Of machine code of a card (a cubin): what ptxas gave each kernel, by the kernel's symbol.
ResourcesBySymbol resources_in_machine_code(std::span<const std::byte> cubin);

// A file's bytes, mapped; empty where it cannot be read.
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
