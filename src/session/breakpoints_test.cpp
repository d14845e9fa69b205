// Tests when breakpoints stop.
#include "session/breakpoints.h"

#include <gtest/gtest.h>

#include "vgpu/memory/memory.h"

namespace cudalab::session {
namespace {

std::string hits_that_stop(const std::string& rule) {
  Trigger trigger{.hit_rule = rule};
  std::string text;
  for (int i = 1; i <= 6; ++i)
    if (hit(trigger)) text += std::to_string(i);
  return text;
}

TEST(HitRules, CompareWithTheNumberOfHits) {
  EXPECT_EQ(hits_that_stop(""), "123456");
  EXPECT_EQ(hits_that_stop("3"), "3456");
  EXPECT_EQ(hits_that_stop(">= 3"), "3456");
  EXPECT_EQ(hits_that_stop("> 3"), "456");
  EXPECT_EQ(hits_that_stop("== 3"), "3");
  EXPECT_EQ(hits_that_stop("= 3"), "3");
  EXPECT_EQ(hits_that_stop("<3"), "12");
  EXPECT_EQ(hits_that_stop("% 2"), "246");
}

TEST(HitRules, AreNumbersWithAnOperator) {
  EXPECT_TRUE(is_hit_rule(" >=3 "));
  for (const char* text : {"x", ">=", "3 4", "!3", "-1"}) EXPECT_FALSE(is_hit_rule(text)) << text;
}

TEST(DataBreakpoints, StopAtTheLanesThatTouchTheBytes) {
  vgpu::TracedAccess access{.space = MemorySpace::kShared, .kind = AccessKind::kStore, .bytes = 4};
  access.lanes = 0xf;
  for (std::uint64_t lane = 0; lane < 32; ++lane) access.address[lane] = 4 * lane;
  DataBreakpoint breakpoint;
  breakpoint.address = vgpu::kSharedWindow + 6;
  breakpoint.bytes = 4;
  EXPECT_EQ(lanes_touching(breakpoint, access), 0b0110u);
  breakpoint.on_write = false;
  EXPECT_EQ(lanes_touching(breakpoint, access), 0u);
  breakpoint.on_read = true;
  access.kind = AccessKind::kAtomic;
  EXPECT_EQ(lanes_touching(breakpoint, access), 0b0110u);
  breakpoint.address = vgpu::kSharedWindow + 20;  // of a lane that is not active
  EXPECT_EQ(lanes_touching(breakpoint, access), 0u);
}

}  // namespace
}  // namespace cudalab::session
