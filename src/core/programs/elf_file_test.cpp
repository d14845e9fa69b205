// Tests reading this program's own file, and truncated files.
#include "core/programs/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "core/temporary_folder_testing.h"

extern "C" void elf_file_test_function() {}

namespace cudalab {
namespace {

constexpr std::array<std::string_view, 1> kOwn{"elf_file_test_"};

TEST(ElfFile, ReadsThisProgram) {
  const MappedFile file("/proc/self/exe");
  ASSERT_TRUE(is_elf(file.bytes()));
  EXPECT_TRUE(has_section(file.bytes(), ".text"));
  EXPECT_FALSE(has_section(file.bytes(), ".nv_fatbin"));
  const auto needed = needed_libraries(file.bytes());
  EXPECT_TRUE(std::ranges::any_of(needed, [](const auto& name) { return name.starts_with("libc.so"); }));
  const auto functions = functions_of(file.bytes(), kOwn);
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].name, "elf_file_test_function");
}

TEST(ElfFile, DoesNotWaitForAPipe) {
  const TemporaryFolder folder;
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(MappedFile(pipe.c_str()).bytes().empty());
}

TEST(ElfFile, HandlesTruncatedFiles) {
  const MappedFile file("/proc/self/exe");
  for (std::size_t bytes = 0; bytes < file.bytes().size(); bytes += file.bytes().size() / 97 + 1) {
    const std::vector<std::byte> part(file.bytes().begin(),
                                      file.bytes().begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_TRUE(functions_of(part, kOwn).empty());
    EXPECT_TRUE(needed_libraries(part).empty());
    EXPECT_TRUE(resources_in_machine_code(part).empty());
  }
}

template <class Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The parts of a cubin that the reader uses, with a kernel `add` of 40 registers and 512 bytes of shared
// memory.
std::string machine_code() {
  const std::string texts("\0.nv.info\0.nv.shared.add\0", 26);
  constexpr std::uint32_t kInfo = 1, kShared = 10, kAdd = 21;  // offsets of the names in it
  std::string info("\x01\x37\0\0\x04\x2f\x08\0", 8);  // an attribute without data, then one with 8 bytes
  append(info, std::uint32_t{1});
  append(info, std::uint32_t{40});
  std::string symbols;
  append(symbols, Elf64_Sym{});
  append(symbols, Elf64_Sym{.st_name = kAdd});
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shnum = 5;
  header.e_shstrndx = 1;
  std::string bytes(sizeof header, '\0');
  const auto put = [&](const std::string& contents) {
    bytes.resize((bytes.size() + 7) / 8 * 8);
    bytes += contents;
    return bytes.size() - contents.size();
  };
  Elf64_Shdr sections[5]{};
  sections[1] = {.sh_type = SHT_STRTAB, .sh_offset = put(texts), .sh_size = texts.size()};
  sections[2] = {.sh_type = SHT_SYMTAB, .sh_offset = put(symbols), .sh_size = symbols.size(), .sh_link = 1};
  sections[3] = {.sh_name = kInfo, .sh_offset = put(info), .sh_size = info.size(), .sh_link = 2};
  sections[4] = {.sh_name = kShared, .sh_type = SHT_NOBITS, .sh_size = 512};
  header.e_shoff = put("");
  for (const Elf64_Shdr& section : sections) append(bytes, section);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(MachineCode, StatesTheResourcesOfEachKernel) {
  const ResourcesBySymbol resources = resources_in_machine_code(bytes_of(machine_code()));
  ASSERT_EQ(resources.size(), 1u);
  EXPECT_EQ(resources.at("add"), (KernelResources{.registers = 40, .shared_bytes = 512}));
}

TEST(MachineCode, IgnoresAnAttributeBeyondTheEnd) {
  std::string damaged = machine_code();
  const std::size_t count = damaged.find("\x04\x2f\x08");
  damaged[count + 2] = 9;
  EXPECT_TRUE(resources_in_machine_code(bytes_of(damaged)).empty());
}

TEST(ElfFile, OtherFilesYieldNothing) {
  const MappedFile none("/nonexistent"), folder("/");
  EXPECT_TRUE(none.bytes().empty());
  EXPECT_TRUE(folder.bytes().empty());
  EXPECT_FALSE(is_elf(std::as_bytes(std::span("#!/bin/sh\n"))));
}

}  // namespace
}  // namespace cudalab
