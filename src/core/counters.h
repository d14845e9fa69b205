// The hardware counters that a launch can report: their names, units and meanings, and a set of their values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cudalab {

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

}  // namespace cudalab
