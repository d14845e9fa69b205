// What programs call of the C library that is looked at on its way there: clocks, which time nothing where no
// kernel was waited for, and calls that give memory to the system, which fails where a page is closed.
#include <dlfcn.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "runtime/runtime.h"

using namespace cudalab::runtime;

namespace {

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// The runtime's own use of the C library, and a program that has not called CUDA yet, are let through.
bool is_of_the_program() { return is_runtime_made() && this_thread().calls == 0; }

void open_memory(const void* memory, std::size_t bytes, bool is_write) {
  if (is_of_the_program())
    the_runtime().guard.open_for_system_call(reinterpret_cast<std::uint64_t>(memory), bytes, is_write);
}

void note_clock() {
  if (is_of_the_program()) look_at_clock();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const next = next_of<int(clockid_t, timespec*)>("clock_gettime");
  note_clock();
  return next(clock, now);
}
int gettimeofday(timeval* now, void* zone) noexcept {
  static auto* const next = next_of<int(timeval*, void*)>("gettimeofday");
  note_clock();
  return next(now, zone);
}
clock_t clock() noexcept {
  static auto* const next = next_of<clock_t()>("clock");
  note_clock();
  return next();
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
