// Programs that hold NVIDIA's runtime themselves, as nvcc links it by default, are led here: a jump is
// written over the beginning of each of its functions before the program's own constructors run.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/programs/elf_file.h"

namespace cudalab::runtime {
namespace {

#if defined(__x86_64__)
constexpr std::size_t kJumpBytes = 14;

struct Jump {
  std::uint64_t from = 0;
  const void* to = nullptr;
};

// jmp *[rip]; the address
void write_jump(const Jump& jump) {
  constexpr unsigned char kCode[] = {0xff, 0x25, 0, 0, 0, 0};
  auto* code = reinterpret_cast<unsigned char*>(jump.from);
  std::memcpy(code, kCode, sizeof kCode);
  std::memcpy(code + sizeof kCode, &jump.to, sizeof jump.to);
}

// NVIDIA's functions lie side by side: their pages are opened and closed once for all of them.
void write_jumps(const std::vector<Jump>& jumps) {
  if (jumps.empty()) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto [low, high] = std::ranges::minmax(jumps, {}, &Jump::from);
  const std::uint64_t first = low.from / page * page;
  const std::uint64_t bytes = (high.from + kJumpBytes + page - 1) / page * page - first;
  auto* pages = reinterpret_cast<void*>(first);
  if (::mprotect(pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  for (const Jump& jump : jumps) write_jump(jump);
  ::mprotect(pages, bytes, PROT_READ | PROT_EXEC);
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
  constexpr std::array<std::string_view, 2> kPrefixes{"cuda", "__cuda"};
  const std::vector<ElfFunction> functions = functions_of(program.bytes(), kPrefixes);
  if (functions.empty()) return;
  void* library = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  const std::uint64_t base = where_the_program_is();
  std::vector<Jump> jumps;
  for (const ElfFunction& function : functions)
    if (const void* own = ::dlsym(library, function.name.c_str()))
      jumps.push_back({base + function.address, own});
  write_jumps(jumps);
#endif
}

}  // namespace
}  // namespace cudalab::runtime
