// What follows from the runs of a lab together: rates, shares of the ceiling, speed-ups and the overall
// verdict.
#include "lab/running/summary.h"

#include <algorithm>

namespace cudalab::lab {
namespace {

std::optional<double> larger(std::optional<double> a, std::optional<double> b) { return std::max(a, b); }

std::optional<double> per_second(double work, const std::optional<TimeSummary>& time_ms) {
  if (!time_ms || time_ms->median <= 0 || work <= 0) return std::nullopt;
  return work / (time_ms->median * 1e-3) / 1e9;
}

bool is_ceiling(const Row& row) { return row.kind == RowKind::kCeiling || row.kind == RowKind::kLibrary; }

struct Ceiling {
  std::optional<double> gb_s, gflop_s;
};

Ceiling ceiling_of(const std::vector<Row>& rows) {
  Ceiling ceiling;
  for (const Row& row : rows) {
    if (!is_ceiling(row) || row.verdict == Verdict::kFail) continue;
    ceiling.gb_s = larger(ceiling.gb_s, row.gb_s);
    ceiling.gflop_s = larger(ceiling.gflop_s, row.gflop_s);
  }
  return ceiling;
}

std::optional<double> percent_of(const Ceiling& ceiling, const Row& row) {
  if (row.gflop_s && ceiling.gflop_s) return 100 * *row.gflop_s / *ceiling.gflop_s;
  if (row.gb_s && ceiling.gb_s) return 100 * *row.gb_s / *ceiling.gb_s;
  return std::nullopt;
}

// The shortest median of the CPU versions that ran with one thread, or with all.
std::optional<double> fastest_cpu(const Result& result, bool one_thread) {
  std::optional<double> best;
  for (const Row& row : result.rows) {
    if (row.kind != RowKind::kCpu || row.verdict == Verdict::kFail || !row.time_ms) continue;
    if (one_thread ? row.threads == 1 : row.threads == static_cast<int>(result.host_threads))
      best = best ? std::min(*best, row.time_ms->median) : row.time_ms->median;
  }
  return best;
}

std::optional<double> speedup(std::optional<double> cpu_ms, const Row& row) {
  if (!cpu_ms || !row.time_ms || row.time_ms->median <= 0) return std::nullopt;
  return *cpu_ms / row.time_ms->median;
}

Verdict overall(const std::vector<Row>& rows) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(rows.begin(), rows.end(), [=](const Row& row) { return row.verdict == verdict; });
  };
  if (any(Verdict::kFail)) return Verdict::kFail;
  return any(Verdict::kPass) ? Verdict::kPass : Verdict::kNotAssessed;
}

}  // namespace

void summarize(Result& result) {
  for (Row& row : result.rows) {
    row.gb_s = per_second(row.useful_bytes, row.time_ms);
    row.gflop_s = per_second(row.useful_flops, row.time_ms);
  }
  const Ceiling ceiling = ceiling_of(result.rows);
  const auto one_thread = fastest_cpu(result, true), all_threads = fastest_cpu(result, false);
  for (Row& row : result.rows) {
    if (row.kind == RowKind::kCpu) continue;
    row.percent_of_ceiling = percent_of(ceiling, row);
    row.speedup_1_thread = speedup(one_thread, row);
    row.speedup_all_threads = speedup(all_threads, row);
  }
  result.verdict = overall(result.rows);
}

}  // namespace cudalab::lab
