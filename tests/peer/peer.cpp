// Compares the virtual GPU with OpenCL on CPUs: runs the same kernels on both, checks that the results agree,
// and prints times and their ratios.
//   cudalab_peer [--processor | --profile=MODE] [NAME…]
// NAME selects the kernels whose names contain it. `--processor` compares processor time instead of elapsed
// time, which other programs on the machine disturb less. `--profile` repeats the kernels on the virtual GPU
// in one mode, for a profiler.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "device/device.h"
#include "vgpu/memory/shadow_bytes.h"

namespace cudalab {
namespace {

constexpr std::size_t kWords = std::size_t{1} << 24;  // of each buffer
constexpr std::size_t kBytes = kWords * sizeof(float);
constexpr char kFolder[] = CUDALAB_SOURCE_DIR "/tests/peer/";

// A kernel of the two files: its header `//! name grid block n`, and its text in CUDA.
struct Workload {
  std::string name;
  LaunchSpec spec;
  int n = 0;
  std::string source;
};

Dim3 read_extent(const std::string& text) {
  Dim3 extent{1, 1, 1};
  char comma = 0;
  std::istringstream(text) >> extent.x >> comma >> extent.y;
  return extent;
}

std::vector<Workload> read_workloads() {
  std::istringstream lines(read_text(std::string(kFolder) + "kernels.cu"));
  std::vector<Workload> all;
  std::string shared;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("//! ")) {
      (all.empty() ? shared : all.back().source) += line + "\n";
      continue;
    }
    std::istringstream words(line.substr(4));
    Workload& work = all.emplace_back();
    std::string grid, block;
    words >> work.name >> grid >> block >> work.n;
    work.spec.grid = read_extent(grid);
    work.spec.block = read_extent(block);
    work.source = shared;
  }
  return all;
}

// A permutation of 0 … kWords - 1 without visible order.
std::uint32_t scattered(std::uint32_t i) {
  constexpr std::uint32_t kMask = kWords - 1;
  i = (i ^ i >> 13) * 0x9e3779b1u & kMask;
  i = (i ^ i >> 11) * 0x85ebca6bu & kMask;
  return i ^ i >> 12;
}

struct Inputs {
  std::vector<float> a = std::vector<float>(kWords);
  std::vector<std::uint32_t> b = std::vector<std::uint32_t>(kWords);
  Inputs() {
    std::mt19937 random(1);
    for (float& value : a) value = 0.5f + static_cast<float>(random() >> 8) * 0x1p-25f;
    for (std::uint32_t i = 0; i < kWords; ++i) b[i] = scattered(i);
  }
};

// ---- OpenCL ------------------------------------------------------------------------------------------
void require(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(fmt::format("OpenCL: {} failed with {}", what, status));
}

class OpenCl {
 public:
  explicit OpenCl(const Inputs& inputs) {
    cl_platform_id platform = nullptr;
    require(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    cl_device_id device = nullptr;
    require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr), "clGetDeviceIDs");
    std::array<char, 256> name{};
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, name.size() - 1, name.data(), nullptr);
    name_ = name.data();
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device, 0, &status);
    require(status, "clCreateCommandQueue");
    a_ = buffer(inputs.a.data());
    b_ = buffer(inputs.b.data());
    out_ = buffer(nullptr);
    build(device);
  }
  const std::string& name() const { return name_; }
  void clear_output() {
    const std::vector<std::byte> zeros(kBytes);
    require(clEnqueueWriteBuffer(queue_, out_, CL_TRUE, 0, kBytes, zeros.data(), 0, nullptr, nullptr),
            "a fill");
  }
  void launch(const Workload& work) {
    cl_kernel& kernel = kernels_[work.name];
    cl_int status = CL_SUCCESS;
    if (!kernel) kernel = clCreateKernel(program_, work.name.c_str(), &status);
    require(status, "clCreateKernel");
    clSetKernelArg(kernel, 0, sizeof a_, &a_);
    clSetKernelArg(kernel, 1, sizeof b_, &b_);
    clSetKernelArg(kernel, 2, sizeof out_, &out_);
    clSetKernelArg(kernel, 3, sizeof work.n, &work.n);
    const Dim3 &grid = work.spec.grid, &block = work.spec.block;
    const std::array<std::size_t, 2> local{block.x, block.y}, global{local[0] * grid.x, local[1] * grid.y};
    require(
        clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global.data(), local.data(), 0, nullptr, nullptr),
        "a launch");
    require(clFinish(queue_), "clFinish");
  }
  std::vector<std::uint32_t> output() {
    std::vector<std::uint32_t> words(kWords);
    require(clEnqueueReadBuffer(queue_, out_, CL_TRUE, 0, kBytes, words.data(), 0, nullptr, nullptr),
            "a read");
    return words;
  }

 private:
  cl_mem buffer(const void* contents) {
    cl_int status = CL_SUCCESS;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (contents ? CL_MEM_COPY_HOST_PTR : 0);
    const cl_mem memory = clCreateBuffer(context_, flags, kBytes, const_cast<void*>(contents), &status);
    require(status, "clCreateBuffer");
    return memory;
  }
  void build(cl_device_id device) {
    const std::string source = read_text(std::string(kFolder) + "kernels.cl");
    const char* text = source.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, nullptr);
    if (clBuildProgram(program_, 1, &device, "", nullptr, nullptr) == CL_SUCCESS) return;
    std::vector<char> log(1 << 16);
    clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    throw std::runtime_error(log.data());
  }
  std::string name_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_mem a_ = nullptr, b_ = nullptr, out_ = nullptr;
  std::map<std::string, cl_kernel> kernels_;
};

