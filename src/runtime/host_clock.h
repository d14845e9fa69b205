// The host's clocks as the program reads them, and what the runtime's own work does to them.
#pragma once

#include <cstdint>

namespace cudalab::runtime {

inline constexpr const char* kVirtualClockVariable = "CUDALAB_VIRTUAL_CLOCK";

// Real time that calls of the API have taken so far, in nanoseconds: the virtual GPU's work for the program.
// Called under the runtime's lock, at the beginning and the end of a thread's outermost call.
void begin_call_on_host_clock();
void end_call_on_host_clock();
std::int64_t ns_in_calls();

// With --virtual-clock, what to add to a clock of the host, in nanoseconds: the real time of calls is taken
// out, and the predicted time of the work that the host waited for is put in. 0 without it, and before the
// first call. Never decreases by more than the real time that has passed, so clocks never run backwards.
std::int64_t host_clock_shift_ns();
bool has_virtual_clock();

}  // namespace cudalab::runtime
