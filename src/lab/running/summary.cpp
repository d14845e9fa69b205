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

bool is_ceiling(const Run& run) { return run.kind == RunKind::kCeiling || run.kind == RunKind::kLibrary; }

struct Ceiling {
  std::optional<double> gb_s, gflop_s;
};

Ceiling ceiling_of(const std::vector<Run>& runs) {
  Ceiling ceiling;
  for (const Run& run : runs) {
    if (!is_ceiling(run) || run.verdict == Verdict::kFail) continue;
    ceiling.gb_s = larger(ceiling.gb_s, run.gb_s);
    ceiling.gflop_s = larger(ceiling.gflop_s, run.gflop_s);
  }
  return ceiling;
}

std::optional<double> percent_of(const Ceiling& ceiling, const Run& run) {
  if (run.gflop_s && ceiling.gflop_s) return 100 * *run.gflop_s / *ceiling.gflop_s;
  if (run.gb_s && ceiling.gb_s) return 100 * *run.gb_s / *ceiling.gb_s;
  return std::nullopt;
}

// The shortest median of the CPU versions that ran with one thread, or with all.
std::optional<double> fastest_cpu(const Result& result, bool one_thread) {
  std::optional<double> best;
  for (const Run& run : result.runs) {
    if (run.kind != RunKind::kCpu || run.verdict == Verdict::kFail || !run.time_ms) continue;
    if (one_thread ? run.threads == 1 : run.threads == static_cast<int>(result.host_threads))
      best = best ? std::min(*best, run.time_ms->median) : run.time_ms->median;
  }
  return best;
}

std::optional<double> speedup(std::optional<double> cpu_ms, const Run& run) {
  if (!cpu_ms || !run.time_ms || run.time_ms->median <= 0) return std::nullopt;
  return *cpu_ms / run.time_ms->median;
}

Verdict overall(const std::vector<Run>& runs) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(runs.begin(), runs.end(), [=](const Run& run) { return run.verdict == verdict; });
  };
  if (any(Verdict::kFail)) return Verdict::kFail;
  return any(Verdict::kPass) ? Verdict::kPass : Verdict::kNotAssessed;
}

}  // namespace

void summarize(Result& result) {
  for (Run& run : result.runs) {
    run.gb_s = per_second(run.useful_bytes, run.time_ms);
    run.gflop_s = per_second(run.useful_flops, run.time_ms);
  }
  const Ceiling ceiling = ceiling_of(result.runs);
  const auto one_thread = fastest_cpu(result, true), all_threads = fastest_cpu(result, false);
  for (Run& run : result.runs) {
    if (run.kind == RunKind::kCpu) continue;
    run.percent_of_ceiling = percent_of(ceiling, run);
    run.speedup_1_thread = speedup(one_thread, run);
    run.speedup_all_threads = speedup(all_threads, run);
  }
  result.verdict = overall(result.runs);
}

}  // namespace cudalab::lab
