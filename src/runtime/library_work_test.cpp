// Tests that a library's work runs in stream order, also in a graph, and that it ends like a kernel if its
// memory is not the GPU's.
#include "runtime/library_work.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

constexpr std::size_t kCount = 4, kBytes = kCount * sizeof(float);
using Values = std::array<float, kCount>;

float* device_copy(const Values& values) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(memory, values.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  return static_cast<float*>(memory);
}

Values host_copy(const float* memory) {
  Values values{};
  EXPECT_EQ(cudaMemcpy(values.data(), memory, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
  return values;
}

// y = 2 y
LibraryWork doubling(void* y, cudaStream_t stream, std::size_t bytes = kBytes) {
  LibraryWork work;
  work.library = "library";
  work.call = "doubled";
  work.stream = stream;
  work.memory = {{.parameter = "y", .address = y, .row_bytes = bytes, .is_written = true}};
  work.run = [bytes](const std::vector<std::byte*>& memory, LibraryReach&) {
    auto* values = reinterpret_cast<float*>(memory[0]);
    for (std::size_t i = 0; i < bytes / sizeof(float); ++i) values[i] *= 2;
  };
  return work;
}

TEST(LibraryWork, RunsAfterEarlierWorkOfItsStream) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  float* y = device_copy({1, 2, 3, 4});
  ASSERT_EQ(cudaMemsetAsync(y, 0, sizeof(float), stream), cudaSuccess);
  ASSERT_EQ(__cudalabLibraryWork(doubling(y, stream)), cudaSuccess);
  EXPECT_GT(the_runtime().queue.pending(), 0u);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(host_copy(y), (Values{0, 4, 6, 8}));
}

TEST(LibraryWork, IsDoneOnReturnIfItGivesTheHostAValue) {
  float sum = 0;
  LibraryWork work = doubling(device_copy({1, 2, 3, 4}), nullptr);
  work.waits = true;
  work.run = [&sum](const std::vector<std::byte*>& memory, LibraryReach&) {
    for (std::size_t i = 0; i < kCount; ++i) sum += reinterpret_cast<const float*>(memory[0])[i];
  };
  ASSERT_EQ(__cudalabLibraryWork(work), cudaSuccess);
  EXPECT_EQ(sum, 10);
}

TEST(LibraryWork, RunsAtEachLaunchOfTheGraphThatHoldsIt) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  float* y = device_copy({1, 2, 3, 4});
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t instance = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(__cudalabLibraryWork(doubling(y, stream)), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(host_copy(y), (Values{1, 2, 3, 4}));
  ASSERT_EQ(cudaGraphInstantiate(&instance, graph, 0), cudaSuccess);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(cudaGraphLaunch(instance, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(host_copy(y), (Values{4, 8, 12, 16}));
}

TEST(LibraryWork, MarksItsOutputAsWritten) {
  void* y = nullptr;
  ASSERT_EQ(cudaMalloc(&y, kBytes), cudaSuccess);
  LibraryWork work = doubling(y, nullptr);
  work.memory[0].is_read = false;
  ASSERT_EQ(__cudalabLibraryWork(work), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(the_runtime().gpu.unwritten(reinterpret_cast<std::uint64_t>(y), kBytes).empty());
}

// Returns an exit code, because the device stays unusable for the rest of the process.
int error_after(const LibraryWork& work) {
  const cudaError_t queued = __cudalabLibraryWork(work);
  return queued == cudaSuccess ? cudaDeviceSynchronize() : -1;
}

TEST(LibraryWorkDeathTest, EndsAtAnIllegalAddress) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto is_illegal = ::testing::ExitedWithCode(cudaErrorIllegalAddress & 0xff);
  EXPECT_EXIT(std::_Exit(error_after(doubling(device_copy({}), nullptr, 2 * kBytes)) & 0xff), is_illegal, "");
  EXPECT_EXIT(
      {
        Values on_host{};
        std::_Exit(error_after(doubling(on_host.data(), nullptr)) & 0xff);
      },
      is_illegal, "");
  EXPECT_EXIT(
      {
        float* freed = device_copy({});
        cudaFree(freed);
        std::_Exit(error_after(doubling(freed, nullptr)) & 0xff);
      },
      is_illegal, "");
}

TEST(LibraryWork, RefusesAStreamThatDoesNotExist) {
  int nothing = 0;
  EXPECT_EQ(__cudalabLibraryWork(doubling(device_copy({}), reinterpret_cast<cudaStream_t>(&nothing))),
            cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace cudalab::runtime
