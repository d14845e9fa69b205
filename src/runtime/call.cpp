// The frame of every API function, the functions that return the last error, and the names of errors.
#include "runtime/call.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "core/programs/cuda_errors.h"
#include "messages/runtime.h"
#include "runtime/inspection.h"
#include "runtime/missing.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// Returns the last error, and records that the program has checked it.
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
namespace {

// Errors that only the runtime API has, and what the driver API returns for the same mistake.
struct RuntimeError {
  cudaError_t runtime, driver;
};
constexpr RuntimeError kRuntimeErrors[] = {
    {cudaErrorInvalidSymbol, cudaErrorSymbolNotFound},
    {cudaErrorInvalidDeviceFunction, cudaErrorInvalidResourceHandle},
    {cudaErrorInvalidConfiguration, cudaErrorInvalidValue},
    {cudaErrorInvalidPitchValue, cudaErrorInvalidValue},
    {cudaErrorInvalidMemcpyDirection, cudaErrorInvalidValue},
    {cudaErrorInvalidChannelDescriptor, cudaErrorInvalidValue},
    {cudaErrorInvalidTexture, cudaErrorInvalidValue},
};

}  // namespace

int driver_code_of(cudaError_t error) {
  if (find_driver_error(error)) return error;
  const auto* found = std::ranges::find(kRuntimeErrors, error, &RuntimeError::runtime);
  return found == std::end(kRuntimeErrors) ? cudaErrorUnknown : found->driver;
}

cudaError_t failed(const std::string& call, const Failure& why, bool is_launch) {
  Runtime& state = the_runtime();
  ThreadState& thread = this_thread();
  if (why.code == cudaErrorNotReady) return why.code;  // cudaErrorNotReady is an answer, not an error
  ++state.failures;
  FailedCall record;
  if (thread.driver_call) {  // the driver API remembers no error: its return value is all that can be checked
    record.is_asked_for = true;
    record.call = thread.driver_call;
    record.error = find_driver_error(driver_code_of(why.code))->name;
  } else {
    thread.last_error = why.code;
    thread.last_failure = state.failures;
    const CudaErrorText* text = find_cuda_error(why.code);
    record.call = call;
    record.error = text ? text->name : "cudaErrorUnknown";
  }
  state.has_refused_work |= is_launch || call.starts_with("cudaMem") || call.starts_with("cuMem");
  record.why = why.why;
  record.is_launch = is_launch;
  record.from = call_site();
  record.number = state.failures;
  state.records.send(record);
  the_inspection().look_at_failure(record, state.lost != cudaSuccess);
  return why.code;
}

// Reports each missing function once.
int answer_missing(const char* name) {
  const std::string_view spelled = name;
  const bool is_of_runtime_api = spelled.starts_with("cuda") || spelled.starts_with("_");
  const char* before = this_thread().driver_call;
  if (!is_of_runtime_api) this_thread().driver_call = name;
  const cudaError_t error = answer_always(name, [&] {
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
  this_thread().driver_call = before;
  return error;
}

}  // namespace cudalab::runtime
