// Counter names and meanings, and the combination of several launches into one result.
#include "core/measurement.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cudalab {
namespace {

// A counter that is a percentage or an average, and the counter that weights it.
struct Share {
  Counter percent, weight;
};
constexpr Share kShares[] = {{Counter::kGlobalLoadBytesPercent, Counter::kGlobalLoadSectors},
                             {Counter::kGlobalStoreBytesPercent, Counter::kGlobalStoreSectors},
                             {Counter::kActiveLanes, Counter::kWarpInstructions}};

const Share* share_of(Counter counter) {
  for (const Share& share : kShares)
    if (share.percent == counter) return &share;
  return nullptr;
}

double weighted_mean(double a, double weight_a, double b, double weight_b) {
  const double weight = weight_a + weight_b;
  return weight > 0 ? (a * weight_a + b * weight_b) / weight : 0;
}

Counters sum(const Counters& a, const Counters& b) {
  Counters both;
  for (const CounterInfo& row : kCounters) {
    const auto x = a.get(row.counter), y = b.get(row.counter);
    if (!x && !y) continue;
    const Share* share = share_of(row.counter);
    both.set(row.counter, share ? weighted_mean(x.value_or(0), a.value_or_zero(share->weight), y.value_or(0),
                                                b.value_or_zero(share->weight))
                                : x.value_or(0) + y.value_or(0));
  }
  return both;
}

void scale(std::uint64_t& count, double factor) {
  count = static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * factor));
}

bool same_instruction(const LineAccess& a, const LineAccess& b) {
  return a.where == b.where && a.space == b.space && a.kind == b.kind && a.bytes_per_lane == b.bytes_per_lane;
}

void add_access(std::vector<LineAccess>& all, const LineAccess& next) {
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return same_instruction(one, next); });
  if (known == all.end()) {
    all.push_back(next);
    return;
  }
  known->requests += next.requests;
  known->transactions += next.transactions;
  known->fewest_transactions += next.fewest_transactions;
  known->distinct_bytes += next.distinct_bytes;
  known->lanes += next.lanes;
  if (known->lane_stride_bytes != next.lane_stride_bytes) known->lane_stride_bytes.reset();
}

void add_execution(std::vector<LineExecution>& all, const LineExecution& next) {
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.where == next.where; });
  if (known == all.end()) {
    all.push_back(next);
    return;
  }
  known->warp_instructions += next.warp_instructions;
  known->thread_instructions += next.thread_instructions;
  known->branches += next.branches;
  known->divergent_branches += next.divergent_branches;
  known->barriers += next.barriers;
}

// Appends hazards in the order of launches, but moves the hazard that ended a launch to the front.
void add_hazards(std::vector<Hazard>& all, std::vector<Hazard> next) {
  std::move(next.begin(), next.end(), std::back_inserter(all));
  std::ranges::stable_partition(all,
                                [](const Hazard& hazard) { return hazard.kind == HazardKind::kStepLimit; });
}

// ---- predicted times ---------------------------------------------------------------------------------

// Adds a resource's time in another launch to its time so far.
void add_limit(Prediction& total, const Limit& next, double next_ms) {
  const auto known = std::ranges::find(total.limits, next.resource, &Limit::resource);
  if (known == total.limits.end()) {
    total.limits.push_back(next);
    total.limits.back().share *= next_ms;
  } else {
    known->share += next.share * next_ms;
    known->amount += next.amount;
  }
}

double ms_without(const Prediction& prediction, Fault fault) {
  const auto known = std::ranges::find(prediction.without, fault, &TimeWithout::fault);
  return known == prediction.without.end() ? prediction.ms : known->ms;
}

// If a launch does not have the fault, its whole time counts.
std::vector<TimeWithout> in_sequence_without(const Prediction& first, const Prediction& next) {
  std::vector<TimeWithout> both;
  for (const Prediction* one : {&first, &next})
    for (const TimeWithout& time : one->without)
      if (std::ranges::find(both, time.fault, &TimeWithout::fault) == both.end())
        both.push_back({time.fault, ms_without(first, time.fault) + ms_without(next, time.fault)});
  std::ranges::stable_sort(both, {}, &TimeWithout::ms);
  return both;
}

// Adds the predictions of two launches that run one after the other. The occupancy is that of the longer
// launch.
Prediction in_sequence(Prediction first, const Prediction& next) {
  first.without = in_sequence_without(first, next);
  if (next.ms > first.ms) first.occupancy = next.occupancy;
  for (Limit& limit : first.limits) limit.share *= first.ms;
  for (const Limit& limit : next.limits) add_limit(first, limit, next.ms);
  first.ms += next.ms;
  for (Limit& limit : first.limits) limit.share /= first.ms;
  std::ranges::stable_sort(first.limits, std::ranges::greater{}, &Limit::share);
  return first;
}

// Without a prediction for one of the launches, the total has none.
std::optional<Prediction> in_sequence(const LaunchResult& total, const LaunchResult& next) {
  const bool is_first = !total.simulation_ms && !total.counters;
  if (is_first) return next.prediction;
  if (!total.prediction || !next.prediction) return std::nullopt;
  return in_sequence(*total.prediction, *next.prediction);
}

}  // namespace

void add_launch(LaunchResult& total, LaunchResult next) {
  total.prediction = in_sequence(total, next);
  if (next.simulation_ms) total.simulation_ms = total.simulation_ms.value_or(0) + *next.simulation_ms;
  if (next.counters) total.counters = total.counters ? sum(*total.counters, *next.counters) : next.counters;
  for (const LineAccess& access : next.accesses) add_access(total.accesses, access);
  for (const LineExecution& line : next.executions) add_execution(total.executions, line);
  add_hazards(total.hazards, std::move(next.hazards));
  total.completed = total.completed && next.completed;
  total.printed += next.printed;
  if (!total.recording) total.recording = std::move(next.recording);
}

void scale_counts(LaunchResult& result, double factor) {
  if (result.counters)
    for (const CounterInfo& counter : kCounters)
      if (const auto value = result.counters->get(counter.counter); value && !share_of(counter.counter))
        result.counters->set(counter.counter, std::round(*value * factor));
  for (LineAccess& line : result.accesses)
    for (std::uint64_t LineAccess::*count :
         {&LineAccess::requests, &LineAccess::transactions, &LineAccess::fewest_transactions,
          &LineAccess::distinct_bytes, &LineAccess::lanes})
      scale(line.*count, factor);
  for (LineExecution& line : result.executions)
    for (std::uint64_t LineExecution::*count :
         {&LineExecution::warp_instructions, &LineExecution::thread_instructions, &LineExecution::branches,
          &LineExecution::divergent_branches, &LineExecution::barriers})
      scale(line.*count, factor);
}

LaunchResult with_children(LaunchResult launched) {
  for (ChildLaunch& child : std::exchange(launched.children, {}))
    add_launch(launched, std::move(child.result));
  return launched;
}

}  // namespace cudalab
