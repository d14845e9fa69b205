// What a launch's warps did one by one, recorded for pictures: the lanes' addresses of requests, and which
// lanes went where. Plain data that the virtual GPU fills and the reports draw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/measurement.h"

namespace cudalab {

inline constexpr std::size_t kRecordedLanes = 32;  // of a warp

// What one warp asked of memory by one instruction, once.
struct WarpRequest {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;   // of the block
  std::uint32_t lanes = 0;  // that took part, a bit each
  // Of each such lane its first byte; of shared memory from the block's first byte on, of local memory from
  // the thread's.
  std::array<std::uint64_t, kRecordedLanes> address{};
  int bytes_per_lane = 0;
  std::uint32_t transactions = 0, fewest = 0;  // sectors or wavefronts (LineAccess)
  bool has(std::size_t lane) const { return lanes >> lane & 1; }
};

// Of the instructions of a source line that LineAccess counts together.
struct LineRequests {
  SourceLine where;
  MemorySpace space{};
  AccessKind kind{};
  std::vector<WarpRequest> first;    // in the order of the blocks, at most kRecordedRequests
  std::optional<WarpRequest> worst;  // of all: the one with the most transactions
};
inline constexpr std::size_t kRecordedRequests = 64;

// Lanes of a warp that went on together, from a source line on, until the warp went on with others.
struct PathStep {
  std::uint64_t begin = 0, end = 0;  // instructions of the warp before it, and with it
  std::uint32_t lanes = 0;
  std::uint32_t alive = 0;  // those that had not ended; the others of them waited meanwhile
  SourceLine where;
};

// One warp's way through the kernel; the first steps of it.
struct WarpPaths {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;  // that it has
  std::vector<PathStep> steps;
};
inline constexpr std::size_t kRecordedSteps = 512;

// What lanes do together in one instruction.
enum class ExchangeKind : std::uint8_t { kShuffle, kVote, kMatch, kReduction };
inline constexpr std::size_t kExchangeKinds = 4;

// One execution of such an instruction.
struct LaneExchange {
  std::uint32_t lanes = 0;  // that take part
  // Of each of them: whose value it gets, itself where the other does not give; 1 where it votes yes; the
  // first lane with the same value; the first lane of those that are made one value of.
  std::array<std::uint8_t, kRecordedLanes> from{};
  ExchangeKind kind = ExchangeKind::kShuffle;
  friend bool operator==(const LaneExchange&, const LaneExchange&) = default;
};

// The exchanges of a source line by one warp, the first that came to it; in the order of their execution.
struct LineExchanges {
  SourceLine where;
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::vector<LaneExchange> first;  // at most kRecordedExchanges
};
inline constexpr std::size_t kRecordedExchanges = 32;

struct Recording {
  std::vector<LineRequests> lines;            // in source order
  std::vector<WarpPaths> warps;               // of the first block
  std::vector<LineExchanges> exchanges = {};  // of the first block, in source order
};

}  // namespace cudalab
