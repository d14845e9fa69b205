// Interposed functions of the C library, and the redirection of statically linked CUDA runtimes to this
// library.
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

// C library functions that the runtime intercepts. Clocks: a clock read without waiting for the kernel times
// only the launch. Calls that pass memory to the operating system's kernel: they fail on protected pages.

using namespace cudalab::runtime;

namespace {

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// False for the runtime's own use of the C library, and before the program's first CUDA call.
bool is_of_the_program() {
  return is_runtime_made() && this_thread().calls == 0 && !cudalab::vgpu::is_interpreter_thread;
}

void open_memory(const void* memory, std::size_t bytes, bool is_write) {
  if (is_runtime_made())
    the_runtime().guard.open_for_system_call(reinterpret_cast<std::uint64_t>(memory), bytes, is_write,
                                             !is_of_the_program());
}

// Whether the code at an address is NVRTC's, which measures its own work.
bool is_of_nvrtc(void* address) {
  Dl_info where{};
  return ::dladdr(address, &where) && std::strstr(where.dli_fname, "/libnvrtc") != nullptr;
}

// `caller`: the return address in the code that reads the clock.
void note_clock(void* caller) {
  if (!is_of_nvrtc(caller)) look_at_clock();
}

// A reading of a clock. The time that the runtime uses for it does not count as the program's time.
class HostClockReading {
 public:
  explicit HostClockReading(void* caller) : is_of_program_(is_of_the_program()) {
    if (!is_of_program_) return;
    at_ = host_moment();
    note_clock(caller);
  }
  ~HostClockReading() {
    if (is_of_program_) exclude_from_host_time(at_);
  }
  HostClockReading(const HostClockReading&) = delete;
  HostClockReading& operator=(const HostClockReading&) = delete;

  // Whether the program reads it with --virtual-clock.
  bool is_shifted() const { return is_of_program_ && has_virtual_clock(); }
  // The clock's value at the moment of the reading, in ns. The clock is not read again, because the thread
  // may have lost the processor in between.
  std::int64_t shifted(clockid_t clock) const {
    return at_.wall_ns + host_clock_offset_ns(clock) + host_clock_shift_ns(at_);
  }

 private:
  bool is_of_program_;
  HostMoment at_;
};

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
timespec timespec_of(std::int64_t ns) { return {ns / kNsPerSecond, ns % kNsPerSecond}; }

template <class Sleep>
auto sleeping(const Sleep& sleep) {
  if (!is_of_the_program()) return sleep();
  const HostMoment begin = host_moment();
  const auto left = sleep();
  add_sleep(host_moment().wall_ns - begin.wall_ns);
  return left;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const next = next_of<int(clockid_t, timespec*)>("clock_gettime");
  const HostClockReading reading(__builtin_return_address(0));
  const int code = next(clock, now);
  if (code == 0 && reading.is_shifted()) *now = timespec_of(reading.shifted(clock));
  return code;
}
int gettimeofday(timeval* now, void* zone) noexcept {
  static auto* const next = next_of<int(timeval*, void*)>("gettimeofday");
  const HostClockReading reading(__builtin_return_address(0));
  const int code = next(now, zone);
  if (code != 0 || !reading.is_shifted()) return code;
  const std::int64_t us = reading.shifted(CLOCK_REALTIME) / 1000;
  *now = {us / 1'000'000, us % 1'000'000};
  return code;
}
int timespec_get(timespec* now, int base) noexcept {
  static auto* const next = next_of<int(timespec*, int)>("timespec_get");
  const HostClockReading reading(__builtin_return_address(0));
  const int code = next(now, base);
  if (code == base && reading.is_shifted()) *now = timespec_of(reading.shifted(CLOCK_REALTIME));
  return code;
}
clock_t clock() noexcept {
  static auto* const next = next_of<clock_t()>("clock");
  const HostClockReading reading(__builtin_return_address(0));
  if (!reading.is_shifted()) return next();
  // With --virtual-clock, the processor time of the host is its wall time: CUDA's runtime spins while it
  // waits.
  const std::int64_t now = reading.shifted(CLOCK_MONOTONIC);
  static const std::int64_t first = now;
  static const clock_t at_first = next();
  return at_first + static_cast<clock_t>((now - first) / (kNsPerSecond / CLOCKS_PER_SEC));
}

// Sleeps take time but no processor time.
int nanosleep(const timespec* time, timespec* left) {
  static auto* const next = next_of<int(const timespec*, timespec*)>("nanosleep");
  return sleeping([&] { return next(time, left); });
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  static auto* const next = next_of<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  return sleeping([&] { return next(clock, flags, time, left); });
}
int usleep(useconds_t us) {
  static auto* const next = next_of<int(useconds_t)>("usleep");
  return sleeping([&] { return next(us); });
}
unsigned sleep(unsigned seconds) {
  static auto* const next = next_of<unsigned(unsigned)>("sleep");
  return sleeping([&] { return next(seconds); });
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

// nvcc by default links NVIDIA's runtime statically. In such programs a jump to this library is written over
// the first bytes of each runtime function, before the program's constructors run.

namespace {

#if defined(__x86_64__)
constexpr std::size_t kJumpBytes = 14;

struct Jump {
  std::uint64_t from = 0;
  const void* to = nullptr;
};

// Encodes `jmp *[rip]`, followed by the address.
void write_jump(const Jump& jump) {
  constexpr unsigned char kCode[] = {0xff, 0x25, 0, 0, 0, 0};
  auto* code = reinterpret_cast<unsigned char*>(jump.from);
  std::memcpy(code, kCode, sizeof kCode);
  std::memcpy(code + sizeof kCode, &jump.to, sizeof jump.to);
}

// NVIDIA's functions are adjacent, so one pair of mprotect calls covers all their pages.
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

// If a program links a shared libcudart, the dynamic linker has already bound its calls to this library.
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
