// Tests the layout order: loops are contiguous, all other edges go forward.
#include "vgpu/decode/reading/basic_block_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudalab::vgpu {

namespace {

using testing::ElementsAre;

TEST(LayoutOrder, PutsBothArmsOfABranchBeforeWhereTheyMeet) {
  EXPECT_THAT(layout_order({{{1, 2}, {3}, {3}, {}}}), ElementsAre(0, 2, 1, 3));
}

TEST(LayoutOrder, PutsALoopBeforeItsExitEvenWhenTheExitComesFirstInTheText) {
  // 0 -> 1 (head) -> 2 (exit) or 3 (body) -> 1
  EXPECT_THAT(layout_order({{{1}, {2, 3}, {}, {1}}}), ElementsAre(0, 1, 3, 2));
}

TEST(LayoutOrder, KeepsAnInnerLoopInsideTheOuterOne) {
  // 1: outer head, 2: inner head, 3: inner body, 4: outer latch, 5: exit
  EXPECT_THAT(layout_order({{{1}, {2, 5}, {3, 4}, {2}, {1}, {}}}), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(LayoutOrder, LeavesOutWhatIsNotReached) {
  EXPECT_THAT(layout_order({{{2}, {2}, {}}}), ElementsAre(0, 2));
}

TEST(LayoutOrder, TakesALoopWithTwoEntries) {
  // Block 0 enters the loop {1, 2} at either block; every block must occur once.
  EXPECT_THAT(layout_order({{{1, 2}, {2, 3}, {1}, {}}}), testing::UnorderedElementsAre(0, 1, 2, 3));
}

TEST(LayoutOrder, TakesASelfLoop) { EXPECT_THAT(layout_order({{{0, 1}, {}}}), ElementsAre(0, 1)); }

}  // namespace
}  // namespace cudalab::vgpu
