// The result of one kernel launch as plain data: counters, hazards, recorded warps. Also combines the results
// of several launches.
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

// The hardware counters that a launch can report: their names, units and meanings, and a set of values.

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

// A key with Nsight Compute's name is the same quantity as on a GPU (expected/h200/README.md states how each
// was verified). Keys that start with `ptx_` are ours: they count PTX instructions, which a GPU never
// executes.
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
     "wavefronts of shared loads"},
    {Counter::kSharedLoadConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",
     "wavefronts of shared loads beyond the minimum"},
    {Counter::kSharedLoadInstructions, "ptx_shared_load_instructions", "instruction",
     "warp-wide shared loads after merging neighbours as ptxas does"},
    {Counter::kSharedLoadRequests, "ptx_shared_load_requests", "request",
     "warp-wide shared loads in PTX, before ptxas merges neighbours"},
    {Counter::kSharedStoreWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",
     "wavefronts of shared stores"},
    {Counter::kSharedStoreConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",
     "wavefronts of shared stores beyond the minimum"},
    {Counter::kSharedStoreInstructions, "ptx_shared_store_instructions", "instruction",
     "warp-wide shared stores as a GPU executes them"},
    {Counter::kSharedStoreRequests, "ptx_shared_store_requests", "request", "warp-wide shared stores in PTX"},
    {Counter::kGlobalAtomicRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",
     "warp-wide atomics in global memory whose old value is used"},
    {Counter::kGlobalAtomicSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",
     "32-byte sectors that those atomics touched"},
    {Counter::kGlobalReductionRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",
     "warp-wide atomics in global memory whose old value is unused"},
    {Counter::kGlobalReductionSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector",
     "32-byte sectors that those reductions touched"},
    {Counter::kSharedAtomicWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront",
     "wavefronts of shared atomics"},
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

// The values of the measured counters. A counter that was not measured is absent; absent does not mean zero.
class Counters {
 public:
  std::optional<double> get(Counter counter) const { return values_[static_cast<std::size_t>(counter)]; }
  double value_or_zero(Counter counter) const { return get(counter).value_or(0); }
  void set(Counter counter, double value) { values_[static_cast<std::size_t>(counter)] = value; }
  friend bool operator==(const Counters&, const Counters&) = default;

 private:
  std::array<std::optional<double>, static_cast<std::size_t>(Counter::kCount)> values_{};
};

// The result of one kernel launch: plain data that devices fill and reports read.

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

// The two parties of a race, if known. If a race has several pairs, the report shows the last one in this
// list.
enum class RacePair {
  kNone,
  kLanes,    // of one warp
  kThreads,  // of one block
  kBlocks,
  kWriters,  // on one line: an index collision or a non-atomic update
};

// An error that a correct kernel never makes.
struct Hazard {
  HazardKind kind{};
  std::string kernel;
  SourceLine where;
  std::optional<SourceLine> other;        // the second access of a race
  std::optional<SourceLine> called_from;  // if `where` is in a called function: the line of the call
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::optional<std::uint64_t> address;
  std::string buffer;      // the buffer or variable concerned; empty if there is none
  Message what;            // a complete sentence part: "reads `in[1024]`, one past its last element"
  Message fix;             // advice
  std::string cuda_error;  // the error that a GPU reports, such as "CUDA_ERROR_ILLEGAL_ADDRESS"; empty if it
                           // reports none
  std::uint64_t occurrences = 1;
  RacePair pair = RacePair::kNone;  // for races
  // For races: one of the two accesses is an ordinary load. Compilers may execute such a load in more lanes
  // than the source does.
  bool is_with_plain_load = false;
};

enum class MemorySpace { kGlobal, kShared, kLocal, kConstant, kTexture };
enum class AccessKind { kLoad, kStore, kAtomic, kReduction };

// The memory accesses of one source line, summed over all executions. For global and local memory,
// `transactions` counts 32-byte sectors; for shared memory, it counts wavefronts.
struct LineAccess {
  SourceLine where;
  MemorySpace space{};
  AccessKind kind{};
  int bytes_per_lane = 0;
  std::uint64_t requests = 0;
  std::uint64_t transactions = 0;
  std::uint64_t fewest_transactions = 0;  // the minimum for the same lanes and widths in an ideal arrangement
  std::uint64_t distinct_bytes = 0;
  std::uint64_t lanes = 0;  // active lanes, summed over the requests
  // The most frequent distance in bytes between the addresses of adjacent lanes, over all requests. In a
  // block narrower than a warp, it is the distance within a row of threads.
  std::optional<std::int64_t> lane_stride_bytes;
};

// Whether the threads of a warp always access the same address.
inline bool is_of_one_address(const LineAccess& access) {
  return access.distinct_bytes > 0 &&
         access.distinct_bytes <= access.requests * static_cast<std::uint64_t>(access.bytes_per_lane);
}

// Execution counts of one source line. Average number of active lanes: thread_instructions /
// warp_instructions.
struct LineExecution {
  SourceLine where;
  std::uint64_t warp_instructions = 0, thread_instructions = 0;  // PTX instructions
  std::uint64_t branches = 0, divergent_branches = 0;            // conditional branches
  std::uint64_t barriers = 0;                                    // block barriers, counted once per warp
};

struct ChildLaunch;
struct Recording;  // defined below

