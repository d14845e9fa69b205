// The values of a run that criteria can name, by their paths in a result document: "counters/ptx_barriers".
#include "course/row_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "messages/course.h"
#include "messages/lab.h"
#include "report/formats/json.h"
#include "report/text/values.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;
using lab::Row;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// ---- values with a fixed name ------------------------------------------------------------------------

template <auto kMember>
Json of_check(const Row& row) {
  return row.check ? Json((*row.check).*kMember) : Json();
}

template <auto kMember>
Json of_rates(const Row& row) {
  return or_null(row.predicted.*kMember);
}

const Occupancy* occupancy_of(const Row& row) {
  return row.prediction && row.prediction->occupancy.most_warps > 0 ? &row.prediction->occupancy : nullptr;
}

template <auto kMember>
Json of_occupancy(const Row& row) {
  const Occupancy* occupancy = occupancy_of(row);
  return occupancy ? Json(occupancy->*kMember) : Json();
}

Json registers_of(const Row& row) {
  const Occupancy* occupancy = occupancy_of(row);
  return occupancy && occupancy->registers ? Json(*occupancy->registers) : Json();
}

Json occupancy_limit_of(const Row& row) {
  const Occupancy* occupancy = occupancy_of(row);
  return occupancy ? Json(report::name_of(occupancy->limited_by)) : Json();
}

Json predicted_ms_of(const Row& row) { return row.prediction ? Json(row.prediction->ms) : Json(); }

// The length of a list in a program's log; null if the program never called CUDA.
template <auto kList>
Json length_of(const Row& row) {
  return row.program && row.program->log.start ? Json((row.program->log.*kList).size()) : Json();
}

Json unchecked_errors_of(const Row& row) {
  return row.program && row.program->log.start ? Json(device::unchecked(row.program->log).size()) : Json();
}

Json exit_code_of(const Row& row) { return row.program ? Json(row.program->exit_code) : Json(); }

struct NamedValue {
  std::string_view path;
  Json (*of)(const Row& row);
};
using device::ProgramLog;
constexpr NamedValue kValues[]{
    {"verdict", [](const Row& row) { return Json(report::name_of(row.verdict)); }},
    {"check/max_error", of_check<&lab::Check::max_error>},
    {"check/allowed", of_check<&lab::Check::allowed>},
    {"check/compared", of_check<&lab::Check::compared>},
    {"check/mismatches", of_check<&lab::Check::mismatches>},
    {"shared_bytes", [](const Row& row) { return Json(row.spec.dynamic_shared_bytes); }},
    {"grid/0", [](const Row& row) { return Json(row.spec.grid.x); }},
    {"grid/1", [](const Row& row) { return Json(row.spec.grid.y); }},
    {"grid/2", [](const Row& row) { return Json(row.spec.grid.z); }},
    {"block/0", [](const Row& row) { return Json(row.spec.block.x); }},
    {"block/1", [](const Row& row) { return Json(row.spec.block.y); }},
    {"block/2", [](const Row& row) { return Json(row.spec.block.z); }},
    {"useful_bytes", [](const Row& row) { return Json(row.useful_bytes); }},
    {"useful_flops", [](const Row& row) { return Json(row.useful_flops); }},
    {"predicted_ms", predicted_ms_of},
    {"predicted_gb_s", of_rates<&lab::Rates::gb_s>},
    {"predicted_gflop_s", of_rates<&lab::Rates::gflop_s>},
    {"predicted_percent_of_ceiling", of_rates<&lab::Rates::percent_of_ceiling>},
    {"occupancy/blocks", of_occupancy<&Occupancy::blocks>},
    {"occupancy/warps", of_occupancy<&Occupancy::warps>},
    {"occupancy/most_warps", of_occupancy<&Occupancy::most_warps>},
    {"occupancy/limited_by", occupancy_limit_of},
    {"occupancy/waves", of_occupancy<&Occupancy::waves>},
    {"occupancy/tail", of_occupancy<&Occupancy::tail>},
    {"occupancy/registers", registers_of},
    {"hazards", [](const Row& row) { return Json(row.hazards.size()); }},
    {"program/exit_code", exit_code_of},
    {"program/launches", length_of<&ProgramLog::kernels>},
    {"program/leaks", length_of<&ProgramLog::allocations>},
    {"program/unchecked", unchecked_errors_of},
    {"program/failed", length_of<&ProgramLog::failures>},
    {"program/hazards", length_of<&ProgramLog::mistakes>},
    {"program/timeline", length_of<&ProgramLog::timeline>},
};

// ---- traffic of all kinds of instructions --------------------------------------------------------------

