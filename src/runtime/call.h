// The frame around every function of the API: one call at a time, errors remembered, none thrown at the
// program.
#pragma once

#include <new>
#include <utility>

#include "core/error.h"
#include "messages/runtime.h"
#include "runtime/heap.h"
#include "runtime/host_clock.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {

// What a call answers that did not succeed; it is the thread's last error from then on.
cudaError_t failed(const std::string& call, const Failure& why, bool is_launch = false);

// While a thread is in the API. What the host may not touch is closed again at the end.
class InCall {
 public:
  InCall() : lock_(the_runtime().mutex) {
    if (++this_thread().calls == 1) begin_call_on_host_clock();
  }
  ~InCall() {
    Runtime& state = the_runtime();
    ++state.calls;
    if (this_thread().calls == 1) {
      state.guard.close(state.queue);
      if (std::exchange(state.has_dirty_heap, false)) clear_free_memory();
      end_call_on_host_clock();
    }
    --this_thread().calls;
  }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

// In a call that only waits for the device.
inline void note_synchronization() { the_runtime().synchronized_at = the_runtime().calls + 1; }

// Of a call that a kernel's fault leaves nothing to do for.
template <class Body>
cudaError_t answer_always(const char* call, Body&& body) {
  const InCall in_call;
  try {
    body();
    return cudaSuccess;
  } catch (const Failure& why) {
    return failed(call, why);
  } catch (const LaunchFailure& launch) {
    return failed(launch.kernel, launch.why, true);
  } catch (const Error& error) {
    const bool is_memory = error.code() == ExitCode::kUnavailable;
    return failed(call, {is_memory ? cudaErrorMemoryAllocation : cudaErrorInvalidValue, error.message()});
  } catch (const std::bad_alloc&) {
    return failed(call, {cudaErrorMemoryAllocation, msg::host_memory_exhausted()});
  }
}

// `body` throws Failure where the card would answer an error.
template <class Body>
cudaError_t answer(const char* call, Body&& body) {
  return answer_always(call, [&] {
    if (the_runtime().lost != cudaSuccess) throw Failure{the_runtime().lost, {}};
    body();
    if (the_runtime().lost != cudaSuccess) throw Failure{the_runtime().lost, {}};
  });
}

}  // namespace cudalab::runtime