struct LaunchResult {
  std::optional<double> simulation_ms;  // running time of the virtual GPU itself, not of a GPU
  std::optional<Counters> counters;
  std::optional<Prediction> prediction;   // predicted time on a GPU
  std::vector<LineAccess> accesses;       // if there are counters; in source order
  std::vector<LineExecution> executions;  // if there are counters; in source order
  std::vector<Hazard> hazards;
  bool completed = true;  // false: the kernel was stopped by the last hazard
  std::string printed;    // what the kernel printed
  // Kernels that this kernel launched, directly or indirectly (virtual GPU only). The counters above exclude
  // them.
  std::vector<ChildLaunch> children;
  std::shared_ptr<const Recording> recording;  // null if no recording was requested
};

// All launches of one kernel by other kernels. The launch by the host holds the hazards and the printed text.
struct ChildLaunch {
  std::string kernel;
  LaunchSpec spec;  // of the first launch
  std::uint64_t launches = 0;
  LaunchResult result;
};

// A recording of individual warps for pictures: the lanes' addresses of each request, and the lanes on each
// path. Plain data that the virtual GPU fills and the reports draw.

inline constexpr std::size_t kRecordedLanes = 32;  // lanes per warp

// One execution of a memory instruction by a warp.
struct WarpRequest {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;   // index in the block
  std::uint32_t lanes = 0;  // a bit per participating lane
  // The address of each participating lane's first byte. For shared memory it is relative to the block's
  // first byte, for local memory to the thread's.
  std::array<std::uint64_t, kRecordedLanes> address{};
  int bytes_per_lane = 0;
  std::uint32_t transactions = 0, fewest = 0;  // sectors or wavefronts, as in LineAccess
  bool has(std::size_t lane) const { return lanes >> lane & 1; }
};

// Requests of the instructions that one LineAccess counts.
struct LineRequests {
  SourceLine where;
  MemorySpace space{};
  AccessKind kind{};
  std::vector<WarpRequest> first;    // in the order of blocks; at most kRecordedRequests
  std::optional<WarpRequest> worst;  // the request with the most transactions
};
inline constexpr std::size_t kRecordedRequests = 64;

// A step in which the same lanes of a warp execute together, beginning at a source line.
struct PathStep {
  std::uint64_t begin = 0, end = 0;  // the warp's instruction counts at both ends
  std::uint32_t lanes = 0;
  std::uint32_t alive = 0;  // lanes that have not ended; those not in `lanes` are waiting
  SourceLine where;
};

// The path of one warp through the kernel; at most the first steps of it.
struct WarpPaths {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;  // lanes that the warp has
  std::vector<PathStep> steps;
};
inline constexpr std::size_t kRecordedSteps = 512;

// Instructions in which lanes exchange values.
enum class ExchangeKind : std::uint8_t { kShuffle, kVote, kMatch, kReduction };
inline constexpr std::size_t kExchangeKinds = 4;

// One execution of such an instruction by a warp.
struct LaneExchange {
  std::uint32_t lanes = 0;  // participating lanes
  // Per participating lane: for a shuffle, the lane whose value it receives (itself, if that lane provides
  // none). For a vote, 1 if it votes yes. For a match, the first lane with the same value. For a reduction,
  // the first lane of its group.
  std::array<std::uint8_t, kRecordedLanes> from{};
  ExchangeKind kind = ExchangeKind::kShuffle;
  friend bool operator==(const LaneExchange&, const LaneExchange&) = default;
};

// The exchanges of a source line by the first warp that reached it, in the order of execution.
struct LineExchanges {
  SourceLine where;
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::vector<LaneExchange> first;  // at most kRecordedExchanges
};
inline constexpr std::size_t kRecordedExchanges = 32;

// How often the threads of a launch accessed each element of a buffer or shared variable. Shared variables
// are summed over the blocks. Reductions count as updates, as atomics do.
struct BufferUse {
  std::string name;
  MemorySpace space{};                                // kGlobal or kShared
  std::uint32_t element_bytes = 0;                    // the narrowest access
  std::vector<std::uint32_t> loads, stores, updates;  // per element
  struct Line {
    SourceLine where;
    AccessKind kind{};
    std::uint64_t accesses = 0;  // by threads
  };
  std::vector<Line> lines;  // that accessed it, in source order
};

// What the fetches of a source line read from one texture. Coordinates are as the kernel passes them.
struct TextureUse {
  SourceLine where;
  std::string texture;                          // the name of its memory
  int dimensions = 1;                           // of the texture
  std::array<std::uint64_t, 3> extent{};        // in texels
  bool is_normalized = false;                   // coordinates from 0 to 1
  bool is_interpolated = false;                 // cudaFilterModeLinear
  std::array<double, 3> least = {}, most = {};  // coordinates of all fetches
  std::uint64_t fetches = 0;                    // by threads
};

struct Recording {
  std::vector<LineRequests> lines;            // in source order
  std::vector<WarpPaths> warps;               // of the first block
  std::vector<LineExchanges> exchanges = {};  // of the first block, in source order
  std::vector<BufferUse> uses = {};           // if they were requested; by address, shared variables last
  std::vector<TextureUse> textures = {};      // if the uses were requested; in source order
};

// Combines several launches of one stage as if they were one launch.

// Adds counts, averages percentages of bytes weighted by sectors, and merges accesses of the same line. A
// counter that only one of the two launches measured keeps its value.
void add_launch(LaunchResult& total, LaunchResult next);

// The result as if the kernel itself had done the work of its children.
LaunchResult with_children(LaunchResult launched);

// Multiplies all counts by the factor: from the blocks that ran to all blocks, which are assumed to be like
// them, as the time model assumes. Ratios stay as they are.
void scale_counts(LaunchResult& result, double factor);

}  // namespace cudalab
