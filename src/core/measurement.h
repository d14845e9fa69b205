// What one launch of a kernel did, as plain data: counters, hazards, recorded warps; and how several launches
// are added up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/dim3.h"
#include "core/prediction.h"
#include "core/source_line.h"

namespace cudalab {

// The hardware counters that a launch can report: their names, units and meanings, and a set of their values.

enum class Counter : std::size_t {
  kGlobalLoadRequests,
  kGlobalLoadSectors,
  kGlobalLoadBytesPercent,
  kGlobalStoreRequests,
  kGlobalStoreSectors,
  kGlobalStoreBytesPercent,
  kSharedLoadWavefronts,
  kSharedLoadConflicts,
  kSharedLoadInstructions,
  kSharedLoadRequests,
  kSharedStoreWavefronts,
  kSharedStoreConflicts,
  kSharedStoreInstructions,
  kSharedStoreRequests,
  kGlobalAtomicRequests,
  kGlobalAtomicSectors,
  kGlobalReductionRequests,
  kGlobalReductionSectors,
  kSharedAtomicWavefronts,
  kLocalLoadRequests,
  kLocalLoadSectors,
  kLocalStoreRequests,
  kLocalStoreSectors,
  kAsyncCopyRequests,
  kAsyncCopySectors,
  kTextureRequests,
  kBarriers,
  kLaneExchanges,
  kBranches,
  kDivergentBranches,
  kWarpInstructions,
  kThreadInstructions,
  kActiveLanes,
  kCount,
};

// A key that Nsight Compute uses is the same quantity as on the card (h200 counters in
// expected/h200/README.md state how each was verified). Keys starting with `ptx_` are ours: they count PTX,
// which a card never executes.
struct CounterInfo {
  Counter counter;
  std::string_view key;
  std::string_view unit;
  std::string_view meaning;
};

inline constexpr std::array<CounterInfo, static_cast<std::size_t>(Counter::kCount)> kCounters{{
    {Counter::kGlobalLoadRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",
     "warp-wide global loads with at least one active lane"},
    {Counter::kGlobalLoadSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",
     "32-byte sectors that those loads touched"},
    {Counter::kGlobalLoadBytesPercent, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "%",
     "share of the loaded sectors' bytes that some lane asked for"},
    {Counter::kGlobalStoreRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request",
     "warp-wide global stores with at least one active lane"},
    {Counter::kGlobalStoreSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",
     "32-byte sectors that those stores touched"},
    {Counter::kGlobalStoreBytesPercent, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "%",
     "share of the stored sectors' bytes that some lane wrote"},
    {Counter::kSharedLoadWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",
     "passes through the shared-memory banks that the loads took"},
    {Counter::kSharedLoadConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",
     "wavefronts of the loads beyond the fewest possible"},
    {Counter::kSharedLoadInstructions, "ptx_shared_load_instructions", "instruction",
     "warp-wide shared loads after merging neighbours as ptxas does"},
    {Counter::kSharedLoadRequests, "ptx_shared_load_requests", "request",
     "warp-wide shared loads in PTX, before ptxas merges neighbours"},
    {Counter::kSharedStoreWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",
     "passes through the shared-memory banks that the stores took"},
    {Counter::kSharedStoreConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",
     "wavefronts of the stores beyond the fewest possible"},
    {Counter::kSharedStoreInstructions, "ptx_shared_store_instructions", "instruction",
     "warp-wide shared stores as the card executes them"},
    {Counter::kSharedStoreRequests, "ptx_shared_store_requests", "request", "warp-wide shared stores in PTX"},
    {Counter::kGlobalAtomicRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",
     "warp-wide atomics in global memory whose old value is used"},
    {Counter::kGlobalAtomicSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",
     "32-byte sectors that those atomics touched"},
    {Counter::kGlobalReductionRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",
     "warp-wide atomics in global memory whose old value nobody uses"},
    {Counter::kGlobalReductionSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector",
     "32-byte sectors that those reductions touched"},
    {Counter::kSharedAtomicWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront",
     "passes through the shared-memory banks that atomics took"},
    {Counter::kLocalLoadRequests, "ptx_local_load_requests", "request",
     "warp-wide loads from local memory in PTX"},
    {Counter::kLocalLoadSectors, "ptx_local_load_sectors", "sector",
     "32-byte sectors that those loads touched"},
    {Counter::kLocalStoreRequests, "ptx_local_store_requests", "request",
     "warp-wide stores to local memory in PTX"},
    {Counter::kLocalStoreSectors, "ptx_local_store_sectors", "sector",
     "32-byte sectors that those stores touched"},
    {Counter::kAsyncCopyRequests, "ptx_async_copy_requests", "request",
     "warp-wide copies from global to shared memory (cp.async)"},
    {Counter::kAsyncCopySectors, "ptx_async_copy_sectors", "sector",
     "32-byte sectors of global memory that those copies read"},
    {Counter::kTextureRequests, "ptx_texture_requests", "request",
     "warp-wide reads of textures, reads and writes of surfaces"},
    {Counter::kBarriers, "ptx_barriers", "instruction", "arrivals of warps at barriers of their block"},
    {Counter::kLaneExchanges, "ptx_lane_exchanges", "instruction",
     "shuffles, votes, matches and reductions among the lanes of warps"},
    {Counter::kBranches, "ptx_branches", "instruction", "branches with a condition that warps executed"},
    {Counter::kDivergentBranches, "ptx_divergent_branches", "instruction",
     "those branches at which lanes of the warp went different ways"},
    {Counter::kWarpInstructions, "ptx_warp_instructions", "instruction",
     "PTX instructions that warps executed"},
    {Counter::kThreadInstructions, "ptx_thread_instructions", "instruction",
     "the same, times the lanes on the executed path"},
    {Counter::kActiveLanes, "ptx_active_lanes_per_instruction", "lane",
     "lanes on the executed path, of 32, on average over the executed instructions"},
}};

constexpr const CounterInfo& info(Counter counter) { return kCounters[static_cast<std::size_t>(counter)]; }

// Values of the counters that were measured. One that was not measured is absent, which is not zero.
class Counters {
 public:
  std::optional<double> get(Counter counter) const { return values_[static_cast<std::size_t>(counter)]; }
  double value_or_zero(Counter counter) const { return get(counter).value_or(0); }
  void set(Counter counter, double value) { values_[static_cast<std::size_t>(counter)] = value; }
  friend bool operator==(const Counters&, const Counters&) = default;

 private:
  std::array<std::optional<double>, static_cast<std::size_t>(Counter::kCount)> values_{};
};

// What one launch of a kernel did: plain data that the devices fill and the reports read.

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
struct Recording;  // core/measurement.h

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

// What a launch's warps did one by one, recorded for pictures: the lanes' addresses of requests, and which
// lanes went where. Plain data that the virtual GPU fills and the reports draw.

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

// Several launches of one stage, added up as if they were one.

// Counts add up; shares of bytes are weighted by their sectors; accesses of the same line become one.
// What only one of the two measured stays as that one measured it.
void add_launch(LaunchResult& total, LaunchResult next);

// As if the kernel had done itself what its children did.
LaunchResult with_children(LaunchResult launched);

}  // namespace cudalab
