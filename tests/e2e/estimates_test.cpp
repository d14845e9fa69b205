// Long work prints an estimate on standard error when it begins, in every verb.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::ContainsRegex;
using testing::Not;

// The blocks are long enough and numerous enough for an estimate, which takes half a second. A step limit
// ends the run well after that.
constexpr const char* kLongKernel = R"(
__global__ void busy(int* out, int turns) {
  int sum = 0;
  for (int i = 0; i < turns; ++i) sum += i ^ (sum << 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)";
constexpr const char* kMain = R"(
int main() {
  int* out;
  cudaMalloc(&out, 65536 * 32 * sizeof(int));
  busy<<<65536, 32>>>(out, 2000000);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
)";

Outcome run_kernel(const Folder& folder, const char* grid) {
  return by_ids(
      {"run", "k.cu", "--kernel", "busy", "--grid", grid, "--block", "32", "--arg", "buf:i32:2097152",
       "--arg", "i32:2000000", "--device", "virtual", "--max-steps", "900000000"},
      {.folder = folder.path()});
}

TEST(Estimates, AKernelOfManyBlocksSaysHowLongItTakes) {
  Folder folder;
  write_file(folder / "k.cu", kLongKernel);
  const Outcome outcome = run_kernel(folder, "65536");
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_THAT(outcome.err, Says("work_takes_long", {{"work", "busy"}}));
  EXPECT_THAT(run_kernel(folder, "10").err, Not(Says("work_takes_long")));
}

TEST(Estimates, ALabSaysHowLongAStageAndTheWholeRunTake) {
  // Stages for which the host has nothing to compute.
  const Outcome outcome = by_ids({"memory", "--device", "virtual", "--rounds", "100000", "--blocks", "3200",
                                  "--stage", "bandwidth-l2,bandwidth-shared", "--max-steps", "200000000"});
  EXPECT_THAT(outcome.err, Says("work_takes_long", {{"work", "bandwidth-l2"}}));
  EXPECT_THAT(outcome.err, Says("work_takes_long", {{"work", "whole_run()"}}));
}

TEST(Estimates, AWholeProgramSaysHowLongAKernelTakes) {
  Folder folder;
  write_file(folder / "k.cu", std::string(kLongKernel) + kMain);
  const Outcome outcome = by_ids({"run", "k.cu", "--max-steps", "900000000"}, {.folder = folder.path()});
  if (outcome.code == 3) GTEST_SKIP() << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("(busy will take about "));
}

// 100 launches of about a second, of which all wait when the first runs.
TEST(Estimates, AWholeProgramSaysHowLongItsQueuedLaunchesTake) {
  Folder folder;
  write_file(folder / "k.cu", R"(
#include <cstdio>
__global__ void busy(float* out, int rounds) {
  float sum = threadIdx.x;
  for (int i = 0; i < rounds; ++i) sum = sum * 0.999f + i;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main() {
  float* out;
  cudaMalloc(&out, 4096 * 256 * sizeof(float));
  for (int i = 0; i < 100; ++i) busy<<<4096, 256>>>(out, 1000);
  cudaDeviceSynchronize();
}
)");
  const Outcome outcome = by_ids({"run", "k.cu", "--timeout", "8"}, {.folder = folder.path()});
  if (outcome.code == 3) GTEST_SKIP() << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("(the queued launches of busy will take about "));
}

}  // namespace
}  // namespace cudalab::e2e
