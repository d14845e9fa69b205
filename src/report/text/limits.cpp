// Knows the names of the resources, and what can be done about each.
#include "report/text/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/text/names.h"
#include "report/text/units.h"
#include "vgpu/card.h"

namespace cudalab::report {
namespace {

constexpr std::string_view kLaunch = "launch";
constexpr double kWorthSaying = 0.95;  // of what is asked for: a part that is hardly smaller is no advice

struct ResourceName {
  std::string_view resource;
  std::string (*name)(const Wording&);
};
constexpr std::array kResources{
    ResourceName{"dram", [](const Wording& wording) { return wording.say<"the card's memory">(); }},
    ResourceName{"l2", [](const Wording& wording) { return wording.say<"the L2 cache">(); }},
    ResourceName{"l1", [](const Wording& wording) { return wording.say<"the L1 cache">(); }},
    ResourceName{"shared", [](const Wording& wording) { return wording.say<"shared memory">(); }},
    ResourceName{"issue", [](const Wording& wording) { return wording.say<"issuing instructions">(); }},
    ResourceName{"fp32",
                 [](const Wording& wording) { return wording.say<"32-bit floating-point arithmetic">(); }},
    ResourceName{"fp64",
                 [](const Wording& wording) { return wording.say<"64-bit floating-point arithmetic">(); }},
    ResourceName{
        "sfu",
        [](const Wording& wording) { return wording.say<"computing roots and other special functions">(); }},
    ResourceName{"int", [](const Wording& wording) { return wording.say<"integer arithmetic">(); }},
    ResourceName{"tensor",
                 [](const Wording& wording) { return wording.say<"multiplying small matrices">(); }},
    ResourceName{"atomics", [](const Wording& wording) { return wording.say<"serving atomics">(); }},
    ResourceName{"constant", [](const Wording& wording) { return wording.say<"constant memory">(); }},
    ResourceName{"latency", [](const Wording& wording) { return wording.say<"waiting for results">(); }},
    ResourceName{"waiting", [](const Wording& wording) { return wording.say<"waiting for other blocks">(); }},
    ResourceName{"launch", [](const Wording& wording) { return wording.say<"starting the kernel">(); }},
    ResourceName{"link",
                 [](const Wording& wording) { return wording.say<"the way between host and card">(); }},
};

// ---- causes ------------------------------------------------------------------------------------------

// Why a resource takes so long, and the part of it that would do.
struct Cause {
  std::string what, remedy;
  double part = 0;
};

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::optional<Cause> conflicts(const lab::Row& row, const Wording& wording) {
  if (!row.counters) return std::nullopt;
  const Counters& counters = *row.counters;
  const double wavefronts = counters.value_or_zero(Counter::kSharedLoadWavefronts) +
                            counters.value_or_zero(Counter::kSharedStoreWavefronts);
  const double lost = counters.value_or_zero(Counter::kSharedLoadConflicts) +
                      counters.value_or_zero(Counter::kSharedStoreConflicts);
  const double requests = counters.value_or_zero(Counter::kSharedLoadRequests) +
                          counters.value_or_zero(Counter::kSharedStoreRequests);
  const double part = 1 - ratio(lost, wavefronts);
  if (requests == 0 || part > kWorthSaying) return std::nullopt;
  return Cause{
      wording.count<"{} wavefront a request", "{} wavefronts a request">(significant(wavefronts / requests)),
      wording.say<"without conflicts">(), part};
}

std::optional<Cause> wasted_sectors(const lab::Row& row, const Wording& wording) {
  double sectors = 0, fewest = 0, requests = 0;
  for (const LineAccess& access : row.accesses) {
    if (access.space != MemorySpace::kGlobal) continue;
    sectors += static_cast<double>(access.transactions);
    fewest += static_cast<double>(access.fewest_transactions);
    requests += static_cast<double>(access.requests);
  }
  const double part = ratio(fewest, sectors);
  if (requests == 0 || part > kWorthSaying) return std::nullopt;
  return Cause{
      wording.count<"{} sector a request where {} would do", "{} sectors a request where {} would do">(
          significant(sectors / requests), significant(fewest / requests)),
      wording.say<"with the fewest">(), part};
}

std::string limited_by(OccupancyLimit limit, const Wording& wording) {
  switch (limit) {
    case OccupancyLimit::kShared: return wording.say<"shared memory limits">();
    case OccupancyLimit::kGrid: return wording.say<"the grid limits">();
    case OccupancyLimit::kRegisters: return wording.say<"registers limit">();
    case OccupancyLimit::kThreads: return wording.say<"threads limit">();
    case OccupancyLimit::kBlocks: break;
  }
  return wording.say<"blocks limit">();
}

// What a multiprocessor has on average where the grid does not fill it.
double resident_warps(const Occupancy& occupancy) { return occupancy.warps * std::min(1.0, occupancy.waves); }

// Where a multiprocessor has all the warps that it can hold, nobody can give it more of them. What waits too
// often is then each wave of blocks, which begins anew.
std::optional<Cause> few_warps(const lab::Row& row, const Wording& wording) {
  const Occupancy& occupancy = row.prediction->occupancy;
  constexpr double kManyWaves = 4;
  if (occupancy.warps >= occupancy.most_warps && occupancy.waves >= kManyWaves)
    return Cause{
        wording.say<"a multiprocessor has all {} warps that it holds, but each of {} waves of blocks "
                    "waits anew">(occupancy.most_warps, significant(occupancy.waves)),
        wording.say<"with no wait at all">(), 0};
  if (occupancy.warps >= occupancy.most_warps && occupancy.waves >= 1)
    return Cause{wording.say<"all {} warps that a multiprocessor holds wait in turn">(occupancy.most_warps),
                 wording.say<"with no wait at all">(), 0};
  return Cause{wording.say<"{} of {} warps a multiprocessor wait in turn, which {}">(
                   significant(resident_warps(occupancy)), occupancy.most_warps,
                   limited_by(occupancy.limited_by, wording)),
               wording.say<"with no wait at all">(), 0};
}

std::optional<Cause> hand_overs(const lab::Row& row, const Wording& wording) {
  const double amount = row.prediction->limits.front().amount;
  return Cause{wording.count<"{} hand-over from block to block",
                             "{} hand-overs from block to block, one after the other">(significant(amount)),
               wording.say<"if none had to wait">(), 0};
}

std::optional<Cause> cause_of(const std::string& resource, const lab::Row& row, const Wording& wording) {
  if (resource == "shared") return conflicts(row, wording);
  if (resource == "l1" || resource == "l2") return wasted_sectors(row, wording);
  if (resource == "latency") return few_warps(row, wording);
  if (resource == "waiting") return hand_overs(row, wording);
  return std::nullopt;
}

// What idles: " (the grid fills 12 % of the card)".
std::string idle_part(const Occupancy& occupancy, const Wording& wording) {
  if (occupancy.waves <= 0 || occupancy.waves >= 1) return "";
  return wording.say<" (the grid fills {} of the card)">(percent(100 * occupancy.waves));
}

}  // namespace

std::string name_of_resource(const std::string& resource, const Wording& wording) {
  const auto found = std::ranges::find(kResources, resource, &ResourceName::resource);
  return found == kResources.end() ? resource : found->name(wording);
}

std::string predicted(double milliseconds) { return "~" + duration(milliseconds); }

// Before a launch begins nothing else does; its blocks start while others run.
double predicted_ms_with(const Prediction& prediction, const std::string& resource, double part) {
  const vgpu::Card* card = vgpu::find_card(prediction.card);
  double scarcest = 0, launch = 0;
  for (const Limit& limit : prediction.limits) {
    double ms = limit.share * prediction.ms * (limit.resource == resource ? part : 1);
    if (limit.resource == kLaunch) {
      launch = card ? std::min(ms, card->launch_us * 1e-3) : ms;
      ms -= launch;
    }
    scarcest = std::max(scarcest, ms);
  }
  return std::min(prediction.ms, scarcest + launch);
}

std::optional<std::string> explain_limits(const lab::Row& row, const Wording& wording) {
  if (!row.prediction || row.prediction->limits.size() < 2) return std::nullopt;  // nothing else would remain
  const Prediction& prediction = *row.prediction;
  const Limit& first = prediction.limits.front();
  const Cause cause =
      cause_of(first.resource, row, wording).value_or(Cause{"", wording.say<"without it">(), 0});
  return wording.say<"{} takes {} of {}{}{}; {} {}">(
      name_of_resource(first.resource, wording), percent(100 * first.share), predicted(prediction.ms),
      idle_part(prediction.occupancy, wording), cause.what.empty() ? "" : ": " + cause.what, cause.remedy,
      predicted(predicted_ms_with(prediction, first.resource, cause.part)));
}

}  // namespace cudalab::report
