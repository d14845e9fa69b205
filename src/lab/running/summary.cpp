// Completes a result: the machine, rates, share of the peak, speed-ups, the overall verdict, and counters of
// a real GPU.
#include "lab/running/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/measurement.h"
#include "lab/lab_run.h"
#include "messages/lab.h"

namespace cudalab::lab {

void add_profile(Result& result, std::span<const Counters> kernels) {
  const std::size_t launches =
      std::accumulate(result.rows.begin(), result.rows.end(), std::size_t{0},
                      [](std::size_t sum, const Row& row) { return sum + row.launches; });
  if (launches != kernels.size())
    throw unavailable_error(msg::profile_misses_kernels(kernels.size(), launches));
  for (Row& row : result.rows) {
    if (row.launches == 0) continue;
    LaunchResult total;
    for (const Counters& counters : kernels.first(row.launches)) {
      LaunchResult launch;
      launch.counters = counters;
      add_launch(total, launch);
    }
    kernels = kernels.subspan(row.launches);
    row.counters = total.counters;
    row.is_profiled = true;
  }
}

namespace {

std::optional<double> larger(std::optional<double> a, std::optional<double> b) { return std::max(a, b); }

std::optional<double> per_second(double work, std::optional<double> ms) {
  if (!ms || *ms <= 0 || work <= 0) return std::nullopt;
  return work / (*ms * 1e-3) / 1e9;
}

std::optional<double> predicted_ms(const Row& row) {
  return row.prediction ? std::optional(row.prediction->ms) : std::nullopt;
}

bool is_ceiling(const Row& row) { return row.kind == RowKind::kCeiling || row.kind == RowKind::kLibrary; }

struct Ceiling {
  std::optional<double> gb_s, gflop_s;
};

using RatesOf = Rates (*)(const Row&);
Ceiling ceiling_of(const std::vector<Row>& rows, RatesOf rates_of) {
  Ceiling ceiling;
  for (const Row& row : rows) {
    if (!is_ceiling(row) || row.verdict == Verdict::kFail) continue;
    const Rates rates = rates_of(row);
    ceiling.gb_s = larger(ceiling.gb_s, rates.gb_s);
    ceiling.gflop_s = larger(ceiling.gflop_s, rates.gflop_s);
  }
  return ceiling;
}

std::optional<double> percent_of(const Ceiling& ceiling, const Rates& rates) {
  if (rates.gflop_s && ceiling.gflop_s) return 100 * *rates.gflop_s / *ceiling.gflop_s;
  if (rates.gb_s && ceiling.gb_s) return 100 * *rates.gb_s / *ceiling.gb_s;
  return std::nullopt;
}

// The shortest time of the CPU versions that ran with one thread, or with all. Empty if one of them was
// disturbed, because the fastest one is then unknown.
std::optional<double> fastest_cpu(const Result& result, bool one_thread) {
  std::optional<double> best;
  for (const Row& row : result.rows) {
    if (!is_cpu(row) || row.verdict == Verdict::kFail || !row.time_ms) continue;
    if (row.threads != (one_thread ? 1 : static_cast<int>(result.host_threads))) continue;
    if (is_disturbed(row)) return std::nullopt;
    best = std::min(best.value_or(*measured_ms(row)), *measured_ms(row));
  }
  return best;
}

void note_busy_machine(Result& result) {
  Argument::List stages;
  for (const Row& row : result.rows)
    if (is_disturbed(row)) stages.emplace_back(row.name);
  if (!stages.empty()) result.notes.push_back(msg::note_machine_busy(std::move(stages)));
}

std::optional<double> speedup(std::optional<double> cpu_ms, std::optional<double> ms) {
  if (!cpu_ms || !ms || *ms <= 0) return std::nullopt;
  return *cpu_ms / *ms;
}

Rates measured_rates(const Row& row) {
  return {row.gb_s, row.gflop_s, row.percent_of_ceiling, row.speedup_1_thread, row.speedup_all_threads};
}
Rates predicted_rates(const Row& row) { return row.predicted; }

Verdict overall(const std::vector<Row>& rows) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(rows.begin(), rows.end(), [=](const Row& row) { return row.verdict == verdict; });
  };
  if (any(Verdict::kFail)) return Verdict::kFail;
  return any(Verdict::kPass) ? Verdict::kPass : Verdict::kNotAssessed;
}

}  // namespace

Result result_on(const Machine& machine) {
  const device::DeviceInfo& device = machine.device.info();
  Result result;
  result.device_kind = result.evidence = device.kind;
  result.device_name = device.name;
  result.compute_capability = fmt::format("{}.{}", device.compute_major, device.compute_minor);
  result.driver = device.driver;
  result.card = device.card;
  result.host_cpu = machine.host.cpu;
  result.host_threads = machine.host.threads;
  return result;
}

void summarize(Result& result) {
  for (Row& row : result.rows) {
    row.gb_s = per_second(row.useful_bytes, measured_ms(row));
    row.gflop_s = per_second(row.useful_flops, measured_ms(row));
    row.predicted.gb_s = per_second(row.useful_bytes, predicted_ms(row));
    row.predicted.gflop_s = per_second(row.useful_flops, predicted_ms(row));
  }
  const Ceiling ceiling = ceiling_of(result.rows, measured_rates);
  const Ceiling predicted_ceiling = ceiling_of(result.rows, predicted_rates);
  const auto one_thread = fastest_cpu(result, true), all_threads = fastest_cpu(result, false);
  for (Row& row : result.rows) {
    if (row.kind == RowKind::kCpu) continue;
    row.percent_of_ceiling = percent_of(ceiling, measured_rates(row));
    row.speedup_1_thread = speedup(one_thread, measured_ms(row));
    row.speedup_all_threads = speedup(all_threads, measured_ms(row));
    row.predicted.percent_of_ceiling = percent_of(predicted_ceiling, row.predicted);
    row.predicted.speedup_1_thread = speedup(one_thread, predicted_ms(row));
    row.predicted.speedup_all_threads = speedup(all_threads, predicted_ms(row));
  }
  note_busy_machine(result);
  result.verdict = overall(result.rows);
}

}  // namespace cudalab::lab
