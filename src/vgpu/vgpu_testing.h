// For tests: runs a kernel given as PTX text and reads its buffers.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/text.h"
#include "vgpu/vgpu.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// A virtual GPU with one module. Arguments are values, or addresses returned by buffer().
class KernelHarness {
 public:
  explicit KernelHarness(const std::string& ptx, unsigned host_threads = 2, const Card* card = nullptr,
                         const ResourcesBySymbol& resources = {})
      : gpu_(Options{.card = card, .host_threads = host_threads, .memory_bytes = std::size_t{1} << 30}),
        module_(gpu_.load(ptx::parse(ptx, "test.ptx"), "test.cu", resources)) {}

  // A kernel `test(.param .u64 p0, .param .u64 p1, …)` with this body and enough declared registers.
  static std::string kernel(const std::string& body, int parameters = 2, const std::string& before = "") {
    std::string list;
    for (int i = 0; i < parameters; ++i)
      list += std::string(i ? ", " : "") + ".param .u64 p" + std::to_string(i);
    return ".version 8.7\n.target sm_90\n.address_size 64\n" + before + "\n.visible .entry test(" + list +
           ")\n{\n.reg .pred %p<20>;\n.reg .b16 %rs<20>;\n.reg .b32 %r<60>;\n.reg .f32 %f<60>;\n.reg .b64 "
           "%rd<60>;\n"
           ".reg .f64 %fd<20>;\n" +
           body + "\nret;\n}\n";
  }

  template <class T>
  std::uint64_t buffer(const std::vector<T>& values, const std::string& name = "data") {
    const std::uint64_t address = gpu_.allocate(name, values.size() * sizeof(T));
    gpu_.write(address, std::as_bytes(std::span(values)));
    return address;
  }
  template <class T>
  std::vector<T> read(std::uint64_t address, std::size_t count) const {
    std::vector<T> values(count);
    gpu_.read(address, std::as_writable_bytes(std::span(values)));
    return values;
  }

  template <class... A>
  LaunchResult run(Dim3 grid, Dim3 block, A... arguments) {
    return gpu_.launch(*module_, request_of(grid, block, arguments...));
  }
  template <class... A>
  std::optional<Hazard> refusal(Dim3 grid, Dim3 block, A... arguments) {
    return gpu_.refusal(*module_, request_of(grid, block, arguments...));
  }

  VirtualGpu& gpu() { return gpu_; }
  const LoadedModule& module() const { return *module_; }
  void choose(std::size_t kernel) { kernel_ = kernel; }
  std::uint64_t max_steps = 50'000'000, max_steps_of_a_block = 50'000'000;
  ProcessorBudget* budget = nullptr;
  bool is_cooperative = true;
  Pace* pace = nullptr;
  std::size_t dynamic_shared = 0;
  Dim3 cluster{0, 0, 0};
  bool check_memory = true, check_races = true;
  bool record = false, record_uses = false;
  AccessHistory* history = nullptr;
  bool may_reuse = false;

 private:
  template <class... A>
  LaunchRequest request_of(Dim3 grid, Dim3 block, A... arguments) const {
    LaunchRequest request;
    request.options.predict = false;
    request.kernel = kernel_;
    request.spec = {grid, block, dynamic_shared, cluster};
    request.options.max_steps = max_steps;
    request.options.max_steps_of_a_block = max_steps_of_a_block;
    request.options.budget = budget;
    request.is_cooperative = is_cooperative;
    request.may_reuse = may_reuse;
    request.options.pace = pace;
    request.options.checks = checks_of(check_memory, check_races);
    request.options.record = record;
    request.options.record_uses = record_uses;
    request.options.history = history;
    const KernelInfo& info = module_->kernels()[kernel_];
    request.parameters.resize(info.parameter_bytes);
    std::size_t index = 0;
    [[maybe_unused]] const auto put = [&](auto value) {
      const KernelParameter& parameter = info.parameters.at(index++);
      std::memcpy(request.parameters.data() + parameter.offset, &value,
                  std::min(sizeof value, parameter.bytes));
    };
    (put(arguments), ...);
    return request;
  }

  VirtualGpu gpu_;
  std::shared_ptr<const LoadedModule> module_;
  std::size_t kernel_ = 0;
};

// f(lane) for each lane of a warp.
template <class F>
std::vector<std::uint32_t> each_lane(F f) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) values.push_back(f(lane));
  return values;
}

// Concatenates pieces of PTX.
inline std::string all_of_text(std::initializer_list<const char*> parts) { return joined(parts, ""); }

}  // namespace cudalab::vgpu
