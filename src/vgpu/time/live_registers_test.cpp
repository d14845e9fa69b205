// Registers that a basic block does not use and that are wanted behind it, from functions of a few blocks.
#include "vgpu/time/live_registers.h"

#include <gtest/gtest.h>

namespace cudalab::vgpu {
namespace {

int one_word(std::uint32_t) { return 1; }

// Block 0 sets registers 0 and 1; block 1 is a loop that counts register 2; block 2 reads the first two.
LiveRegisters around_a_loop() {
  LiveRegisters live;
  live.begin(0, {1});
  for (const std::uint32_t reg : {0u, 1u, 2u}) live.write(reg);
  live.begin(1, {1, 2});
  live.read(2);
  live.write(2);
  live.begin(2, {});
  live.read(0);
  live.read(1);
  return live;
}

TEST(LiveRegisters, AreThoseThatABasicBlockLeavesToOthers) {
  EXPECT_EQ(around_a_loop().unused(one_word), (std::vector<int>{0, 2, 0}));
}

TEST(LiveRegisters, TakeWhatTheirValuesTake) {
  const auto words = [](std::uint32_t reg) { return reg == 0 ? 2 : 0; };  // a double and a predicate
  EXPECT_EQ(around_a_loop().unused(words), (std::vector<int>{0, 2, 0}));
}

// What is written before it is read needs no register until then.
TEST(LiveRegisters, EndWhereTheyAreWrittenAnew) {
  LiveRegisters live;
  live.begin(0, {1});
  live.write(0);
  live.begin(1, {2});
  live.read(5);
  live.begin(2, {});
  live.write(0);
  live.read(0);
  EXPECT_EQ(live.unused(one_word), (std::vector<int>{1, 0, 0})) << "register 5 is wanted from the beginning";
}

TEST(LiveRegisters, AreNotLookedForInHugeFunctions) {
  LiveRegisters live;
  for (std::uint32_t i = 0; i < 20'000; ++i) live.begin(i, {i + 1});
  live.read(20'000);
  EXPECT_EQ(live.unused(one_word), std::vector<int>(20'000));
}

// Around an outer loop a value stays until its next round.
TEST(LiveRegisters, LiveOnThroughTheWayBack) {
  LiveRegisters live;
  live.begin(0, {1});
  live.write(7);
  live.begin(1, {2});
  live.read(7);
  live.begin(2, {1, 3});
  live.read(8);
  live.begin(3, {});
  EXPECT_EQ(live.unused(one_word), (std::vector<int>{1, 1, 1, 0}));
}

}  // namespace
}  // namespace cudalab::vgpu
