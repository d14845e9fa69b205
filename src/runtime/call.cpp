// A failure is told once to who watches, and stays the thread's last error.
#include "runtime/call.h"

#include "core/programs/cuda_errors.h"

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

}  // namespace cudalab::runtime