// ---- the virtual GPU -----------------------------------------------------------------------------------
struct Mode {
  std::string_view name;
  Checks checks;
  bool predict;
};
constexpr std::array<Mode, 3> kModes{
    {{"off", Checks::kNone, false}, {"predict", Checks::kNone, true}, {"default", Checks::kAll, true}}};

class VirtualGpu {
 public:
  explicit VirtualGpu(const Inputs& inputs) {
    device_->upload(a_.address(), std::as_bytes(std::span(inputs.a)));
    device_->upload(b_.address(), std::as_bytes(std::span(inputs.b)));
  }
  void load(const Workload& work) {
    compile::CompileRequest request;
    request.source = work.source;
    request.file_name = work.name + ".cu";
    program_ = device_->load(compile::compile(request));
  }
  void clear_output() { device_->fill(out_.address(), kBytes, 0); }
  void launch(const Workload& work, const Mode& mode) {
    device::Launch launch;
    launch.kernel = &program_->kernel(work.name);
    launch.spec = work.spec;
    launch.arguments = {a_.address(), b_.address(), out_.address(), work.n};
    launch.options.checks = mode.checks;
    launch.options.predict = mode.predict;
    const LaunchResult result = device_->launch(launch);
    if (!result.completed || !result.hazards.empty())
      throw std::runtime_error(work.name + ": " +
                               (result.hazards.empty() ? "did not complete" : result.hazards[0].what.text()));
  }
  std::vector<std::uint32_t> output() {
    std::vector<std::uint32_t> words(kWords);
    device_->download(out_.address(), std::as_writable_bytes(std::span(words)));
    return words;
  }

 private:
  std::unique_ptr<device::Device> device_ = device::open_virtual_device();
  device::Buffer a_ = device_->allocate("a", kBytes), b_ = device_->allocate("b", kBytes),
                 out_ = device_->allocate("out", kBytes);
  std::unique_ptr<device::Program> program_;
};

// ---- comparison ----------------------------------------------------------------------------------------
// Words agree if they are equal, or nearly equal as floats: the two compilers' functions round differently.
bool agree(std::uint32_t mine, std::uint32_t theirs) {
  constexpr float kTolerance = 1e-4f;
  if (mine == theirs) return true;
  float x, y;
  std::memcpy(&x, &mine, sizeof x);
  std::memcpy(&y, &theirs, sizeof y);
  return std::abs(x - y) <= kTolerance * std::max(std::abs(y), 1.0f);
}

