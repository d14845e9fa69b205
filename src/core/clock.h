// A clock that only goes on.
#pragma once

#include <chrono>

namespace cudalab {

inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace cudalab
