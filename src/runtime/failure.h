// How a call of the runtime API ends without success: the card's error, and why in a sentence.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace cudalab::runtime {

struct Failure {
  cudaError_t code;
  std::string why;  // "the copy of 400 bytes ends 200 bytes behind the end of `cudaMalloc #1`"
};

// Of a launch: whose return value `<<<>>>` drops.
struct LaunchFailure {
  Failure why;
  std::string kernel;
};

template <class... Args>
[[nodiscard]] Failure failure(cudaError_t code, fmt::format_string<Args...> why, Args&&... args) {
  return {code, fmt::format(why, std::forward<Args>(args)...)};
}
inline void require(bool holds, cudaError_t code, std::string_view why) {
  if (!holds) throw Failure{code, std::string(why)};
}

cudaError_t error_of_driver(const std::string& driver_name);  // "CUDA_ERROR_ILLEGAL_ADDRESS"

}  // namespace cudalab::runtime
