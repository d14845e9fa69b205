// Knows the names of the resources, and what can be done about each.
#include "report/text/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/text/names.h"
#include "report/text/units.h"

namespace cudalab::report {
namespace {

constexpr std::string_view kLaunch = "launch";
constexpr double kWorthSaying = 0.95;  // of what is asked for: a part that is hardly smaller is no advice

struct ResourceName {
  std::string_view resource, name;
};
constexpr std::array kResources{
    ResourceName{"dram", "the card's memory"},
    ResourceName{"l2", "the L2 cache"},
    ResourceName{"l1", "the L1 cache"},
    ResourceName{"shared", "shared memory"},
    ResourceName{"issue", "issuing instructions"},
    ResourceName{"fp32", "32-bit floating-point arithmetic"},
    ResourceName{"fp64", "64-bit floating-point arithmetic"},
    ResourceName{"sfu", "reciprocals, roots and other special functions"},
    ResourceName{"int", "integer arithmetic"},
    ResourceName{"tensor", "products of small matrices"},
    ResourceName{"atomics", "atomics"},
    ResourceName{"constant", "constant memory"},
    ResourceName{"latency", "waiting for results"},
    ResourceName{"launch", "starting the kernel"},
    ResourceName{"link", "the way between host and card"},
};

std::string name_of_resource(const std::string& resource) {
  const auto found = std::ranges::find(kResources, resource, &ResourceName::resource);
  return found == kResources.end() ? resource : std::string(found->name);
}

// ---- causes ------------------------------------------------------------------------------------------

// Why a resource takes so long, and the part of it that would do.
struct Cause {
  std::string what, remedy;
  double part = 0;
};

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::optional<Cause> conflicts(const lab::Row& row) {
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
  return Cause{fmt::format("{} wavefronts a request", significant(wavefronts / requests)),
               "without conflicts", part};
}

std::optional<Cause> wasted_sectors(const lab::Row& row) {
  double sectors = 0, fewest = 0, requests = 0;
  for (const LineAccess& access : row.accesses) {
    if (access.space != MemorySpace::kGlobal) continue;
    sectors += static_cast<double>(access.transactions);
    fewest += static_cast<double>(access.fewest_transactions);
    requests += static_cast<double>(access.requests);
  }
  const double part = ratio(fewest, sectors);
  if (requests == 0 || part > kWorthSaying) return std::nullopt;
  return Cause{fmt::format("{} sectors a request where {} would do", significant(sectors / requests),
                           significant(fewest / requests)),
               "with the fewest", part};
}

std::string limited_by(OccupancyLimit limit) {
  if (limit == OccupancyLimit::kShared) return "shared memory limits";
  return limit == OccupancyLimit::kGrid ? "the grid limits" : fmt::format("{} limit", name_of(limit));
}

// What a multiprocessor has on average where the grid does not fill it.
double resident_warps(const Occupancy& occupancy) { return occupancy.warps * std::min(1.0, occupancy.waves); }

std::optional<Cause> few_warps(const lab::Row& row) {
  const Occupancy& occupancy = row.prediction->occupancy;
  return Cause{fmt::format("{} of {} warps a multiprocessor wait in turn, which {}",
                           significant(resident_warps(occupancy)), occupancy.most_warps,
                           limited_by(occupancy.limited_by)),
               "with no wait at all", 0};
}

std::optional<Cause> cause_of(const std::string& resource, const lab::Row& row) {
  if (resource == "shared") return conflicts(row);
  if (resource == "l1" || resource == "l2") return wasted_sectors(row);
  if (resource == "latency") return few_warps(row);
  return std::nullopt;
}

// What idles: " (the grid fills 12 % of the card)".
std::string idle_part(const Occupancy& occupancy) {
  if (occupancy.waves <= 0 || occupancy.waves >= 1) return "";
  return fmt::format(" (the grid fills {} of the card)", percent(100 * occupancy.waves));
}

}  // namespace

std::string predicted(double milliseconds) { return "~" + duration(milliseconds); }

double predicted_ms_with(const Prediction& prediction, const std::string& resource, double part) {
  double scarcest = 0, launch = 0;
  for (const Limit& limit : prediction.limits) {
    const double share = limit.share * (limit.resource == resource ? part : 1);
    if (limit.resource == kLaunch)
      launch = share;
    else
      scarcest = std::max(scarcest, share);
  }
  return std::min(1.0, scarcest + launch) * prediction.ms;
}

std::optional<std::string> explain_limits(const lab::Row& row) {
  if (!row.prediction || row.prediction->limits.size() < 2) return std::nullopt;  // nothing else would remain
  const Prediction& prediction = *row.prediction;
  const Limit& first = prediction.limits.front();
  const Cause cause = cause_of(first.resource, row).value_or(Cause{"", "without it", 0});
  return fmt::format("{} takes {} of {}{}{}; {} {}", name_of_resource(first.resource),
                     percent(100 * first.share), predicted(prediction.ms), idle_part(prediction.occupancy),
                     cause.what.empty() ? "" : ": " + cause.what, cause.remedy,
                     predicted(predicted_ms_with(prediction, first.resource, cause.part)));
}

}  // namespace cudalab::report
