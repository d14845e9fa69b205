// Tests device code that is loaded at run time: which bytes are accepted, and what a linked image keeps.
#include "runtime/modules/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/memory.h"

namespace cudalab::runtime {
namespace {

cudaError_t error_of(const auto& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return failure.code;
  }
  return cudaSuccess;
}

TEST(Images, PtxBeginsWithItsVersionAfterComments) {
  const std::string text = "// made by hand\n/* twice */\n  .version 8.0\n.target sm_90\n";
  EXPECT_THAT(image_at(text.c_str()).ptx, testing::ElementsAre(text));
  for (const char* other : {"", "version", "// only a comment", "/* open", "#!/bin/sh"})
    EXPECT_EQ(error_of([&] { image_at(other); }), cudaErrorInvalidKernelImage) << other;
}

TEST(Images, MachineCodeIsRecognized) {
  EXPECT_TRUE(image_at("\x7f"
                       "ELF\x02")
                  .is_machine_code);
}

TEST(Images, ALinkedImageKeepsItsParts) {
  const Image inputs{.ptx = {".version 8.0\n", ".version 7.8\n.target sm_70"}, .containers = {"1234567"}};
  const Image read = image_at(linked_image(inputs).c_str());
  EXPECT_EQ(read.ptx, inputs.ptx);
  EXPECT_EQ(read.containers, inputs.containers);
}

TEST(Images, PtxMustNotBeNewerThanTheGpuOrCuda) {
  const auto error = [](const char* target, int major, int minor) {
    return error_of([&] { require_ptx_for(target, major, minor, 90); });
  };
  EXPECT_EQ(error("sm_70", 7, 8), cudaSuccess);
  EXPECT_EQ(error("sm_90a", 9, 0), cudaSuccess);
  EXPECT_EQ(error("sm_100", 9, 0), cudaErrorInvalidPtx);
  EXPECT_EQ(error("sm_90", 9, 1), cudaErrorUnsupportedPtxVersion);
}

}  // namespace
}  // namespace cudalab::runtime
