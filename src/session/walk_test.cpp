// Tests walking forward and back through a warp with any window size, and to other warps, barriers and
// hazards.
#include "session/walk.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "session/warp_testing.h"

namespace cudalab::session {
namespace {

const std::string kLoop = vgpu::all_of_text(
    {".loc 1 1 0\n", "mov.u32 %r7, 0;\n", "LOOP:\n", ".loc 1 2 0\n", "add.u32 %r7, %r7, 1;\n", ".loc 1 3 0\n",
     "setp.lt.u32 %p1, %r7, 20;\n", "@%p1 bra LOOP;\n", ".loc 1 4 0\n", "bar.sync 0;\n"});

std::vector<int> lines_forward(Walk& walk) {
  std::vector<int> lines{walk.moment()->where.line};
  while (walk.forward()) lines.push_back(walk.moment()->where.line);
  return lines;
}
std::vector<int> lines_back(Walk& walk) {
  std::vector<int> lines{walk.moment()->where.line};
  while (walk.back()) lines.insert(lines.begin(), walk.moment()->where.line);
  return lines;
}

TEST(Walk, GoesForwardAndBackTheSameWay) {
  SteppedKernel kernel(kLoop, {1, 1, 1}, {32, 1, 1});
  Walk walk(kernel.launch());
  walk.go_to({0, 0, 0}, 0);
  const std::vector<int> forward = lines_forward(walk);
  EXPECT_EQ(forward.size(), 1u + 2 * 20 + 2);  // the return is on line 4, too
  EXPECT_TRUE(walk.is_at_end());
  EXPECT_EQ(lines_back(walk), forward);
}

TEST(Walk, KeepsItsStepAfterAChangeOfTheLaunch) {
  SteppedKernel kernel(kLoop, {1, 1, 1}, {32, 1, 1});
  WalkedLaunch launch = kernel.launch();
  vgpu::TraceRequest changed;
  launch.trace = [&](vgpu::TraceRequest wanted) {
    wanted.changes = changed.changes;
    return kernel.trace(wanted);
  };
  Walk walk(launch, 8);
  walk.go_to({0, 0, 0}, 0);
  for (int i = 0; i < 12; ++i) walk.forward();
  const std::uint64_t step = walk.trace().steps[walk.moment()->first].number;
  vgpu::TraceChange change{.step = step, .in_register = "%r7", .bytes = {std::byte{30}, {}, {}, {}}};
  for (change.lane = 0; change.lane < vgpu::kWarpSize; ++change.lane) changed.changes.push_back(change);
  walk.reload();
  EXPECT_EQ(walk.trace().steps[walk.moment()->first].number, step);
  walk.to_end();
  EXPECT_LT(walk.last_step().number, 30u);  // the loop ends early
  changed.changes.clear();
  walk.to_begin();
  walk.to_end();
  changed.changes = {change};
  changed.changes[0].lane = 0;
  walk.reload();
  EXPECT_NE(walk.moment(), nullptr);
}

// Warp 1 skips line 3, and warp 0 executes it in its third step at the latest.
TEST(Walk, FindsTheFirstWarpThatExecutesALine) {
  const std::string body = vgpu::all_of_text(
      {".loc 1 1 0\n", "mov.u32 %r1, %tid.x;\n", "mov.u32 %r2, %ctaid.x;\n", ".loc 1 2 0\n",
       "setp.ne.u32 %p1, %r2, 1;\n", "@%p1 bra DONE;\n", "setp.lt.u32 %p2, %r1, 32;\n", "@%p2 bra DONE;\n",
       ".loc 1 3 0\n", "add.u32 %r3, %r1, 1;\n", "DONE:\n", ".loc 1 4 0\n", "add.u32 %r4, %r1, 1;\n"});
  for (const std::uint64_t window : {1, 3, 64}) {
    SteppedKernel kernel(body, {3, 1, 1}, {96, 1, 1});
    Walk walk(kernel.launch(), window);
    walk.go_to({0, 0, 0}, 1);
    ASSERT_TRUE(walk.to_lines({3})) << window;
    EXPECT_EQ(walk.trace().block, (Dim3{1, 0, 0}));
    EXPECT_EQ(walk.trace().warp, 1u);
    EXPECT_EQ(walk.moment()->where.line, 3);
    ASSERT_TRUE(walk.to_lines({1, 4}));  // from the beginning of this warp
    EXPECT_EQ(walk.moment()->where.line, 1);
    ASSERT_TRUE(walk.to_lines({1, 4}, 3));
    EXPECT_EQ(walk.trace().warp, 1u);
    EXPECT_EQ(walk.moment()->where.line, 4);
    walk.go_to({1, 0, 0}, 2);
    ASSERT_TRUE(walk.to_lines({3}));
    EXPECT_EQ(walk.trace().warp, 2u);
    walk.go_to({2, 0, 0}, 1);
    EXPECT_FALSE(walk.to_lines({3}));
    EXPECT_EQ(walk.trace().block, (Dim3{2, 0, 0}));
    EXPECT_EQ(walk.trace().warp, 1u);
  }
}

TEST(Walk, KnowsTheLinesWithCode) {
  SteppedKernel kernel(kLoop, {1, 1, 1}, {32, 1, 1});
  const vgpu::WarpTrace trace = kernel.trace({.most = 1, .lists_module = true});
  EXPECT_EQ(lines_with_code(trace.listing, "mine.cu"), (std::set<int>{1, 2, 3, 4}));
  EXPECT_TRUE(lines_with_code(trace.listing, "other.cu").empty());
}

TEST(Walk, KeepsASmallWindowAfterALongWalk) {
  SteppedKernel kernel(kLoop, {1, 1, 1}, {32, 1, 1});
  Walk walk(kernel.launch(), 4);
  walk.go_to({0, 0, 0}, 0);
  int seen = 0;
  std::uint64_t found = 0;
  ASSERT_TRUE(walk.forward_to([&](const Moment& moment) {
    found = walk.trace().steps[moment.first].number;
    return ++seen == 30;
  }));
  EXPECT_LE(walk.trace().steps.size(), 4u);
  EXPECT_EQ(walk.trace().steps[walk.moment()->first].number, found);
  ASSERT_TRUE(walk.back_to([&](const Moment& moment) {
    found = walk.trace().steps[moment.first].number;
    return --seen == 2;
  }));
  EXPECT_LE(walk.trace().steps.size(), 4u);
  EXPECT_EQ(walk.trace().steps[walk.moment()->first].number, found);
}

// Windows of every size: moments may be cut, but every step appears exactly once.
TEST(Walk, LosesNothingBetweenWindows) {
  for (const std::uint64_t window : {1, 2, 3, 5, 7, 64}) {
    SteppedKernel kernel(kLoop, {1, 1, 1}, {32, 1, 1});
    Walk walk(kernel.launch(), window);
    walk.go_to({0, 0, 0}, 0);
    std::uint64_t expected = 0;
    do {
      EXPECT_EQ(walk.trace().steps[walk.moment()->first].number, expected) << window;
      expected = walk.last_step().number + 1;
    } while (walk.forward());
    EXPECT_EQ(expected, 63u) << window;
    while (walk.back()) {
    }
    EXPECT_EQ(walk.trace().steps[walk.moment()->first].number, 0u);
  }
}

TEST(Walk, FindsBarriersForwardAndBackThroughWindows) {
  SteppedKernel kernel(kLoop, {1, 1, 1}, {32, 1, 1});
  Walk walk(kernel.launch(), 4);
  walk.go_to({0, 0, 0}, 0);
  const Walk::Wanted barrier = [](const Moment& moment) { return moment.is_barrier; };
  EXPECT_FALSE(walk.back_to(barrier));
  ASSERT_TRUE(walk.forward_to(barrier));
  EXPECT_EQ(walk.moment()->where.line, 4);
  const std::uint64_t there = walk.last_step().number;
  EXPECT_FALSE(walk.forward_to(barrier));  // the position is unchanged
  EXPECT_EQ(walk.last_step().number, there);
  ASSERT_TRUE(walk.back_to([](const Moment& moment) { return moment.where.line == 1; }));
  EXPECT_EQ(walk.last_step().number, 0u);
}

TEST(Walk, GoesRoundTheWarpsAndBlocks) {
  SteppedKernel kernel(kSteppedBody, {2, 3, 1}, {64, 1, 1});
  Walk walk(kernel.launch());
  walk.go_to({1, 2, 0}, 1);
  walk.other_warp(1);
  EXPECT_EQ(walk.trace().warp, 0u);
  walk.other_warp(-1);
  EXPECT_EQ(walk.trace().warp, 1u);
  walk.other_block(1);
  EXPECT_EQ(walk.trace().block, (Dim3{0, 0, 0}));
  walk.other_block(-1);
  EXPECT_EQ(walk.trace().block, (Dim3{1, 2, 0}));
}

TEST(Walk, StaysWhereItIsWhenThereIsNoSuchWarp) {
  SteppedKernel kernel(kSteppedBody, {1, 1, 1}, {64, 1, 1});
  Walk walk(kernel.launch());
  walk.go_to({0, 0, 0}, 1);
  walk.forward();
  const std::uint64_t step = walk.last_step().number;
  EXPECT_THROW(walk.go_to({0, 0, 0}, 2), Error);
  EXPECT_EQ(walk.trace().warp, 1u);
  EXPECT_EQ(walk.last_step().number, step);
}

TEST(Walk, SharedMemoryIsThatOfTheMoment) {
  SteppedKernel kernel(kSteppedBody, {1, 1, 1}, {32, 1, 1});
  Walk walk(kernel.launch());
  walk.go_to({0, 0, 0}, 0);
  EXPECT_EQ(walk.shared().at(132), std::byte{0xff});  // unwritten
  walk.to_end();
  EXPECT_EQ(walk.shared().at(132), std::byte{1});
  walk.back();
  EXPECT_EQ(walk.shared().at(132), std::byte{0xff});
}

TEST(Walk, FindsAHazardOfAnotherWarp) {
  SteppedKernel kernel(
      "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 8;\n"
      "add.s64 %rd3, %rd1, %rd2;\n.loc 1 3 0\nst.global.u32 [%rd3], 1;",
      {1, 1, 1}, {64, 1, 1});
  Walk walk(kernel.launch());
  walk.go_to({0, 0, 0}, 0);
  ASSERT_TRUE(walk.to_hazard());
  EXPECT_EQ(walk.trace().warp, 1u);
  EXPECT_TRUE(walk.moment()->has_hazard);
  EXPECT_EQ(walk.moment()->where.line, 3);
}

// All blocks write the same words, so no single block has a race.
TEST(Walk, FindsTheLineOfARaceBetweenBlocks) {
  SteppedKernel kernel(
      "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %ctaid.x;\n.loc 1 3 0\nst.global.u32 [%rd1], %r1;", {2, 1, 1},
      {1, 1, 1});
  Walk walk(kernel.launch());
  walk.go_to({0, 0, 0}, 0);
  ASSERT_TRUE(walk.to_hazard());
  EXPECT_EQ(walk.moment()->where.line, 3);
}

TEST(Walk, SaysWhereThereIsNoHazard) {
  SteppedKernel kernel(kLoop, {1, 1, 1}, {64, 1, 1});
  Walk walk(kernel.launch());
  walk.go_to({0, 0, 0}, 1);
  walk.forward();
  const std::uint64_t step = walk.last_step().number;
  EXPECT_FALSE(walk.to_hazard());
  EXPECT_EQ(walk.last_step().number, step);
}

}  // namespace
}  // namespace cudalab::session