// Atomics count as both: they read and write, and `atomicOr(p, 0)` is used as a load, `atomicExch` as a
// store.
struct Traffic {
  std::string_view name;
  std::array<Counter, 3> counters;
};
constexpr Traffic kTraffic[]{
    {"read_sectors",
     {Counter::kGlobalLoadSectors, Counter::kAsyncCopySectors, Counter::kGlobalAtomicSectors}},
    {"read_requests",
     {Counter::kGlobalLoadRequests, Counter::kAsyncCopyRequests, Counter::kGlobalAtomicRequests}},
    {"written_sectors",
     {Counter::kGlobalStoreSectors, Counter::kGlobalReductionSectors, Counter::kGlobalAtomicSectors}},
    {"write_requests",
     {Counter::kGlobalStoreRequests, Counter::kGlobalReductionRequests, Counter::kGlobalAtomicRequests}}};

RowValue traffic_called(std::string_view name) {
  const auto found = std::ranges::find(kTraffic, name, &Traffic::name);
  if (found == std::end(kTraffic)) return {};
  return [found](const Row& row) {
    if (!row.counters) return Json();
    double sum = 0;
    for (const Counter each : found->counters) sum += row.counters->get(each).value_or(0);
    return Json(sum);
  };
}

// ---- families of values, such as "counters/…" ----------------------------------------------------------

RowValue counter_called(std::string_view name) {
  const auto found = std::ranges::find(kCounters, name, &CounterInfo::key);
  if (found == kCounters.end()) return {};
  return [counter = found->counter](const Row& row) {
    return row.counters ? or_null(row.counters->get(counter)) : Json();
  };
}

RowValue extra_called(std::string_view name) {
  return [name = std::string(name)](const Row& row) {
    const auto found = std::ranges::find(row.extra, name, &std::pair<std::string, double>::first);
    return found == row.extra.end() ? Json() : Json(found->second);
  };
}

// e.g. "0/resource"
RowValue limit_called(std::string_view name) {
  std::size_t index = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (failed != std::errc{}) return {};
  const auto of_limit = [index](auto member) -> RowValue {
    return [=](const Row& row) {
      const bool is_there = row.prediction && index < row.prediction->limits.size();
      return is_there ? Json(row.prediction->limits[index].*member) : Json();
    };
  };
  const std::string_view key = name.substr(static_cast<std::size_t>(end - name.data()));
  if (key == "/resource") return of_limit(&Limit::resource);
  if (key == "/share") return of_limit(&Limit::share);
  if (key == "/amount") return of_limit(&Limit::amount);
  if (key == "/rate") return of_limit(&Limit::rate);
  return {};
}

// e.g. "to_device/bytes"
RowValue copies_called(std::string_view name) {
  const std::size_t slash = name.find('/');
  const auto direction = report::copy_direction_called(name.substr(0, slash));
  if (!direction || slash == std::string_view::npos) return {};
  const auto of_total = [direction](auto member) -> RowValue {
    return [=](const Row& row) {
      if (!row.program || !row.program->log.copies.contains(*direction)) return Json();
      return Json(row.program->log.copies.at(*direction).*member);
    };
  };
  const std::string_view key = name.substr(slash + 1);
  if (key == "copies") return of_total(&device::CopyTotal::copies);
  if (key == "bytes") return of_total(&device::CopyTotal::bytes);
  if (key == "predicted_ms") return of_total(&device::CopyTotal::predicted_ms);
  return {};
}

struct Family {
  std::string_view prefix;
  RowValue (*called)(std::string_view name);
};
constexpr Family kFamilies[]{{"counters/", counter_called},
                             {"traffic/", traffic_called},
                             {"limits/", limit_called},
                             {"program/copies/", copies_called}};

// Returns an empty function if runs have no such value.
RowValue value_called(std::string_view path, const lab::Lab& lab) {
  if (const auto found = std::ranges::find(kValues, path, &NamedValue::path); found != std::end(kValues))
    return found->of;
  for (const Family& family : kFamilies)
    if (path.starts_with(family.prefix)) return family.called(path.substr(family.prefix.size()));
  constexpr std::string_view kExtra = "extra/";
  const bool is_extra =
      path.starts_with(kExtra) &&
      std::ranges::count(lab.columns, path.substr(kExtra.size()), &lab::ExtraColumn::key) > 0;
  return is_extra ? extra_called(path.substr(kExtra.size())) : RowValue();
}

}  // namespace

std::vector<std::string_view> paths_in(std::string_view sum) {
  std::vector<std::string_view> paths = split(sum, '+');
  for (std::string_view& path : paths) path = trimmed(path);
  return paths;
}

void resolve(ValuePaths& paths, const lab::Lab& lab, const Message& place) {
  if (paths.empty()) return;
  paths.terms.clear();
  for (const std::string_view path : paths_in(paths.text)) {
    RowValue value = value_called(path, lab);
    if (!value) throw usage_error(msg::at_place(place, msg::run_value_unknown(lab.name, path)));
    paths.terms.push_back(std::move(value));
  }
}

}  // namespace cudalab::course
