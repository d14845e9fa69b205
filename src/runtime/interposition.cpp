// Interposed functions: calls of the C library that the runtime observes, and statically linked CUDA runtimes
// redirected to this one.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <vector>

#include "core/programs/elf_file.h"
#include "runtime/host_clock.h"
#include "runtime/runtime.h"
#include "vgpu/interpreter_thread.h"

// What programs call of the C library that is looked at on its way there: clocks, which time nothing where no
// kernel was waited for, and calls that give memory to the system, which fails where a page is closed.

using namespace cudalab::runtime;

namespace {

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// The runtime's own use of the C library, and a program that has not called CUDA yet, are let through.
bool is_of_the_program() {
  return is_runtime_made() && this_thread().calls == 0 && !cudalab::vgpu::is_interpreter_thread;
}

void open_memory(const void* memory, std::size_t bytes, bool is_write) {
  if (is_runtime_made())
    the_runtime().guard.open_for_system_call(reinterpret_cast<std::uint64_t>(memory), bytes, is_write,
                                             !is_of_the_program());
}

void note_clock() {
  if (is_of_the_program()) look_at_clock();
}

// With --virtual-clock, of the program's own readings.
bool shifts_clocks() { return is_of_the_program() && has_virtual_clock(); }

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
std::int64_t ns_of(const timespec& time) { return time.tv_sec * kNsPerSecond + time.tv_nsec; }
timespec timespec_of(std::int64_t ns) { return {ns / kNsPerSecond, ns % kNsPerSecond}; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const next = next_of<int(clockid_t, timespec*)>("clock_gettime");
  note_clock();
  const int code = next(clock, now);
  if (code == 0 && shifts_clocks()) *now = timespec_of(ns_of(*now) + host_clock_shift_ns());
  return code;
}
int gettimeofday(timeval* now, void* zone) noexcept {
  static auto* const next = next_of<int(timeval*, void*)>("gettimeofday");
  note_clock();
  const int code = next(now, zone);
  if (code != 0 || !shifts_clocks()) return code;
  const std::int64_t us = now->tv_sec * 1'000'000ll + now->tv_usec + host_clock_shift_ns() / 1000;
  *now = {us / 1'000'000, us % 1'000'000};
  return code;
}
int timespec_get(timespec* now, int base) noexcept {
  static auto* const next = next_of<int(timespec*, int)>("timespec_get");
  note_clock();
  const int code = next(now, base);
  if (code == base && shifts_clocks()) *now = timespec_of(ns_of(*now) + host_clock_shift_ns());
  return code;
}
clock_t clock() noexcept {
  static auto* const next = next_of<clock_t()>("clock");
  note_clock();
  if (!shifts_clocks()) return next();
  // Processor time of a host that waits without giving the processor away, as CUDA's runtime does: its time
  // by the wall.
  static auto* const wall = next_of<int(clockid_t, timespec*)>("clock_gettime");
  timespec now{};
  wall(CLOCK_MONOTONIC, &now);
  static const std::int64_t first = ns_of(now) + host_clock_shift_ns();
  static const clock_t at_first = next();
  return at_first +
         static_cast<clock_t>((ns_of(now) + host_clock_shift_ns() - first) / (kNsPerSecond / CLOCKS_PER_SEC));
}

ssize_t read(int file, void* to, std::size_t bytes) {
  static auto* const next = next_of<ssize_t(int, void*, std::size_t)>("read");
  open_memory(to, bytes, true);
  return next(file, to, bytes);
}
ssize_t write(int file, const void* from, std::size_t bytes) {
  static auto* const next = next_of<ssize_t(int, const void*, std::size_t)>("write");
  open_memory(from, bytes, false);
  return next(file, from, bytes);
}
std::size_t fread(void* to, std::size_t size, std::size_t count, FILE* file) {
  static auto* const next = next_of<std::size_t(void*, std::size_t, std::size_t, FILE*)>("fread");
  open_memory(to, size * count, true);
  return next(to, size, count, file);
}
std::size_t fwrite(const void* from, std::size_t size, std::size_t count, FILE* file) {
  static auto* const next = next_of<std::size_t(const void*, std::size_t, std::size_t, FILE*)>("fwrite");
  open_memory(from, size * count, false);
  return next(from, size, count, file);
}

}  // extern "C"
#pragma GCC visibility pop

namespace cudalab::runtime {

// Programs that hold NVIDIA's runtime themselves, as nvcc links it by default, are led here: a jump is
// written over the beginning of each of its functions before the program's own constructors run.

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
