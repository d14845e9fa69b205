#include "runtime/host_clock.h"

#include <time.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

std::atomic<std::int64_t> in_calls = 0;
std::int64_t call_began = 0;  // under the runtime's lock
std::atomic<std::int64_t> last_shift = 0;

// Of the C library itself: this thread is in the API, so the reading is not taken for the program's.
std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

}  // namespace

void begin_call_on_host_clock() { call_began = now_ns(); }
void end_call_on_host_clock() { in_calls += now_ns() - call_began; }
std::int64_t ns_in_calls() { return in_calls; }

bool has_virtual_clock() {
  static const bool kIsOn = [] {
    const char* said = std::getenv(kVirtualClockVariable);
    return said && std::string_view(said) == "on";
  }();
  return kIsOn;
}

std::int64_t host_clock_shift_ns() {
  if (!has_virtual_clock() || !is_runtime_made()) return 0;
  Runtime& state = the_runtime();
  // Another thread's call may last long: the program's clock is then as it was at the last reading.
  const std::unique_lock lock(state.mutex, std::try_to_lock);
  if (lock) last_shift = static_cast<std::int64_t>(state.clock.now() * 1e6) - in_calls;
  return last_shift;
}

}  // namespace cudalab::runtime