// Integers below this are denormal as floats, which would all be nearly equal.
bool are_small_integers(std::uint32_t mine, std::uint32_t theirs) { return (mine | theirs) < 0x0080'0000; }

void compare(const Workload& work, const std::vector<std::uint32_t>& mine,
             const std::vector<std::uint32_t>& theirs) {
  for (std::size_t i = 0; i < kWords; ++i) {
    const bool is_same =
        are_small_integers(mine[i], theirs[i]) ? mine[i] == theirs[i] : agree(mine[i], theirs[i]);
    if (!is_same)
      throw std::runtime_error(fmt::format("{}: word {} is {:#x} on the virtual GPU and {:#x} with OpenCL",
                                           work.name, i, mine[i], theirs[i]));
  }
}

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Run>
double timed(clockid_t clock, const Run& run) {
  const double start = seconds_of(clock);
  run();
  return (seconds_of(clock) - start) * 1e3;
}

// Milliseconds: the least of several launches. `first` is the first launch of a process with checks, whose
// shadow memory is new.
struct Times {
  double opencl = std::numeric_limits<double>::max(), first = 0;
  std::array<double, kModes.size()> modes{opencl, opencl, opencl};
};

// Alternates between all modes, so other work on the machine disturbs all of them.
Times measure(OpenCl& opencl, VirtualGpu& gpu, const Workload& work, clockid_t clock) {
  constexpr int kLeast = 3, kMost = 12;
  constexpr double kEnough = 1.5;  // seconds
  gpu.load(work);
  opencl.clear_output();
  opencl.launch(work);  // compiles the kernel
  gpu.clear_output();
  vgpu::free_spare_shadows();
  Times times;
  times.first = timed(clock, [&] { gpu.launch(work, kModes.back()); });
  compare(work, gpu.output(), opencl.output());
  const double start = seconds_of(CLOCK_MONOTONIC);
  for (int i = 0; i < kLeast || (i < kMost && seconds_of(CLOCK_MONOTONIC) - start < kEnough); ++i) {
    times.opencl = std::min(times.opencl, timed(clock, [&] { opencl.launch(work); }));
    for (std::size_t mode = 0; mode < kModes.size(); ++mode)
      times.modes[mode] = std::min(times.modes[mode], timed(clock, [&] { gpu.launch(work, kModes[mode]); }));
  }
  return times;
}

bool is_selected(const Workload& work, const std::vector<std::string>& names) {
  const auto is_named = [&](const std::string& name) { return work.name.find(name) != std::string::npos; };
  return names.empty() || std::ranges::any_of(names, is_named);
}

void profile(const std::string& mode_name, const std::vector<std::string>& names) {
  constexpr double kSeconds = 3;
  const auto mode = std::ranges::find(kModes, mode_name, &Mode::name);
  if (mode == kModes.end()) throw std::runtime_error("no mode " + mode_name);
  const Inputs inputs;
  VirtualGpu gpu(inputs);
  for (const Workload& work : read_workloads()) {
    if (!is_selected(work, names)) continue;
    gpu.load(work);
    gpu.clear_output();
    double least = std::numeric_limits<double>::max();
    for (const double start = seconds_of(CLOCK_MONOTONIC); seconds_of(CLOCK_MONOTONIC) - start < kSeconds;)
      least = std::min(least, timed(CLOCK_PROCESS_CPUTIME_ID, [&] { gpu.launch(work, *mode); }));
    fmt::print("{:<22}{:>11.2f} ms of processor time\n", work.name, least);
  }
}

void run(clockid_t clock, const std::vector<std::string>& names) {
  const Inputs inputs;
  OpenCl opencl(inputs);
  VirtualGpu gpu(inputs);
  fmt::print(
      "{}\n{} time, least of several launches; ratios to OpenCL; `first`: default, with new shadow memory\n",
      opencl.name(), clock == CLOCK_MONOTONIC ? "elapsed" : "processor");
  fmt::print("{:<22}{:>11}", "kernel", "OpenCL ms");
  for (const Mode& mode : kModes) fmt::print("{:>9}", mode.name);
  fmt::print("{:>9}\n", "first");
  std::array<double, kModes.size() + 1> logs{}, largest{};
  int count = 0;
  for (const Workload& work : read_workloads()) {
    if (!is_selected(work, names)) continue;
    const Times times = measure(opencl, gpu, work, clock);
    ++count;
    fmt::print("{:<22}{:>11.2f}", work.name, times.opencl);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double ratio = (i < kModes.size() ? times.modes[i] : times.first) / times.opencl;
      logs[i] += std::log(ratio);
      largest[i] = std::max(largest[i], ratio);
      fmt::print("{:>9.2f}", ratio);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  fmt::print("{:<33}", fmt::format("geometric mean of {}", count));
  for (const double log : logs) fmt::print("{:>9.2f}", std::exp(log / std::max(count, 1)));
  fmt::print("\n{:<33}", "largest");
  for (const double ratio : largest) fmt::print("{:>9.2f}", ratio);
  fmt::print("\n");
}

}  // namespace
}  // namespace cudalab

int main(int count, char** words) {
  std::vector<std::string> names(words + 1, words + count);
  const bool is_processor = std::erase(names, "--processor") > 0;
  constexpr std::string_view kProfile = "--profile=";
  const auto profile =
      std::ranges::find_if(names, [&](const auto& word) { return word.starts_with(kProfile); });
  try {
    if (profile != names.end()) {
      const std::string mode = profile->substr(kProfile.size());
      names.erase(profile);
      cudalab::profile(mode, names);
      return 0;
    }
    cudalab::run(is_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, names);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
