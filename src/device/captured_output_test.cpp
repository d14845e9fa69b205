// Tests that standard output goes to memory during capture, and to its original destination afterwards.
#include "device/captured_output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

namespace cudalab::device {
namespace {

TEST(CapturedOutput, TakesTheOutputAndRestoresStandardOutput) {
  CapturedOutput outer;
  std::string text;
  {
    CapturedOutput inner;
    std::printf("from stdio\n");
    std::fflush(stdout);
    EXPECT_EQ(write(STDOUT_FILENO, "from a descriptor\n", 18), 18);
    text = inner.take();
  }
  std::printf("afterwards\n");
  EXPECT_EQ(text, "from stdio\nfrom a descriptor\n");
  EXPECT_EQ(outer.take(), "afterwards\n");
}

TEST(CapturedOutput, KeepsTheFirstMebibyte) {
  CapturedOutput output;
  const std::string block(1u << 16, 'x');
  for (int i = 0; i < 20; ++i) std::fputs(block.c_str(), stdout);
  EXPECT_EQ(output.take().size(), 1u << 20);
}

}  // namespace
}  // namespace cudalab::device
