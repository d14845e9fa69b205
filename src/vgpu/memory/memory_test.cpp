// Tests allocation, lookup and host access of global memory.
#include "vgpu/memory/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/diagnostics/message_testing.h"

namespace cudalab::vgpu {
namespace {

constexpr std::size_t kLimit = 1 << 20;

TEST(GlobalMemory, HoldsWhatTheHostWrites) {
  GlobalMemory memory(kLimit);
  const std::uint64_t at = memory.allocate("a", 16);
  const std::array<int, 4> numbers{1, 2, 3, 4};
  memory.write(at, std::as_bytes(std::span(numbers)));
  std::array<int, 2> read{};
  memory.read(at + 4, std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, (std::array<int, 2>{2, 3}));
}

TEST(GlobalMemory, AlignsAndKeepsBuffersApart) {
  GlobalMemory memory(kLimit);
  const std::uint64_t a = memory.allocate("a", 100), b = memory.allocate("b", 100);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(b % 256, 0u);
  EXPECT_EQ(memory.find(a + 100), nullptr);
  EXPECT_EQ(memory.nearest(a + 100)->name, "a");
  EXPECT_EQ(memory.nearest(b - 1)->name, "b");
  EXPECT_EQ(memory.find(b + 99)->name, "b");
}

TEST(GlobalMemory, AdoptsTheHostsOwnBytesAtTheHostsAddress) {
  GlobalMemory memory(kLimit, kFirstGlobal);
  const std::uint64_t before = memory.allocate("before", 16);
  std::array<std::byte, 64> host{};
  const std::uint64_t adopted = memory.adopt("host", host);
  const std::uint64_t after = memory.allocate("after", 16);
  EXPECT_EQ(before, kFirstGlobal);
  EXPECT_EQ(adopted, reinterpret_cast<std::uint64_t>(host.data()));
  EXPECT_EQ(memory.find(after)->name, "after");
  EXPECT_EQ(memory.find(adopted + 63)->name, "host");
  EXPECT_FALSE(memory.find(adopted)->written) << "what the host can write counts as written";
  const std::array seven{std::byte{7}};
  memory.write(adopted + 1, seven);
  EXPECT_EQ(host[1], std::byte{7});
  EXPECT_EQ(memory.used_bytes(), 32u);
  memory.free(adopted);
  EXPECT_EQ(memory.find(adopted), nullptr);
  EXPECT_EQ(host[1], std::byte{7}) << "it stays the host's";
  EXPECT_EQ(memory.used_bytes(), 32u);
}

TEST(GlobalMemory, ManagedMemoryIsAtOneAddressForBothWhereAddressesDoNotClash) {
  GlobalMemory memory(kLimit, kFirstGlobal), of_its_own(kLimit);
  const std::uint64_t managed = memory.allocate_managed("m", 4);
  *reinterpret_cast<int*>(managed) = 5;
  int read = 0;
  memory.read(managed, std::as_writable_bytes(std::span(&read, 1)));
  EXPECT_EQ(read, 5);
  EXPECT_EQ(of_its_own.allocate_managed("m", 4), kGlobalStart);
}

TEST(GlobalMemory, RefusesWhatDoesNotFitAndSaysWhy) {
  GlobalMemory memory(kLimit);
  EXPECT_THAT(refused([&] { memory.allocate("big", kLimit + 1); }, ExitCode::kUnavailable),
              testing::AllOf(IsMessage("virtual_memory_exhausted"), HasArgument("name", Code{"big"}),
                             HasArgument("bytes", kLimit + 1)));
}

TEST(GlobalMemory, GivesBackWhatIsFreed) {
  GlobalMemory memory(kLimit);
  for (int i = 0; i < 4; ++i) memory.free(memory.allocate("all", kLimit));
  EXPECT_EQ(memory.used_bytes(), 0u);
}

TEST(GlobalMemory, FreesNothingAtAnAddressThatIsNoBase) {
  GlobalMemory memory(kLimit);
  const std::uint64_t at = memory.allocate("a", 100);
  for (const std::uint64_t other : {at + 4, at - 4, at + 100}) memory.free(other);
  EXPECT_EQ(memory.used_bytes(), 100u);
  EXPECT_NE(memory.find(at), nullptr);
}

TEST(GlobalMemory, RefusesHostAccessAcrossTheEnd) {
  GlobalMemory memory(kLimit);
  const std::uint64_t at = memory.allocate("a", 8);
  std::array<std::byte, 8> bytes{};
  EXPECT_THROW(memory.read(at + 4, bytes), Error);
  EXPECT_THROW(memory.write(at - 4, bytes), Error);
}

TEST(GlobalMemory, PoisonMarksBytesAsUnwritten) {
  GlobalMemory memory(kLimit);
  const std::uint64_t at = memory.allocate("a", 8);
  memory.fill(at, 8, 0xab, false);
  EXPECT_FALSE(memory.find(at)->written) << "all of it is written: no byte needs a mark";
  memory.fill(at, 4, 0xcd, true);
  EXPECT_FALSE(memory.find(at)->written.has(0));
  EXPECT_TRUE(memory.find(at)->written.has(4));
  EXPECT_EQ(memory.find(at)->host[0], std::byte{0xcd});
}

// Freed memory is kept and reused for the next allocation of the same size.
TEST(HostBytes, AreZeroEachTime) {
  constexpr std::size_t kBytes = std::size_t{1} << 18;
  for (int time = 0; time < 3; ++time) {
    const HostBytes bytes = allocate_host(kBytes);
    EXPECT_TRUE(
        std::all_of(bytes.get(), bytes.get() + kBytes, [](std::byte byte) { return byte == std::byte{0}; }));
    std::memset(bytes.get(), 7, kBytes);
  }
}

TEST(GlobalMemory, CopiesWithinItselfAndKnowsWhatIsWritten) {
  GlobalMemory memory(1 << 20);
  const std::uint64_t from = memory.allocate("from", 64), to = memory.allocate("to", 64);
  memory.fill(from, 64, 5, false);
  memory.copy(to + 16, from, 32);
  std::array<std::byte, 64> bytes{};
  memory.read(to, bytes);
  EXPECT_EQ(std::ranges::count(bytes, std::byte{5}), 32);
  EXPECT_EQ(bytes[15], std::byte{0});
  EXPECT_TRUE(memory.find(to)->written.has_all(16, 32));
  EXPECT_FALSE(memory.find(to)->written.has(48));
  EXPECT_THROW(memory.copy(to + 40, from, 32), Error);
}

TEST(GlobalMemory, ACopyOfWhatNobodyWroteIsNoWriting) {
  GlobalMemory memory(1 << 20);
  const std::uint64_t from = memory.allocate("from", 256), to = memory.allocate("to", 256);
  memory.fill(to, 256, 1, false);
  memory.fill(from, 100, 5, false);
  memory.fill(from + 130, 6, 5, false);
  EXPECT_EQ(memory.unwritten(from + 60, 100), (std::vector<ByteRun>{{40, 30}, {76, 24}}));
  memory.copy(to + 10, from, 200);
  EXPECT_EQ(memory.unwritten(to, 256), (std::vector<ByteRun>{{110, 30}, {146, 64}}));
  EXPECT_THAT(memory.unwritten(to + 210, 46), testing::IsEmpty());
}

}  // namespace
}  // namespace cudalab::vgpu
