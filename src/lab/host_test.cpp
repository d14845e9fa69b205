// Tests the description of the host, and that loops over pieces visit every element once.
#include "lab/host.h"

#include <gtest/gtest.h>

#include <vector>

namespace cudalab::lab {
namespace {

TEST(Host, HasANameThreadsAndMemory) {
  const HostInfo host = describe_host();
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_GE(host.threads, 1u);
  EXPECT_GT(host.available_bytes, 1u << 20);
}

TEST(ForPieces, VisitsEveryElementOnce) {
  for (const std::size_t count : {0u, 1u, 7u, 16384u, 100003u}) {
    std::vector<int> visits(count, 0);
    for_pieces(count, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_EQ(visits, std::vector<int>(count, 1)) << count;
  }
}

TEST(ForPieces, NumbersThePiecesInOrder) {
  std::vector<std::size_t> begins(piece_count(1000000));
  const std::size_t pieces =
      for_pieces(1000000, [&](std::size_t piece, std::size_t begin, std::size_t) { begins[piece] = begin; });
  EXPECT_EQ(pieces, begins.size());
  EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
}

TEST(ForPieces, SharesFewCostlyOnesAmongTheThreads) {
  const std::size_t threads = describe_host().threads;
  EXPECT_EQ(piece_count(100), 1u);
  EXPECT_EQ(piece_count(16 * threads, 1024), threads);
  EXPECT_EQ(piece_count(threads, 1u << 20), threads);
  EXPECT_EQ(piece_count(1, 1u << 20), 1u);
  std::vector<int> visits(97, 0);
  for_pieces(
      visits.size(),
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      },
      1 << 20);
  EXPECT_EQ(visits, std::vector<int>(97, 1));
}

}  // namespace
}  // namespace cudalab::lab
