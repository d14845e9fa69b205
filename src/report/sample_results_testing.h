// Hand-made results for the tests of the reports, like those of the virtual GPU and of a real GPU.
#pragma once

#include "lab/result.h"

namespace cudalab::report {

inline lab::Row cpu_run(std::string name, int threads, double time_ms) {
  lab::Row row;
  row.name = std::move(name);
  row.kind = lab::RowKind::kCpu;
  row.threads = threads;
  row.useful_bytes = 8388608;
  row.verdict = lab::Verdict::kPass;
  row.check = lab::Check{.bound = Message::verbatim("moves data only"), .compared = 1048576, .digest = "d1"};
  row.time_ms = TimeSummary{time_ms * 1.05, time_ms, time_ms * 1.1, 11};
  row.gb_s = 8388608 / time_ms / 1e6;
  return row;
}

inline lab::Row kernel_run(std::string name, std::string source, Dim3 block) {
  lab::Row row;
  row.name = std::move(name);
  row.kind = lab::RowKind::kKernel;
  row.source = std::move(source);
  row.kernel = "transpose";
  row.useful_bytes = 8388608;
  row.spec = {{32, 32, 1}, block};
  row.verdict = lab::Verdict::kPass;
  row.check = lab::Check{.bound = Message::verbatim("moves data only"), .compared = 1048576, .digest = "d1"};
  return row;
}

// A line's accesses: kRequests requests with `each` transactions (sectors or wavefronts) each; `fewest` is
// the minimum.
inline LineAccess access(MemorySpace space, AccessKind kind, std::uint64_t each, std::uint64_t fewest,
                         std::optional<std::int64_t> stride, std::uint64_t bytes_of_sector = 32,
                         int bytes_per_lane = 4, SourceLine where = {"labs/transpose/1_naive.cu", 14}) {
  constexpr std::uint64_t kRequests = 32768;
  LineAccess made;
  made.where = std::move(where);
  made.space = space;
  made.kind = kind;
  made.bytes_per_lane = bytes_per_lane;
  made.requests = kRequests;
  made.transactions = each * kRequests;
  made.fewest_transactions = fewest * kRequests;
  made.distinct_bytes = bytes_of_sector * made.transactions;
  made.lanes = 32 * kRequests;
  made.lane_stride_bytes = stride;
  return made;
}

inline Counters transpose_counters(double store_sectors, double load_conflicts) {
  Counters counters;
  constexpr double kRequests = 32768;
  counters.set(Counter::kGlobalLoadRequests, kRequests);
  counters.set(Counter::kGlobalLoadSectors, 4 * kRequests);
  counters.set(Counter::kGlobalStoreRequests, kRequests);
  counters.set(Counter::kGlobalStoreSectors, store_sectors * kRequests);
  counters.set(Counter::kSharedLoadRequests, load_conflicts < 0 ? 0 : kRequests);
  counters.set(Counter::kSharedLoadConflicts, load_conflicts < 0 ? 0 : load_conflicts * kRequests);
  counters.set(Counter::kSharedStoreRequests, load_conflicts < 0 ? 0 : kRequests);
  counters.set(Counter::kSharedStoreConflicts, 0);
  return counters;
}

// The transpose of 1024 x 1024 floats on the virtual GPU: two CPU versions, naive and tiled.
inline lab::Result virtual_transpose() {
  lab::Result result;
  result.lab = "transpose";
  result.options = {{"rows", std::int64_t{1024}},
                    {"cols", std::int64_t{1024}},
                    {"tile", std::int64_t{32}},
                    {"type", std::string("f32")},
                    {"seed", std::int64_t{1}}};
  result.sizes = {"rows", "cols"};
  result.device_kind = "virtual";
  result.device_name = "NVIDIA H200";
  result.compute_capability = "9.0";
  result.host_cpu = "some CPU";
  result.host_threads = 2;
  lab::Row naive = kernel_run("naive", "labs/transpose/1_naive.cu", {32, 32, 1});
  naive.simulation_ms = 41;
  naive.counters = transpose_counters(32, -1);
  naive.accesses = {access(MemorySpace::kGlobal, AccessKind::kLoad, 4, 4, 4),
                    access(MemorySpace::kGlobal, AccessKind::kStore, 32, 4, 4096, 4)};
  lab::Row tiled = kernel_run("tiled", "labs/transpose/2_tiled.cu", {32, 32, 1});
  tiled.simulation_ms = 55;
  tiled.counters = transpose_counters(4, 31);
  tiled.accesses = {
      access(MemorySpace::kGlobal, AccessKind::kLoad, 4, 4, 4),
      access(MemorySpace::kGlobal, AccessKind::kStore, 4, 4, 4),
      access(MemorySpace::kShared, AccessKind::kStore, 1, 1, 4),
      access(MemorySpace::kShared, AccessKind::kLoad, 32, 1, 128, 0, 4, {"labs/transpose/2_tiled.cu", 20})};
  result.rows = {cpu_run("cpu-1-thread", 1, 4), cpu_run("cpu-all-threads", 2, 2), naive, tiled};
  result.verdict = lab::Verdict::kPass;
  result.evidence = "virtual";
  return result;
}

// The same on a real GPU: times, and no counters.
inline lab::Result gpu_transpose() {
  lab::Result result = virtual_transpose();
  result.device_kind = "gpu";
  result.device_name = "NVIDIA H200";
  result.driver = "580.65";
  result.evidence = "gpu";
  double time_ms = 0.97;
  for (lab::Row& row : result.rows) {
    if (row.kind == lab::RowKind::kCpu) continue;
    row.simulation_ms.reset();
    row.counters.reset();
    row.accesses.clear();
    row.time_ms = TimeSummary{time_ms, time_ms * 0.99, time_ms * 1.01, 12};
    row.transfer_ms = TimeSummary{10, 9, 11, 3};
    row.gb_s = 537 / time_ms;
    row.percent_of_ceiling = 100 * *row.gb_s / 4215;
    row.speedup_1_thread = 4 / time_ms;
    row.speedup_all_threads = 2 / time_ms;
    time_ms /= 2;
  }
  return result;
}

}  // namespace cudalab::report
