// Launches that do not fit, and the sentences they get.
#include "device/launch_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/refusal_testing.h"

namespace cudalab::device {
namespace {
using testing::HasSubstr;

class LaunchChecks : public testing::Test {
 protected:
  LaunchChecks() {
    kernel_.name = "scale";
    kernel_.parameters = {{8, "u64", true}, {4, "u32", false}};
    kernel_.static_shared_bytes = 1000;
    kernel_.registers = 128;
    launch_.kernel = &kernel_;
    launch_.arguments = {std::uint64_t{0}, 7};
    info_.max_threads_per_block = 1024;
    info_.max_shared_per_block_optin = 2000;
  }
  std::string argument_message() const {
    return refusal_of([&] { check_arguments(launch_); });
  }
  std::string refusal() const { return refused_launch(launch_, info_, "CUDA_ERROR_INVALID_VALUE").what; }

  Kernel kernel_;
  Launch launch_;
  DeviceInfo info_;
};

TEST_F(LaunchChecks, AcceptsArgumentsThatFit) { EXPECT_EQ(argument_message(), ""); }

TEST_F(LaunchChecks, RefusesTooFewArguments) {
  launch_.arguments.pop_back();
  EXPECT_EQ(argument_message(), "kernel `scale` takes 2 arguments, and 1 were given");
}

TEST_F(LaunchChecks, RefusesAnArgumentOfAnotherSize) {
  launch_.arguments[1] = 7.0;
  EXPECT_EQ(argument_message(),
            "argument 2 of kernel `scale` has 8 bytes, and its parameter has 4 (.u32 in PTX)");
}

TEST_F(LaunchChecks, SaysWhichLimitALaunchExceeds) {
  launch_.grid = {0, 1, 1};
  EXPECT_EQ(refusal(), "the grid is 0x1x1, which is empty");
  launch_.grid = {1, 65536, 1};
  EXPECT_EQ(refusal(), "the grid is 1x65536x1; the card allows 2147483647x65535x65535");
  launch_.grid = {1, 1, 1};
  launch_.block = {1, 1, 128};
  EXPECT_EQ(refusal(), "the block is 1x1x128; the card allows 1024x1024x64");
  launch_.block = {64, 32, 1};
  EXPECT_EQ(refusal(), "a block of 64x32x1 has 2048 threads; the card allows 1024");
  launch_.block = {1024, 1, 1};
  EXPECT_THAT(refusal(), HasSubstr("1024 threads with 128 registers each"));
  launch_.block = {32, 1, 1};
  launch_.shared_bytes = 1001;
  EXPECT_EQ(refusal(), "a block needs 2001 bytes of shared memory; the card has 2000");
  launch_.shared_bytes = 1000;
  EXPECT_EQ(refusal(), "the card refused the launch");
}

TEST_F(LaunchChecks, SaysWhichClustersDoNotFit) {
  launch_.block = {32, 1, 1};
  launch_.grid = {5, 4, 1};
  launch_.cluster = {2, 1, 1};
  EXPECT_EQ(refusal(), "the grid is 5x4x1, which clusters of 2x1x1 blocks do not divide");
  launch_.cluster = {5, 2, 1};
  EXPECT_EQ(refusal(), "a cluster of 5x2x1 has 10 blocks; every card with clusters takes 8");
  const std::string invalid = "CUDA_ERROR_INVALID_CLUSTER_SIZE";
  launch_.cluster = {1, 2, 1};
  EXPECT_EQ(refusal(), "the card refused the launch");
  EXPECT_EQ(refused_launch(launch_, info_, invalid).what,
            "the card does not take clusters of 1x2x1 blocks for this kernel");
  launch_.cluster = {0, 0, 0};
  EXPECT_THAT(refused_launch(launch_, info_, invalid).what, HasSubstr("(__cluster_dims__) do not divide"));
}

TEST_F(LaunchChecks, ARefusalIsAHazardWithTheCardsErrorName) {
  const Hazard hazard = refused_launch(launch_, info_, "CUDA_ERROR_INVALID_VALUE");
  EXPECT_EQ(hazard.kind, HazardKind::kInvalidLaunch);
  EXPECT_EQ(hazard.kernel, "scale");
  EXPECT_EQ(hazard.cuda_error, "CUDA_ERROR_INVALID_VALUE");
  EXPECT_FALSE(hazard.fix.empty());
}

TEST_F(LaunchChecks, TellsAKernelsFaultsFromTheDevices) {
  const auto fault = kernel_fault(launch_, "CUDA_ERROR_ILLEGAL_ADDRESS");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, HazardKind::kOutOfBounds);
  EXPECT_EQ(fault->cuda_error, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_FALSE(kernel_fault(launch_, "CUDA_ERROR_ECC_UNCORRECTABLE"));
}

}  // namespace
}  // namespace cudalab::device
