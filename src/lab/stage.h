// The parts that a lab's run is made of: CPU versions and stages on the device, as plain data.
// Made for designated initializers (`{.name = "naive", .file = "1_naive.cu"}`): every member has a default.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/dim3.h"
#include "device/device.h"
#include "lab/arrays.h"
#include "lab/result.h"

namespace cudalab::lab {

// The minimum that the problem needs in any implementation: each input read once, each output written once.
struct Work {
  double bytes = 0, flops = 0;
};

// A macro that a kernel is compiled with: {"TYPE", "float"}, {"TILE", 32}.
struct Define {
  std::string name, value;
  Define(std::string name, std::string value) : name(std::move(name)), value(std::move(value)) {}
  template <std::integral Number>
  Define(std::string name, Number number) : name(std::move(name)), value(std::to_string(number)) {}
};

// The number of blocks of `by` elements that cover `count` elements, for one dimension of a grid.
constexpr std::uint32_t ceil_div(std::size_t count, std::size_t by) {
  return static_cast<std::uint32_t>((count + by - 1) / by);
}

// One kernel launch.
struct KernelLaunch {
  std::string kernel{};  // its name in the file: "transpose"
  LaunchSpec spec{};
  std::vector<device::Argument>
      arguments{};  // {in.device(), out.device(), rows, columns}: sizes in the types that the kernel declares
  // Arrays that hold zeros at the start: set before the launch, and before each repetition when it is timed.
  std::vector<const Array*> zeroed{};
};

// The device as the body of a stage sees it. A body runs once to be checked. If the device measures time, it
// runs a second time, in which each launch is repeated and timed.
class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual void launch(const KernelLaunch& launch) = 0;
  // A step that is not a kernel of the stage's file (a library call, a copy). `once` runs it, `timed` repeats
  // and times it.
  virtual void call(const std::function<LaunchResult()>& once,
                    const std::function<std::optional<TimeSummary>(const device::TimingPlan&)>& timed) = 0;
  void call(const device::LibraryCall& library) { call(library.once, library.timed); }

  virtual device::Device& device() = 0;
  virtual device::Program& program() = 0;

  // Fills a `__constant__` or `__device__` variable. Throws Error(kUsage) with the sizes if it is too small.
  template <class T>
  void set_variable(const std::string& name, std::span<const T> values) {
    set_variable_bytes(name, std::as_bytes(values));
  }
  // Downloads what the kernels have written so far.
  template <class T>
  std::span<T> download(ArrayOf<T>& array) {
    array.make_room_on_host();
    device().download(array.device().address(), array.host_bytes());
    return array.host();
  }
  template <class T>
  void upload(ArrayOf<T>& array, std::span<const T> values) {
    device().upload(array.device().address(), std::as_bytes(values));
  }
  // Sets every byte, for a kernel that accumulates into the array.
  void fill(const Array& array, std::uint8_t byte) {
    device().fill(array.device().address(), array.device().bytes(), byte);
  }

 private:
  virtual void set_variable_bytes(const std::string& name, std::span<const std::byte> bytes) = 0;
};

// A CPU version, run with one thread and with all: rows "cpu-1-thread" and "cpu-all-threads", or
// "cpu-NAME-1-thread" and so on.
struct CpuVersion {
  std::string name{};                      // "blocked"; empty for a lab's only or plainest version
  std::function<void(int threads)> run{};  // writes host() of the outputs
  std::function<Check()> check{};          // empty: the lab's
  std::optional<Work> work{};              // empty: the lab's
  // Does a small part of the work on one thread and returns its share of the whole, to estimate a run that
  // may take minutes.
  std::function<double()> part{};
};

// A stage on the device: one launch, or a body that makes several launches and may finish on the host.
struct KernelStage {
  std::string name{};   // the row: "padded", "offset-11"
  std::string stage{};  // what --stage calls it; empty: the name
  RowKind kind = RowKind::kKernel;
  std::string file{};  // in the lab's folder: "3_padded.cu"; empty if the body calls a library
  std::vector<Define> defines{};
  std::string preamble{};  // source text put before the file's, with its own #line if it needs one
  KernelLaunch launch{};   // used if there is no body
  std::function<void(Gpu&)> body{};
  std::function<Check()> check{};  // empty: the lab's
  std::optional<Work> work{};      // empty: the lab's
  // Fills the lab's own columns in each row that ran this, the user's included.
  std::function<void(Row&)> measure{};
  bool blocks_wait = false;  // blocks wait for each other, so all of them must run
  bool accumulates = false;  // repeating a launch changes the result, so the stage runs again after timing
};

// A whole program as a stage: its input, and the output that it must produce.
struct ProgramStage {
  std::string name{};   // the row: "checked"
  std::string stage{};  // what --stage calls it; empty: the name
  std::string file{};   // in the lab's folder: "2_checked.cu"
  std::vector<std::string> arguments{};
  std::string input{};  // its standard input
  // The program is asked for something that a GPU refuses: it must report that on standard error and return
  // an exit code other than 0.
  bool must_refuse = false;
  std::function<Check(const std::string& output)> check{};  // checks its standard output
  std::optional<Work> work{};                               // empty: the lab's
  std::function<void(Row&)> measure{};                      // fills the lab's own columns
};

// A library's solution of the problem, with which the kernels are compared.
struct LibraryStage {
  std::string name{};  // the row: "cublas"
  std::function<void(Gpu&, device::LinearAlgebra&)> body{};
  std::function<Check()> check{};  // empty: the lab's
};

}  // namespace cudalab::lab
