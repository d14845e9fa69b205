// Reads the structures of the System V ABI, "Object Files".
#include "core/programs/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace cudalab {
namespace {

using Bytes = std::span<const std::byte>;

template <class Value>
std::span<const Value> table_at(Bytes file, std::uint64_t offset, std::uint64_t count) {
  if (offset > file.size() || offset % alignof(Value) || count > (file.size() - offset) / sizeof(Value))
    return {};
  return {reinterpret_cast<const Value*>(file.data() + offset), count};
}

const Elf64_Ehdr* header_of(Bytes file) {
  const auto header = table_at<Elf64_Ehdr>(file, 0, 1);
  const bool fits = !header.empty() && std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) == 0 &&
                    header[0].e_ident[EI_CLASS] == ELFCLASS64;
  return fits ? header.data() : nullptr;
}

std::span<const Elf64_Shdr> sections_of(Bytes file) {
  const Elf64_Ehdr* header = header_of(file);
  return header ? table_at<Elf64_Shdr>(file, header->e_shoff, header->e_shnum)
                : std::span<const Elf64_Shdr>();
}

// The string at an offset of a string table; empty if it is not terminated within the table.
std::string_view text_at(Bytes file, const Elf64_Shdr& texts, std::uint64_t offset) {
  const auto all = table_at<char>(file, texts.sh_offset, texts.sh_size);
  if (offset >= all.size()) return {};
  const auto rest = all.subspan(offset);
  const auto end = std::ranges::find(rest, '\0');
  return end == rest.end() ? std::string_view()
                           : std::string_view(rest.data(), static_cast<std::size_t>(end - rest.begin()));
}

// Calls use(rows, string table) for each section of this type that links to a string table.
template <class Row, class Use>
void for_tables(Bytes file, std::uint32_t type, Use use) {
  const auto sections = sections_of(file);
  for (const Elf64_Shdr& section : sections)
    if (section.sh_type == type && section.sh_link < sections.size())
      use(table_at<Row>(file, section.sh_offset, section.sh_size / sizeof(Row)), sections[section.sh_link]);
}

const Elf64_Shdr* section_named(Bytes file, std::string_view name) {
  const auto sections = sections_of(file);
  const Elf64_Ehdr* header = header_of(file);
  if (!header || header->e_shstrndx >= sections.size()) return nullptr;
  for (const Elf64_Shdr& section : sections)
    if (text_at(file, sections[header->e_shstrndx], section.sh_name) == name) return &section;
  return nullptr;
}

// ---- machine code of GPUs ----------------------------------------------------------------------------
// The section .nv.info is a sequence of attributes: u8 form, u8 attribute, u16 bytes. One form is followed by
// that many bytes of data. The attribute for a kernel's registers contains u32 symbol, u32 registers.
struct Attribute {
  std::uint8_t form, attribute;
  std::uint16_t bytes;
};
struct RegisterCount {
  std::uint32_t symbol, registers;
};
constexpr std::uint8_t kWithBytes = 4, kRegisterCount = 0x2f;

template <class Value>
Value value_at(Bytes bytes) {
  Value value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::vector<RegisterCount> register_counts(Bytes info) {
  std::vector<RegisterCount> counts;
  while (info.size() >= sizeof(Attribute)) {
    const auto row = value_at<Attribute>(info);
    info = info.subspan(sizeof(Attribute));
    const std::size_t bytes = row.form == kWithBytes ? row.bytes : 0;
    if (bytes > info.size()) break;
    if (bytes == sizeof(RegisterCount) && row.attribute == kRegisterCount)
      counts.push_back(value_at<RegisterCount>(info));
    info = info.subspan(bytes);
  }
  return counts;
}

}  // namespace

bool is_elf(Bytes file) { return header_of(file) != nullptr; }

bool has_section(Bytes file, std::string_view name) { return section_named(file, name) != nullptr; }

std::vector<std::string> needed_libraries(Bytes file) {
  std::vector<std::string> needed;
  for_tables<Elf64_Dyn>(file, SHT_DYNAMIC, [&](std::span<const Elf64_Dyn> rows, const Elf64_Shdr& texts) {
    for (const Elf64_Dyn& row : rows)
      if (row.d_tag == DT_NEEDED) needed.emplace_back(text_at(file, texts, row.d_un.d_val));
  });
  return needed;
}

std::vector<ElfFunction> functions_of(Bytes file, std::span<const std::string_view> prefixes) {
  std::vector<ElfFunction> found;
  for_tables<Elf64_Sym>(file, SHT_SYMTAB, [&](std::span<const Elf64_Sym> symbols, const Elf64_Shdr& texts) {
    for (const Elf64_Sym& symbol : symbols) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      const std::string_view name = text_at(file, texts, symbol.st_name);
      if (std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }))
        found.push_back({std::string(name), symbol.st_value});
    }
  });
  return found;
}

ResourcesBySymbol resources_in_machine_code(Bytes cubin) {
  ResourcesBySymbol found;
  const Elf64_Shdr* info = section_named(cubin, ".nv.info");
  if (!info) return found;
  const auto counts = register_counts(table_at<std::byte>(cubin, info->sh_offset, info->sh_size));
  for_tables<Elf64_Sym>(cubin, SHT_SYMTAB, [&](std::span<const Elf64_Sym> symbols, const Elf64_Shdr& texts) {
    for (const RegisterCount& count : counts) {
      if (count.symbol >= symbols.size()) continue;
      const std::string name(text_at(cubin, texts, symbols[count.symbol].st_name));
      const Elf64_Shdr* shared = section_named(cubin, ".nv.shared." + name);
      found[name] = {.registers = static_cast<int>(count.registers),
                     .shared_bytes = shared ? shared->sh_size : 0};
    }
  });
  return found;
}

MappedFile::MappedFile(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // must not wait for a pipe
  struct stat status {};
  if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    bytes_ = mapped == MAP_FAILED ? nullptr : mapped;
  }
  if (file >= 0) ::close(file);
}

MappedFile::~MappedFile() {
  if (bytes_) ::munmap(bytes_, size_);
}

std::span<const std::byte> MappedFile::bytes() const {
  return bytes_ ? std::span(static_cast<const std::byte*>(bytes_), size_) : std::span<const std::byte>();
}

}  // namespace cudalab
