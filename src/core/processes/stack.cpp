// setrlimit, which counts for the first thread's stack at once; other threads get theirs when they are made.
#include "core/processes/stack.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace cudalab {
namespace {

constexpr rlim_t kNeeded = 512 << 10, kUsual = 8 << 20;

void make_usual_for_threads() {
  pthread_attr_t attributes{};
  if (::pthread_getattr_default_np(&attributes) != 0) return;
  ::pthread_attr_setstacksize(&attributes, kUsual);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

bool has_room_on_the_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kNeeded) return true;
  limit.rlim_cur = std::min(std::max(limit.rlim_max, kNeeded), kUsual);
  limit.rlim_max = std::max(limit.rlim_cur, limit.rlim_max);
  if (::setrlimit(RLIMIT_STACK, &limit) != 0) return false;
  make_usual_for_threads();
  return true;
}

}  // namespace cudalab
