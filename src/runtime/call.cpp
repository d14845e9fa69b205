// The frame around every function of the runtime API: one call at a time, and the last error with its names.
#include "runtime/call.h"

#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "core/programs/cuda_errors.h"
#include "messages/runtime.h"
#include "runtime/missing.h"

// The last error, and the errors' names.

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// Who asks has looked.
cudaError_t asked(bool forget) {
  const std::lock_guard lock(the_runtime().mutex);
  ThreadState& thread = this_thread();
  if (thread.last_failure) the_runtime().records.send(ErrorAsked{thread.last_failure});
  thread.last_failure = 0;
  return forget ? std::exchange(thread.last_error, cudaSuccess) : thread.last_error;
}

const char* text_of(cudaError_t error, const char* CudaErrorText::*which) {
  if (error != cudaSuccess && error == this_thread().last_error) asked(false);
  const CudaErrorText* found = find_cuda_error(error);
  return found ? found->*which : "unrecognized error code";
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGetLastError() { return asked(true); }
cudaError_t cudaPeekAtLastError() { return asked(false); }
const char* cudaGetErrorName(cudaError_t error) { return text_of(error, &CudaErrorText::name); }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error, &CudaErrorText::text); }

}  // extern "C"
#pragma GCC visibility pop

namespace cudalab::runtime {

cudaError_t failed(const std::string& call, const Failure& why, bool is_launch) {
  Runtime& state = the_runtime();
  ThreadState& thread = this_thread();
  if (why.code == cudaErrorNotReady) return why.code;  // an answer, not an error
  thread.last_error = why.code;
  thread.last_failure = ++state.failures;
  const CudaErrorText* text = find_cuda_error(why.code);
  state.has_refused_work |= is_launch || call.starts_with("cudaMem");
  FailedCall record;
  record.call = call;
  record.error = text ? text->name : "cudaErrorUnknown";
  record.why = why.why;
  record.is_launch = is_launch;
  record.from = call_site();
  record.number = state.failures;
  state.records.send(record);
  return why.code;
}

// Said once a name.
int answer_missing(const char* name) {
  return answer_always(name, [&] {
    static std::set<std::string> said;
    const Message what = msg::program_calls_missing(name);
    if (said.insert(name).second) {
      if (the_runtime().records.is_watched())
        report_mistake(MistakeKind::kUnsupported, what, msg::advice_run_on_card());
      else
        std::fprintf(stderr, "cudalab: %s; %s\n", what.text().c_str(),
                     msg::advice_run_on_card().text().c_str());
    }
    throw Failure{cudaErrorNotSupported, what};
  });
}

}  // namespace cudalab::runtime
