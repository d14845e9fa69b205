// For tests and the fuzzer: parses, loads and launches any text, within small limits.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

// Two buffers for pointers, small numbers for other parameters.
inline std::vector<std::byte> hostile_parameters(const KernelInfo& kernel, std::uint64_t in,
                                                 std::uint64_t out) {
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const KernelParameter& parameter = kernel.parameters[i];
    const std::uint64_t value = parameter.bytes == 8 ? (i % 2 ? out : in) : 100 + i;
    std::memcpy(bytes.data() + parameter.offset, &value,
                std::min<std::size_t>(parameter.bytes, sizeof value));
  }
  return bytes;
}

// Every launch must return. Whatever is wrong with the text is reported as a hazard or an Error. Returns how
// many kernels ran.
inline int run_anything(std::string_view text, unsigned host_threads = 2) {
  constexpr std::size_t kMemory = std::size_t{64} << 20, kBuffer = 4096;
  constexpr std::size_t kMostKernels = 4;
  int launches = 0;
  try {
    VirtualGpu gpu(Options{.host_threads = host_threads, .memory_bytes = kMemory});
    const auto module = gpu.load(ptx::parse(text, "hostile.ptx"), "hostile.cu");
    for (std::size_t i = 0; i < std::min(module->kernels().size(), kMostKernels); ++i) {
      const std::uint64_t in = gpu.allocate("in", kBuffer), out = gpu.allocate("out", kBuffer);
      gpu.write(in, std::vector<std::byte>(kBuffer, std::byte{1}));
      LaunchRequest request;
      request.options.predict = false;
      request.kernel = i;
      request.spec = {{3, 1, 1}, {48, 2, 1}, 1024};
      request.options.max_steps = 20'000;
      request.parameters = hostile_parameters(module->kernels()[i], in, out);
      gpu.launch(*module, request);
      ++launches;
    }
  } catch (const Error&) {
  }
  return launches;
}

}  // namespace cudalab::vgpu
