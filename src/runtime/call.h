// The frame around every function of the API: one call at a time, errors remembered, none thrown at the
// program.
#pragma once

#include <new>

#include "core/error.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {

// What a call answers that did not succeed; it is the thread's last error from then on.
cudaError_t failed(const std::string& call, const Failure& why, bool is_launch = false);

// Of a call that a kernel's fault leaves nothing to do for.
template <class Body>
cudaError_t answer_always(const char* call, Body&& body) {
  const std::lock_guard lock(the_runtime().mutex);
  try {
    body();
    return cudaSuccess;
  } catch (const Failure& why) {
    return failed(call, why);
  } catch (const LaunchFailure& launch) {
    return failed(launch.kernel, launch.why, true);
  } catch (const Error& error) {
    const bool is_memory = error.code() == ExitCode::kUnavailable;
    return failed(call, {is_memory ? cudaErrorMemoryAllocation : cudaErrorInvalidValue, error.what()});
  } catch (const std::bad_alloc&) {
    return failed(call, {cudaErrorMemoryAllocation, "the host has no memory left"});
  }
}

// `body` throws Failure where the card would answer an error.
template <class Body>
cudaError_t answer(const char* call, Body&& body) {
  return answer_always(call, [&] {
    if (the_runtime().lost != cudaSuccess) throw Failure{the_runtime().lost, ""};
    body();
    if (the_runtime().lost != cudaSuccess) throw Failure{the_runtime().lost, ""};
  });
}

}  // namespace cudalab::runtime
