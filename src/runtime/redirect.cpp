// A jump is written over the beginning of each such function before the program's own constructors run.
#include "runtime/redirect.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "core/this_program.h"

namespace cudalab::runtime {
namespace {

template <class Value>
const Value* at(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t count = 1) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(Value)) return nullptr;
  return reinterpret_cast<const Value*>(bytes.data() + offset);
}

bool is_entry_point(const char* name) {
  return std::strncmp(name, "cuda", 4) == 0 || std::strncmp(name, "__cuda", 6) == 0;
}

// The part of a text behind an offset, where it ends within the section.
const char* name_at(std::span<const std::byte> elf, const Elf64_Shdr& names, std::uint32_t offset) {
  if (names.sh_size > elf.size() || offset >= names.sh_size) return nullptr;
  const char* text = at<char>(elf, names.sh_offset, names.sh_size);
  return text && std::memchr(text + offset, 0, names.sh_size - offset) ? text + offset : nullptr;
}

}  // namespace

std::vector<CodeSymbol> runtime_functions_of(std::span<const std::byte> elf) {
  std::vector<CodeSymbol> found;
  const auto* header = at<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return found;
  const auto* sections = at<Elf64_Shdr>(elf, header->e_shoff, header->e_shnum);
  for (int i = 0; sections && i < header->e_shnum; ++i) {
    const Elf64_Shdr& table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
    const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = at<Elf64_Sym>(elf, table.sh_offset, count);
    for (std::uint64_t s = 0; symbols && s < count; ++s) {
      if (ELF64_ST_TYPE(symbols[s].st_info) != STT_FUNC || symbols[s].st_shndx == SHN_UNDEF) continue;
      const char* name = name_at(elf, sections[table.sh_link], symbols[s].st_name);
      if (name && is_entry_point(name)) found.push_back({name, symbols[s].st_value});
    }
  }
  return found;
}

namespace {

class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      bytes_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0) ::close(file);
  }
  ~MappedFile() {
    if (bytes_ != MAP_FAILED) ::munmap(bytes_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const {
    return bytes_ == MAP_FAILED ? std::span<const std::byte>()
                                : std::span(static_cast<const std::byte*>(bytes_), size_);
  }

 private:
  void* bytes_ = MAP_FAILED;
  std::size_t size_ = 0;
};

#if defined(__x86_64__)
constexpr std::size_t kJumpBytes = 14;

// jmp *[rip]; the address
void write_jump(std::uint64_t from, const void* to) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t first = from / page * page, end = (from + kJumpBytes + page - 1) / page * page;
  auto* pages = reinterpret_cast<void*>(first);
  if (::mprotect(pages, end - first, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};
  auto* code = reinterpret_cast<unsigned char*>(from);
  std::memcpy(code, kJump, sizeof kJump);
  std::memcpy(code + sizeof kJump, &to, sizeof to);
  ::mprotect(pages, end - first, PROT_READ | PROT_EXEC);
}
#endif

std::uint64_t where_the_program_is() {
  const auto* map = static_cast<const link_map*>(::dlopen(nullptr, RTLD_LAZY));
  return map ? map->l_addr : 0;
}

// Of a program that asks for a libcudart by name, the linker has led the calls here already.
__attribute__((constructor)) void redirect_the_program() {
#if defined(__x86_64__)
  Dl_info self{};
  if (!::dladdr(reinterpret_cast<const void*>(&redirect_the_program), &self)) return;
  const MappedFile program("/proc/self/exe");
  const std::vector<CodeSymbol> functions = runtime_functions_of(program.bytes());
  if (functions.empty()) return;
  void* library = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  const std::uint64_t base = where_the_program_is();
  for (const CodeSymbol& function : functions)
    if (const void* own = ::dlsym(library, function.name.c_str())) write_jump(base + function.address, own);
#endif
}

}  // namespace
}  // namespace cudalab::runtime
