// For tests: a module from PTX text, buffers of numbers, and launches, in one line each.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

// The parameter block of a kernel: each value at the next multiple of its size.
template <class... T>
std::vector<std::byte> parameters(T... values) {
  std::vector<std::byte> block;
  const auto add = [&](auto value) {
    while (block.size() % sizeof value) block.push_back({});
    const std::size_t at = block.size();
    block.resize(at + sizeof value);
    std::memcpy(block.data() + at, &value, sizeof value);
  };
  (add(values), ...);
  return block;
}

// A complete module around a kernel's body. The body may use %r0-99, %rd0-99, %f0-99, %fd0-99, %rs0-99,
// %p0-99.
inline std::string kernel_text(std::string_view parameter_list, std::string_view body,
                               std::string_view before = "") {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + std::string(before) +
         "\n.visible .entry kernel(" + std::string(parameter_list) +
         ")\n{\n.reg .pred %p<100>;\n.reg .b16 %rs<100>;\n.reg .b32 %r<100>;\n.reg .b64 %rd<100>;\n"
         ".reg .f32 %f<100>;\n.reg .f64 %fd<100>;\n" +
         std::string(body) + "\n}\n";
}

class TestGpu {
 public:
  explicit TestGpu(unsigned host_threads = 2) : gpu_(Options{nullptr, host_threads, std::size_t{1} << 30}) {}
  VirtualGpu& gpu() { return gpu_; }

  template <class T>
  std::uint64_t buffer(std::string name, const std::vector<T>& values) {
    const std::uint64_t at = gpu_.allocate(std::move(name), values.size() * sizeof(T));
    gpu_.write(at, std::as_bytes(std::span(values)));
    return at;
  }
  template <class T>
  std::vector<T> read(std::uint64_t at, std::size_t count) {
    std::vector<T> values(count);
    gpu_.read(at, std::as_writable_bytes(std::span(values)));
    return values;
  }
  // Runs the only kernel of a module.
  LaunchResult run(const std::string& text, Dim3 grid, Dim3 block, std::vector<std::byte> parameter_block,
                   std::size_t dynamic_shared_bytes = 0) {
    module_ = gpu_.load(ptx::parse(text, "test.ptx"), "test.cu");
    LaunchRequest request;
    request.grid = grid;
    request.block = block;
    request.parameters = std::move(parameter_block);
    request.dynamic_shared_bytes = dynamic_shared_bytes;
    request.max_steps = max_steps;
    return gpu_.launch(*module_, request);
  }
  std::uint64_t max_steps = 0;

 private:
  VirtualGpu gpu_;
  std::shared_ptr<const LoadedModule> module_;
};

}  // namespace cudalab::vgpu
