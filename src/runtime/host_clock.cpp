// Measures the host's own time without the runtime's, and computes the shift of the host's clocks.
#include "runtime/host_clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>

#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

std::atomic<std::int64_t> excluded_wall = 0, excluded_processor = 0, slept = 0;
HostMoment call_began;  // protected by the runtime's lock
std::atomic<std::int64_t> last_shift = 0;

// Directly from the system: the runtime also replaces clock_gettime.
std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  ::syscall(SYS_clock_gettime, clock, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

const HostMoment& first_moment() {
  static const HostMoment kFirst = host_moment();
  return kFirst;
}

}  // namespace

HostMoment host_moment() {
  return {read_clock(CLOCK_MONOTONIC), has_virtual_clock() ? read_clock(CLOCK_PROCESS_CPUTIME_ID) : 0};
}

void exclude_from_host_time(const HostMoment& begin) {
  const HostMoment now = host_moment();
  excluded_wall += now.wall_ns - begin.wall_ns;
  excluded_processor += now.processor_ns - begin.processor_ns;
}

void add_sleep(std::int64_t ns) { slept += ns; }

void begin_call_on_host_clock() {
  call_began = host_moment();
  first_moment();
}
void end_call_on_host_clock() { exclude_from_host_time(call_began); }
std::int64_t ns_in_calls() { return excluded_wall; }

bool has_virtual_clock() {
  static const bool kIsOn = [] {
    const char* said = std::getenv(kVirtualClockVariable);
    return said && std::string_view(said) == "on";
  }();
  return kIsOn;
}

std::int64_t host_clock_offset_ns(clockid_t clock) {
  static std::mutex mutex;
  static std::map<clockid_t, std::int64_t> offsets;
  if (clock == CLOCK_MONOTONIC) return 0;
  const std::lock_guard lock(mutex);
  const auto [offset, is_new] = offsets.try_emplace(clock, 0);
  if (!is_new) return offset->second;
  // Of several readings, the one that took the least time is the most exact.
  constexpr int kReadings = 8;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t before = read_clock(CLOCK_MONOTONIC), shown = read_clock(clock),
                       after = read_clock(CLOCK_MONOTONIC);
    if (after - before >= shortest) continue;
    shortest = after - before;
    offset->second = shown - before - shortest / 2;
  }
  return offset->second;
}

std::int64_t host_clock_shift_ns(const HostMoment& at) {
  if (!has_virtual_clock() || !is_runtime_made()) return 0;
  Runtime& state = the_runtime();
  // If another thread is inside a long call, this function does not wait: the shift stays as at the last
  // reading.
  const std::unique_lock lock(state.mutex, std::try_to_lock);
  if (!lock) return last_shift;
  const HostMoment& first = first_moment();
  const std::int64_t wall = at.wall_ns - first.wall_ns;
  const std::int64_t own =
      std::min(wall - excluded_wall, at.processor_ns - first.processor_ns - excluded_processor + slept);
  return last_shift = static_cast<std::int64_t>(state.clock.now() * 1e6) + own - wall;
}

}  // namespace cudalab::runtime
