// A fake device for tests of the runner: kernels are C++ functions, memory is host memory, times are set by
// the test.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "device/device.h"

namespace cudalab::lab {

class FakeDevice : public device::Device {
 public:
  using Kernel = std::function<void(FakeDevice&, const device::Launch&, LaunchResult&)>;

  explicit FakeDevice(bool measures_time) {
    details.kind = measures_time ? "gpu" : "virtual";
    details.name = "a fake";
    details.memory_bytes = 1u << 30;
    details.measures_time = measures_time;
    details.counts = !measures_time;
    details.compute_major = 9;
  }

  // The source of the fake compiler: one kernel name per line. "error: …" fails to compile, and a comment at
  // the end gives a warning.
  static compile::CompiledSource compile(const compile::CompileRequest& request) {
    constexpr std::string_view kError = "error: ";
    if (request.source.starts_with(kError))
      throw compile::CompileError(
          {.where = {request.file_name, 1}, .said = request.source.substr(kError.size())}, "");
    const std::size_t comment = request.source.find("//");
    const std::string warning =
        request.file_name + "(1): warning #550-D: variable \"x\" was set but never used\n";
    return {request.source.substr(0, comment),
            request.file_name,
            {},
            comment < request.source.size() ? warning : "",
            false};
  }

  device::DeviceInfo details;
  std::map<std::string, Kernel> kernels;
  std::map<std::string, std::vector<std::byte>> variables;
  double launch_ms = 2;
  int repetitions = 3;  // of a timed launch
  int loads = 0;
  bool lost = false;  // a test's kernel may set it

  template <class T>
  std::span<T> at(const device::Argument& pointer) {
    std::uint64_t address = 0;
    std::memcpy(&address, pointer.bytes().data(), sizeof address);
    std::vector<std::byte>& memory = memory_.at(address);
    return {reinterpret_cast<T*>(memory.data()), memory.size() / sizeof(T)};
  }
  bool all_freed() const { return memory_.empty(); }

  bool is_lost() const override { return lost; }
  const device::DeviceInfo& info() const override { return details; }
  device::Buffer allocate(std::string name, std::size_t bytes) override {
    next_ += 0x10000;
    memory_[next_].resize(bytes);
    return {*this, next_, bytes, std::move(name)};
  }
  void upload(std::uint64_t address, std::span<const std::byte> from) override {
    std::memcpy(reinterpret_cast<void*>(memory_.contains(address) ? memory_.at(address).data()
                                                                  : variable_at(address).data()),
                from.data(), from.size());
  }
  void download(std::uint64_t address, std::span<std::byte> to) override {
    std::memcpy(to.data(), memory_.at(address).data(), to.size());
  }
  void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool) override {
    std::memset(memory_.at(address).data(), value, bytes);
  }
  std::unique_ptr<device::Program> load(const compile::CompiledSource& source) override {
    ++loads;
    return std::make_unique<FakeProgram>(*this, source.ptx);
  }
  LaunchResult launch(const device::Launch& launch) override {
    LaunchResult result;
    if (details.counts) {
      result.simulation_ms = 1;
      result.counters.emplace().set(Counter::kGlobalLoadRequests, 10);
    }
    kernels.at(launch.kernel->symbol)(*this, launch, result);
    return result;
  }
  std::optional<TimeSummary> time_launch(const device::Launch& launch,
                                         const device::TimingPlan& plan) override {
    if (!details.measures_time) return std::nullopt;
    LaunchResult ignored;
    for (int i = 0; i < repetitions; ++i) {
      if (plan.before_each) plan.before_each();
      kernels.at(launch.kernel->symbol)(*this, launch, ignored);
    }
    return TimeSummary{launch_ms, launch_ms, launch_ms, repetitions};
  }
  std::optional<device::CopyTimes> time_copies(std::size_t, std::size_t) override {
    if (!details.measures_time) return std::nullopt;
    return device::CopyTimes{{3, 3, 3, 10}, {4, 4, 4, 10}};
  }
  std::optional<TimeSummary> time_device_copy(std::size_t, const device::TimingPlan&) override {
    if (!details.measures_time) return std::nullopt;
    return TimeSummary{1, 1, 1, 10};
  }

 private:
  class FakeProgram : public device::Program {
   public:
    FakeProgram(FakeDevice& device, const std::string& text) : device_(device) {
      std::istringstream lines(text);
      for (std::string name; lines >> name;) {
        device::Kernel kernel;
        kernel.name = kernel.symbol = name;
        kernels_.push_back(kernel);
      }
    }
    const device::Kernel& kernel(const std::string&) const override { return kernels_.front(); }
    std::span<const device::Kernel> kernels() const override { return kernels_; }
    std::pair<std::uint64_t, std::size_t> variable(const std::string& name) const override {
      if (!device_.variables.contains(name)) throw usage_error(Message::verbatim("no variable " + name));
      return {1, device_.variables.at(name).size()};
    }

   private:
    FakeDevice& device_;
    std::vector<device::Kernel> kernels_;
  };
  std::vector<std::byte>& variable_at(std::uint64_t) { return variables.begin()->second; }
  void free(std::uint64_t address) override { memory_.erase(address); }

  std::map<std::uint64_t, std::vector<std::byte>> memory_;
  std::uint64_t next_ = 0x10000;
};

}  // namespace cudalab::lab
