// The frame of every API function: it serializes calls, remembers errors, and lets no exception reach the
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

// The number by which the driver API reports an error of the runtime API.
int driver_code_of(cudaError_t error);

// Returns the error code of a failed call, after recording it as the thread's last error.
cudaError_t failed(const std::string& call, const Failure& why, bool is_launch = false);

// Holds the runtime's lock while a thread is inside the API. At the end of the outermost call, pages that
// queued work uses are protected again.
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
      if (std::exchange(state.has_dirty_heap, false)) keep_free_memory();
      end_call_on_host_clock();
    }
    --this_thread().calls;
  }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

// While it lives, the thread's default stream is its own, as in code compiled with --default-stream
// per-thread.
class OwnDefaultStream {
 public:
  OwnDefaultStream() { this_thread().is_default_its_own = true; }
  ~OwnDefaultStream() { this_thread().is_default_its_own = false; }
  OwnDefaultStream(const OwnDefaultStream&) = delete;
  OwnDefaultStream& operator=(const OwnDefaultStream&) = delete;
};

// Marks the current call as one that only waits for the device.
inline void note_synchronization() { the_runtime().synchronized_at = the_runtime().calls + 1; }

// The frame of a call that still works after a kernel's fault, such as cudaDeviceReset.
template <class Body>
cudaError_t answer_always(const char* call, Body&& body) {
  const InCall in_call;
  if (*call != '_') enter_runtime_api(false);  // registration, before main, does not initialize the driver
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

// The frame of all other calls: after a kernel's fault they return its error. `body` throws Failure where a
// GPU returns an error.
template <class Body>
cudaError_t answer(const char* call, Body&& body) {
  return answer_always(call, [&] {
    enter_runtime_api(true);
    if (the_runtime().lost != cudaSuccess) throw Failure{the_runtime().lost, {}};
    body();
    if (the_runtime().lost != cudaSuccess) throw Failure{the_runtime().lost, {}};
  });
}

}  // namespace cudalab::runtime
