// Tests the CUDA device on a real GPU. Without a GPU, all tests are skipped except the one for a missing GPU.
#include "device/cuda/cuda_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "core/diagnostics/message_testing.h"

namespace cudalab::device {
namespace {

std::unique_ptr<Device> gpu_or_null(Message& reason) {
  try {
    return open_cuda_device();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    reason = error.message();
    return nullptr;
  }
}

TEST(NoCudaDevice, StatesTheReasonAndTheNextStep) {
  Message reason;
  if (gpu_or_null(reason)) GTEST_SKIP() << "there is a GPU";
  EXPECT_THAT(reason, IsMessage("gpu_not_usable"));
  EXPECT_EQ(reason.text().find('\n'), std::string::npos);
}

constexpr const char* kSource = R"(
__constant__ float factor[2];
__global__ void scale(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor[1];
}
__global__ void stray(float* out) { out[threadIdx.x + (1ll << 40)] = 1; }
__global__ void crooked(char* out) { *(int*)(out + 1) = 1; }
__global__ void spin(volatile int* flag) { while (*flag == 0) {} }
__global__ void trap() { __trap(); }
__global__ void reverse(int* data) {
  extern __shared__ int tile[];
  tile[threadIdx.x * 16] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[(blockDim.x - 1 - threadIdx.x) * 16];
}
)";
constexpr const char* kPrinting = R"(
extern "C" __global__ void greet() { printf("thread %d\n", threadIdx.x); }
)";

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    Message reason;
    gpu_ = gpu_or_null(reason);
    if (!gpu_) GTEST_SKIP() << reason.text();
    if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
    program_ = load(kSource);
  }
  std::unique_ptr<Program> load(const std::string& source) {
    compile::CompileRequest request;
    request.source = source;
    request.file_name = "test.cu";
    request.compute_major = gpu_->info().compute_major;
    request.compute_minor = gpu_->info().compute_minor;
    return gpu_->load(compile::compile(request));
  }
  Launch launch_of(const std::string& kernel, Dim3 block, std::vector<Argument> arguments = {}) {
    Launch launch;
    launch.kernel = &program_->kernel(kernel);
    launch.spec.block = block;
    launch.arguments = std::move(arguments);
    return launch;
  }
  template <class T>
  Buffer buffer_of(const std::vector<T>& values) {
    Buffer buffer = gpu_->allocate("data", values.size() * sizeof(T));
    gpu_->upload(buffer.address(), std::as_bytes(std::span(values)));
    return buffer;
  }
  template <class T>
  std::vector<T> values_in(const Buffer& buffer) {
    std::vector<T> values(buffer.bytes() / sizeof(T));
    gpu_->download(buffer.address(), std::as_writable_bytes(std::span(values)));
    return values;
  }
  // Multiplies 1000 numbers by 3 to prove that the device works.
  void expect_it_computes() {
    std::vector<float> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    const Buffer in = buffer_of(numbers), out = gpu_->allocate("out", in.bytes());
    const float factor = 3;
    gpu_->upload(program_->variable("factor").first + sizeof factor, std::as_bytes(std::span(&factor, 1)));
    Launch launch = launch_of("scale", {256, 1, 1}, {in, out, 1000});
    launch.spec.grid = {4, 1, 1};
    const LaunchResult result = gpu_->launch(launch);
    EXPECT_TRUE(result.completed);
    EXPECT_TRUE(result.hazards.empty());
    EXPECT_FALSE(result.simulation_ms);
    for (float& number : numbers) number *= 3;
    EXPECT_EQ(values_in<float>(out), numbers);
  }
  void expect_hazard(const Launch& launch, HazardKind kind, const std::string& cuda_error) {
    const LaunchResult result = gpu_->launch(launch);
    EXPECT_FALSE(result.completed);
    ASSERT_EQ(result.hazards.size(), 1u);
    EXPECT_EQ(result.hazards[0].kind, kind);
    EXPECT_EQ(result.hazards[0].cuda_error, cuda_error);
    EXPECT_EQ(result.hazards[0].kernel, launch.kernel->name);
  }

  std::unique_ptr<Device> gpu_;
  std::unique_ptr<Program> program_;
};

TEST_F(Gpu, DescribesItself) {
  const DeviceInfo& info = gpu_->info();
  EXPECT_EQ(info.kind, "gpu");
  EXPECT_GE(info.compute_major, 5);
  EXPECT_GT(info.memory_bytes, 1u << 30);
  EXPECT_GT(info.l2_bytes, 1u << 20);
  EXPECT_GE(info.max_shared_per_block_optin, info.max_shared_per_block);
  EXPECT_EQ(info.constant_bytes, 65536u);
  EXPECT_TRUE(info.measures_time);
  EXPECT_FALSE(info.counts);
}

TEST_F(Gpu, RunsAKernel) {
  expect_it_computes();
  EXPECT_GT(program_->kernel("scale").registers.value_or(0), 0);
}

TEST_F(Gpu, FillsMemory) {
  const Buffer buffer = gpu_->allocate("bytes", 1000);
  gpu_->fill(buffer.address(), 1000, 0xcd, true);
  EXPECT_EQ(values_in<unsigned char>(buffer), std::vector<unsigned char>(1000, 0xcd));
}

TEST_F(Gpu, AllowsMoreThan48KilobytesOfSharedMemory) {
  std::vector<int> numbers(1024);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Buffer data = buffer_of(numbers);
  Launch launch = launch_of("reverse", {1024, 1, 1}, {data});
  launch.spec.dynamic_shared_bytes = 65536;
  EXPECT_TRUE(gpu_->launch(launch).completed);
  std::reverse(numbers.begin(), numbers.end());
  EXPECT_EQ(values_in<int>(data), numbers);
}

