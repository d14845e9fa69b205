// The frame of the functions of the driver API. Most of these functions are functions of the runtime API
// under another name and with other types ("twins"). Both APIs share streams, events, memory and kernels.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <bit>
#include <type_traits>

#include "messages/runtime.h"
#include "runtime/call.h"

namespace cudalab::runtime {

// What a function needs before it can run: cuInit, and a current context.
enum class Needs : std::uint8_t { kNothing, kInit, kContext };

// Records failures, allocations and copies under the name of the driver's function until it returns.
class DriverCall {
 public:
  explicit DriverCall(const char* name) : before_(std::exchange(this_thread().driver_call, name)) {}
  ~DriverCall() { this_thread().driver_call = before_; }
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

 private:
  const char* before_;
};

inline CUresult result_of(cudaError_t error) { return static_cast<CUresult>(driver_code_of(error)); }

// Throws Failure: CUDA_ERROR_NOT_INITIALIZED, _INVALID_CONTEXT, _CONTEXT_IS_DESTROYED.
void require_ready(Needs needs);

// The context of a handle. Throws Failure: CUDA_ERROR_INVALID_VALUE, _INVALID_CONTEXT.
Context& context_of(CUcontext handle);

// Converts an argument of the driver API to the type that the runtime API has for it: CUdeviceptr to a
// pointer, an enumerator to the one with its number, a structure to the one with its members.
template <class To, class From>
To as(From from) {
  if constexpr (std::is_convertible_v<From, To>)
    return from;
  else if constexpr (std::is_class_v<From>)
    return std::bit_cast<To>(from);
  else if constexpr (std::is_enum_v<To>)
    return static_cast<To>(from);
  else if constexpr (std::is_pointer_v<From> && std::is_pointer_v<To>)
    return (To)from;  // may remove const, too
  else
    return reinterpret_cast<To>(from);
}

// Runs `body`, which throws Failure where a GPU returns an error.
template <class Body>
CUresult drive(const char* name, Needs needs, Body&& body) {
  const DriverCall during(name);
  const InCall in_call;
  if (const cudaError_t error = answer_always(name, [&] { require_ready(needs); })) return result_of(error);
  return result_of(needs == Needs::kContext ? answer(name, body) : answer_always(name, body));
}

template <class... To, class... From>
CUresult call_twin(const char* name, Needs needs, cudaError_t (*twin)(To...), From... arguments) {
  const DriverCall during(name);
  const InCall in_call;
  if (const cudaError_t error = answer_always(name, [&] { require_ready(needs); })) return result_of(error);
  return result_of(twin(as<To>(arguments)...));
}

}  // namespace cudalab::runtime

// Defines `CUresult NAME PARAMETERS` as the function `twin` of the runtime API, which gets the arguments
// `...`. cuda.h defines many names as macros: `cuMemAlloc` becomes `cuMemAlloc_v2`, but the text #name stays.
#define TWIN(name, twin, parameters, ...) DEFINE_TWIN(kContext, #name, name, twin, parameters, __VA_ARGS__)
#define TWIN_THAT_NEEDS(needs, name, twin, parameters, ...) \
  DEFINE_TWIN(needs, #name, name, twin, parameters, __VA_ARGS__)
#define DEFINE_TWIN(needs, text, name, twin, parameters, ...)                    \
  CUresult name parameters {                                                     \
    return ::cudalab::runtime::call_twin(text, ::cudalab::runtime::Needs::needs, \
                                         twin __VA_OPT__(, ) __VA_ARGS__);       \
  }

// Defines the variant of a function whose default stream is the thread's own; `suffix` is _ptsz or _ptds.
#define PER_THREAD_VARIANT(name, suffix, parameters, ...) \
  DEFINE_PER_THREAD_VARIANT(name, suffix, parameters, __VA_ARGS__)
#define DEFINE_PER_THREAD_VARIANT(name, suffix, parameters, ...) \
  CUresult name##suffix parameters {                             \
    const ::cudalab::runtime::OwnDefaultStream during;           \
    return name(__VA_ARGS__);                                    \
  }
#define STREAM_TWIN(name, suffix, twin, parameters, ...)            \
  DEFINE_TWIN(kContext, #name, name, twin, parameters, __VA_ARGS__) \
  DEFINE_PER_THREAD_VARIANT(name, suffix, parameters, __VA_ARGS__)
