// Reads the state of pages from /proc/self/pagemap, and tests with msync() whether they are mapped.
#include "runtime/host_memory.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace cudalab::runtime {
namespace {

// Linux keeps 64 bits per page; one of the top two is set for a page in memory or in swap (pagemap(5)).
constexpr std::uint64_t kUsedPage = 3ull << 62;
constexpr std::size_t kMostPages = 16'384;  // the most pages to check for one copy

std::uint64_t host_page_bytes() {
  static const auto kBytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

bool is_mapped(std::uint64_t page, std::uint64_t pages) {
  return ::msync(reinterpret_cast<void*>(page), pages * host_page_bytes(), MS_ASYNC) == 0;
}

template <class Value>
const Value* dynamic_entry(const dl_phdr_info& object, const ElfW(Dyn) * entries, ElfW(Sxword) tag) {
  for (; entries->d_tag != DT_NULL; ++entries)
    if (entries->d_tag == tag) {
      const auto pointer = static_cast<std::uint64_t>(entries->d_un.d_ptr);
      return reinterpret_cast<const Value*>(pointer < object.dlpi_addr ? pointer + object.dlpi_addr
                                                                       : pointer);
    }
  return nullptr;
}

// Sets `found` if the program itself, the first object in the list, imports one of these functions.
int refers_to_cleared_memory(dl_phdr_info* object, std::size_t, void* found) {
  constexpr std::array<std::string_view, 4> kFunctions{"calloc", "mmap", "mmap64", "shmat"};
  const ElfW(Dyn)* entries = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entries = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  if (!entries) return 1;
  const auto* symbols = dynamic_entry<ElfW(Sym)>(*object, entries, DT_SYMTAB);
  const auto* names = dynamic_entry<char>(*object, entries, DT_STRTAB);
  if (!symbols || !names || reinterpret_cast<const char*>(symbols) >= names) return 1;
  // GNU ld, gold, lld and mold place the string table directly after the symbol table.
  const auto count =
      static_cast<std::size_t>(names - reinterpret_cast<const char*>(symbols)) / sizeof *symbols;
  *static_cast<bool*>(found) = std::any_of(symbols, symbols + count, [&](const ElfW(Sym) & symbol) {
    return std::ranges::find(kFunctions, std::string_view(names + symbol.st_name)) != kFunctions.end();
  });
  return 1;
}

bool may_mean_zeros() {
  static const bool kMay = [] {
    bool found = true;
    ::dl_iterate_phdr(refers_to_cleared_memory, &found);
    return found;
  }();
  return kMay;
}

// Variables of the program and its libraries are zero-initialized, so an untouched page of them holds values.
bool is_in_an_object(std::uint64_t address) {
  struct Place {
    std::uint64_t address;
    bool found;
  } place{address, false};
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* sought) {
        auto& at = *static_cast<Place*>(sought);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = object->dlpi_phdr[i];
          const std::uint64_t begin = object->dlpi_addr + part.p_vaddr;
          at.found |= part.p_type == PT_LOAD && at.address >= begin && at.address < begin + part.p_memsz;
        }
        return static_cast<int>(at.found);
      },
      &place);
  return place.found;
}

}  // namespace

std::size_t mapped_bytes(std::uint64_t address, std::size_t bytes) {
  if (bytes == 0) return 0;
  const std::uint64_t first = address / host_page_bytes() * host_page_bytes();
  const std::uint64_t pages = (address + bytes - first + host_page_bytes() - 1) / host_page_bytes();
  if (is_mapped(first, pages)) return bytes;
  // Binary search: the first `mapped` pages are mapped; the first `beyond` pages are not all mapped.
  std::uint64_t mapped = 0, beyond = pages;
  while (beyond - mapped > 1) {
    const std::uint64_t middle = mapped + (beyond - mapped) / 2;
    (is_mapped(first, middle) ? mapped : beyond) = middle;
  }
  return mapped == 0 ? 0 : first + mapped * host_page_bytes() - address;
}

std::size_t untouched_bytes(std::uint64_t address, std::size_t bytes) {
  const std::uint64_t first = (address + host_page_bytes() - 1) / host_page_bytes(),
                      end = (address + bytes) / host_page_bytes();
  if (first >= end || may_mean_zeros() || is_in_an_object(address)) return 0;
  static const int kPages = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  std::vector<std::uint64_t> pages(std::min<std::uint64_t>(end - first, kMostPages));
  const auto length = static_cast<ssize_t>(pages.size() * sizeof pages[0]);
  if (kPages < 0 || ::pread(kPages, pages.data(), static_cast<std::size_t>(length),
                            static_cast<off_t>(first * sizeof pages[0])) != length)
    return 0;
  const auto is_untouched = [](std::uint64_t page) { return (page & kUsedPage) == 0; };
  return static_cast<std::size_t>(std::ranges::count_if(pages, is_untouched)) * host_page_bytes();
}

}  // namespace cudalab::runtime
