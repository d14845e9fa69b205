// Programs that hold NVIDIA's runtime themselves, as nvcc links it by default, are led here: a jump is
// written over the beginning of each of its functions before the program's own constructors run.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "core/programs/elf_file.h"

namespace cudalab::runtime {
namespace {

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
  constexpr std::array<std::string_view, 2> kPrefixes{"cuda", "__cuda"};
  const std::vector<ElfFunction> functions = functions_of(program.bytes(), kPrefixes);
  if (functions.empty()) return;
  void* library = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  const std::uint64_t base = where_the_program_is();
  for (const ElfFunction& function : functions)
    if (const void* own = ::dlsym(library, function.name.c_str())) write_jump(base + function.address, own);
#endif
}

}  // namespace
}  // namespace cudalab::runtime