TEST_F(Gpu, ReportsRefusedLaunchesAndContinues) {
  const Buffer data = gpu_->allocate("data", 4096);
  Launch launch = launch_of("reverse", {2048, 1, 1}, {data});
  expect_hazard(launch, HazardKind::kInvalidLaunch, "CUDA_ERROR_INVALID_VALUE");
  launch.spec.block = {32, 1, 1};
  launch.spec.dynamic_shared_bytes = 1u << 20;
  expect_hazard(launch, HazardKind::kInvalidLaunch, "CUDA_ERROR_INVALID_VALUE");
  EXPECT_FALSE(gpu_->is_lost());
  expect_it_computes();
}

TEST_F(Gpu, RejectsMismatchedArguments) {
  EXPECT_THROW(gpu_->launch(launch_of("scale", {32, 1, 1}, {1, 2, 3})), Error);
  EXPECT_THROW(program_->kernel("missing"), Error);
  EXPECT_THROW(program_->variable("missing"), Error);
  expect_it_computes();
}

TEST_F(Gpu, StatesHowMuchMemoryIsMissing) {
  try {
    gpu_->allocate("huge", std::size_t{1} << 46);
    FAIL() << "allocated 64 TiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_THAT(error.message(),
                testing::AllOf(IsMessage("gpu_memory_too_small"), HasArgument("name", Code{"huge"}),
                               HasArgument("bytes", std::size_t{1} << 46)));
  }
}

// After a fault, the process cannot use the GPU any more, so each test runs in its own process.
class GpuFault : public Gpu {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Gpu::SetUp();
  }
  // Launches, prints the hazards or the error to standard error, and exits.
  [[noreturn]] void launch_and_exit(const Launch& launch) {
    try {
      for (const Hazard& hazard : gpu_->launch(launch).hazards)
        std::fprintf(stderr, "%s: %s.", hazard.kernel.c_str(), hazard.cuda_error.c_str());
      if (gpu_->is_lost()) gpu_->allocate("more", 1);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::exit(static_cast<int>(error.code()));
    }
    std::exit(0);
  }
};

TEST_F(GpuFault, AnAccessOutOfBoundsIsReportedAndTheGpuIsLost) {
  const Buffer data = gpu_->allocate("data", 4096);
  EXPECT_EXIT(
      launch_and_exit(launch_of("stray", {32, 1, 1}, {data})), testing::ExitedWithCode(3),
      "stray: CUDA_ERROR_ILLEGAL_ADDRESS.*the GPU cannot be used any more: kernel `stray` ended with");
  expect_it_computes();
}

TEST_F(GpuFault, AMisalignedAccessIsReported) {
  const Buffer data = gpu_->allocate("data", 4096);
  EXPECT_EXIT(launch_and_exit(launch_of("crooked", {1, 1, 1}, {data})), testing::ExitedWithCode(3),
              "crooked: CUDA_ERROR_MISALIGNED_ADDRESS");
}

TEST_F(GpuFault, ATrapIsReported) {
  EXPECT_EXIT(launch_and_exit(launch_of("trap", {1, 1, 1})), testing::ExitedWithCode(3),
              "trap: CUDA_ERROR_LAUNCH_FAILED");
}

TEST_F(GpuFault, AKernelThatDoesNotEndIsAbandoned) {
  const Buffer flag = buffer_of(std::vector<int>{0});
  Launch launch = launch_of("spin", {1, 1, 1}, {flag});
  launch.options.max_seconds = 0.5;
  EXPECT_EXIT(launch_and_exit(launch), testing::ExitedWithCode(4), "still ran after 0.5 s");
}

TEST_F(Gpu, ReturnsTheOutputOfAKernel) {
  program_ = load(kPrinting);
  EXPECT_EQ(gpu_->launch(launch_of("greet", {2, 1, 1})).printed, "thread 0\nthread 1\n");
}

TEST_F(Gpu, TimesKernelsAndCopies) {
  const TimeSummary copy = gpu_->time_device_copy(1u << 30, {}).value();
  std::printf("device copy of 1 GiB: %.4f ms (%.4f to %.4f, %d samples): %.0f GB/s\n", copy.median, copy.min,
              copy.max, copy.samples, 2.0 * (1u << 30) / copy.median / 1e6);
  EXPECT_GE(copy.samples, 10);
  EXPECT_LE(copy.min, copy.median);
  EXPECT_LT(copy.max - copy.min, copy.median);

  const Buffer in = gpu_->allocate("in", 4000), out = gpu_->allocate("out", 4000);
  Launch launch = launch_of("scale", {256, 1, 1}, {in, out, 1000});
  launch.spec.grid = {4, 1, 1};
  for (const bool cold : {false, true}) {
    const TimeSummary small = gpu_->time_launch(launch, {.cold = cold}).value();
    std::printf("small kernel, %s: %.3f us (%.3f to %.3f, %d samples)\n", cold ? "cold" : "warm",
                small.median * 1e3, small.min * 1e3, small.max * 1e3, small.samples);
    EXPECT_GT(small.median, 0.0003);
    EXPECT_LT(small.median, 0.1);
  }
  const CopyTimes copies = gpu_->time_copies(64u << 20, 16u << 20).value();
  std::printf("64 MiB to the device: %.4f ms, 16 MiB from it: %.4f ms\n", copies.to_device_ms.median,
              copies.from_device_ms.median);
  EXPECT_GT(copies.to_device_ms.median, copies.from_device_ms.median);
}

}  // namespace
}  // namespace cudalab::device
