// What one launch of a kernel did: plain data that the devices fill and the reports read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/counters.h"
#include "core/diagnostics/message.h"
#include "core/dim3.h"
#include "core/prediction.h"
#include "core/source_line.h"

namespace cudalab {

// Durations of repeated runs, in milliseconds.
struct TimeSummary {
  double median = 0, min = 0, max = 0;
  int samples = 0;
};

enum class HazardKind {
  kOutOfBounds,
  kMisaligned,
  kUninitialisedRead,
  kSharedRace,
  kGlobalRace,
  kBarrierDivergence,
  kDeadlock,
  kStepLimit,
  kTrap,
  kAssertion,
  kStackOverflow,
  kInvalidLaunch,
};

// Who races with whom, as far as is known; of several pairs the last of these says most.
enum class RacePair {
  kNone,
  kLanes,    // of one warp
  kThreads,  // of one block
  kBlocks,
  kWriters,  // on one line: an index that collides, or an update that is not atomic
};

// Something a kernel did that a correct kernel never does.
struct Hazard {
  HazardKind kind{};
  std::string kernel;
  SourceLine where;
  std::optional<SourceLine> other;  // the second access of a race
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::optional<std::uint64_t> address;
  std::string buffer;      // the buffer or variable concerned; empty when none is
  Message what;            // stands alone: "reads `in[1024]`, one past its last element"
  Message fix;             // what to try
  std::string cuda_error;  // "CUDA_ERROR_ILLEGAL_ADDRESS" where a card reports one
  std::uint64_t occurrences = 1;
  RacePair pair = RacePair::kNone;  // of a race
  // Of a race: one of the two accesses is an ordinary load, which compilers let more lanes do than the
  // source.
  bool is_with_plain_load = false;
};

enum class MemorySpace { kGlobal, kShared, kLocal, kConstant, kTexture };
enum class AccessKind { kLoad, kStore, kAtomic, kReduction };

// What the memory instructions of one source line did, all executions together.
// Global, local: `transactions` counts 32-byte sectors. Shared: it counts wavefronts.
struct LineAccess {
  SourceLine where;
  MemorySpace space{};
  AccessKind kind{};
  int bytes_per_lane = 0;
  std::uint64_t requests = 0;
  std::uint64_t transactions = 0;
  std::uint64_t fewest_transactions = 0;  // what the same lanes and widths cost when ideally arranged
  std::uint64_t distinct_bytes = 0;
  std::uint64_t lanes = 0;  // active lanes, summed over the requests
  // The distance in bytes between neighbouring lanes' addresses that most neighbours of most requests share.
  // In a block narrower than a warp it is the distance within a row of threads.
  std::optional<std::int64_t> lane_stride_bytes;
};

// What warps executed of one source line. Lanes on average: thread_instructions / warp_instructions.
struct LineExecution {
  SourceLine where;
  std::uint64_t warp_instructions = 0, thread_instructions = 0;  // in PTX
  std::uint64_t branches = 0, divergent_branches = 0;            // with a condition
  std::uint64_t barriers = 0;                                    // of the block, once for each warp
};

struct ChildLaunch;
struct Recording;  // core/recording.h

struct LaunchResult {
  std::optional<double> simulation_ms;  // the virtual GPU's own running time: never to be read as a card's
  std::optional<Counters> counters;
  std::optional<Prediction> prediction;   // how long a card would take
  std::vector<LineAccess> accesses;       // with counters; in source order
  std::vector<LineExecution> executions;  // likewise
  std::vector<Hazard> hazards;
  bool completed = true;  // false: the kernel was stopped by the last hazard
  std::string printed;    // what the kernel printed
  // What it launched itself, directly or not; the counters above are without them. On the virtual GPU.
  std::vector<ChildLaunch> children;
  std::shared_ptr<const Recording> recording;  // null: nobody asked for it
};

// All launches of one kernel by kernels. Its hazards and what it printed are with the launch that began it
// all.
struct ChildLaunch {
  std::string kernel;
  Dim3 grid, block;  // of the first
  std::uint64_t shared_bytes = 0;
  std::uint64_t launches = 0;
  LaunchResult result;
};

}  // namespace cudalab
