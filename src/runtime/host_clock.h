// The host's clocks as the program reads them, with or without the time that the virtual GPU itself takes.
#pragma once

#include <time.h>

#include <cstdint>

namespace cudalab::runtime {

inline constexpr const char* kVirtualClockVariable = "CUDALAB_VIRTUAL_CLOCK";

// The monotonic clock, and the processor time of all threads (0 without --virtual-clock), in nanoseconds.
struct HostMoment {
  std::int64_t wall_ns = 0, processor_ns = 0;
};
HostMoment host_moment();

// Excludes the time from `begin` until now, which the runtime used, from the program's time. Thread-safe.
void exclude_from_host_time(const HostMoment& begin);
// Adds the time of a sleep, which takes no processor time. Thread-safe.
void add_sleep(std::int64_t ns);

// Called with the runtime's lock held, at the beginning and the end of a thread's outermost API call, whose
// time is excluded.
void begin_call_on_host_clock();
void end_call_on_host_clock();
// The excluded real time so far, in nanoseconds.
std::int64_t ns_in_calls();

// How far another clock of the host is ahead of the monotonic clock, measured once. With it, processor time
// advances like wall time, because CUDA's runtime spins while it waits. Thread-safe.
std::int64_t host_clock_offset_ns(clockid_t clock);

// With --virtual-clock, the nanoseconds to add to a clock of the host that was read at this moment. The
// shifted clock advances by the predicted time of the work that the host waits for, and by the host's own
// time: its processor time and sleeps. (Real time would contain the time of other programs.) The host's own
// time is never more than the real time without the excluded one. Returns 0 without the option and before the
// first call.
std::int64_t host_clock_shift_ns(const HostMoment& at);
bool has_virtual_clock();

}  // namespace cudalab::runtime
