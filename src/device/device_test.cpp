// Tests which components are found, and which device a choice opens, with and without a GPU.
#include "device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/diagnostics/message_testing.h"
#include "device/cuda/cuda_device.h"

namespace cudalab::device {

namespace {

const Finding& finding_of(const std::vector<Finding>& findings, const std::string& thing) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& f) { return f.thing.text() == thing; });
  if (found == findings.end()) throw std::runtime_error("nothing says " + thing);
  return *found;
}

bool has_gpu() {
  try {
    open_cuda_device();
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(LookAround, StatesTheLocationOrHowToInstall) {
  const auto findings = look_around();
  for (const char* thing : {"CUDA driver", "NVRTC", "nvcc", "clang", "CUDA headers", "cuBLAS",
                            "Nsight Compute", "Virtual GPU", "Sandbox"}) {
    const Finding finding = finding_of(findings, thing);
    EXPECT_NE(finding.found, finding.where.empty()) << thing;
    EXPECT_NE(finding.found, !finding.advice.empty()) << thing;
    EXPECT_FALSE(finding.enables.empty()) << thing;
  }
}

TEST(LookAround, AgreesWithTheCompilerAndTheDevices) {
  const auto findings = look_around();
  EXPECT_EQ(finding_of(findings, "NVRTC").found, compile::compiler_version().has_value());
  EXPECT_EQ(finding_of(findings, "CUDA driver").found, has_gpu());
  EXPECT_TRUE(finding_of(findings, "Virtual GPU").found);
  EXPECT_THAT(finding_of(findings, "Virtual GPU").where, IsMessage("doctor_virtual_gpu_is"));
}

TEST(LookAround, ReportsAMissingCompiler) {
  setenv("CUDALAB_NVRTC", "/nonexistent", 1);
  const Finding nvrtc = finding_of(look_around(), "NVRTC");
  unsetenv("CUDALAB_NVRTC");
  EXPECT_FALSE(nvrtc.found);
  EXPECT_THAT(nvrtc.advice, testing::AllOf(MentionsMessage("doctor_install_parts"),
                                           HasArgument("packages", "cuda-nvrtc-13-0")));
}

TEST(OpenDevice, OpensTheVirtualGpuWithoutAGpu) {
  EXPECT_EQ(open_device(DeviceChoice::kVirtual)->info().kind, "virtual");
  EXPECT_EQ(open_device(DeviceChoice::kAuto)->info().kind, has_gpu() ? "gpu" : "virtual");
}

TEST(OpenDevice, RejectsAMissingGpu) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(open_device(DeviceChoice::kGpu), Error);
}

}  // namespace
}  // namespace cudalab::device
