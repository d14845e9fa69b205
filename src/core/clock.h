// A clock that only goes on.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

namespace cudalab {

inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The same to some milliseconds, and quicker to ask.
inline std::int64_t coarse_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace cudalab
