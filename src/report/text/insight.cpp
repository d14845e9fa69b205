// Chooses for each kernel the fault that costs most, and says what it is, why, and how to fix it.
#include "report/text/insight.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "messages/report.h"
#include "report/text/explanations.h"
#include "report/text/limits.h"
#include "report/text/values.h"
#include "vgpu/card.h"
#include "vgpu/warp_shape.h"

namespace cudalab::report {
namespace {

using lab::Row;

// ---- where -------------------------------------------------------------------------------------------

struct Place {
  MemorySpace space{};
  std::vector<AccessKind> kinds;
};

Place place_of_fault(Fault fault) {
  using enum AccessKind;
  switch (fault) {
    case Fault::kGlobalLoads: return {MemorySpace::kGlobal, {kLoad}};
    case Fault::kGlobalStores: return {MemorySpace::kGlobal, {kStore}};
    case Fault::kGlobalAtomics: return {MemorySpace::kGlobal, {kAtomic, kReduction}};
    case Fault::kSharedLoads: return {MemorySpace::kShared, {kLoad}};
    case Fault::kSharedStores: return {MemorySpace::kShared, {kStore}};
    case Fault::kSharedAtomics: return {MemorySpace::kShared, {kAtomic, kReduction}};
    case Fault::kConstants: return {MemorySpace::kConstant, {kLoad}};
    default: return {MemorySpace::kLocal, {kLoad, kStore}};
  }
}

double wasted_by(const LineAccess& access) {
  return static_cast<double>(access.transactions) - static_cast<double>(access.fewest_transactions);
}

// The access of this kind with the largest excess over the minimum, or, for global atomics and local memory,
// with the most transactions; null if the row has none.
const LineAccess* worst_access(const Row& row, Fault fault) {
  const Place place = place_of_fault(fault);
  const bool counts_all = fault == Fault::kGlobalAtomics || fault == Fault::kLocalMemory;
  const LineAccess* worst = nullptr;
  const auto cost = [&](const LineAccess& access) {
    return counts_all ? static_cast<double>(access.transactions) : wasted_by(access);
  };
  for (const LineAccess& access : row.accesses) {
    if (access.space != place.space || access.requests == 0) continue;
    if (std::ranges::find(place.kinds, access.kind) == place.kinds.end()) continue;
    if (!worst || cost(access) > cost(*worst)) worst = &access;
  }
  return worst;
}

// The line with the most divergent branches or barriers; null if there is none.
const LineExecution* worst_line(const Row& row, std::uint64_t LineExecution::*count) {
  const LineExecution* worst = nullptr;
  for (const LineExecution& line : row.executions)
    if (line.*count > 0 && (!worst || line.*count > worst->*count)) worst = &line;
  return worst;
}

Message placed(Message what, const SourceLine& where) {
  return where.file.empty() ? what : msg::explain_at_line(std::move(what), where);
}

// ---- statements --------------------------------------------------------------------------------------

// The sentences about a fault; `what` stays empty if the row's numbers do not show the fault.
struct Statement {
  Message what{}, cause{}, remedy{};
  SourceLine where{};
  std::optional<InsightCell> cell = InsightCell::kTime;
  std::string kind{};
};

Statement of_global(const Row& row, const LineAccess& access) {
  const bool loads = access.kind == AccessKind::kLoad;
  Statement made{.cause = cause_of_sectors(access, row.spec.block.x), .where = access.where};
  made.cell = loads ? InsightCell::kLoadSectors : InsightCell::kStoreSectors;
  Message name;
  if (is_misaligned(access)) {
    name = loads ? msg::fault_misaligned_loads() : msg::fault_misaligned_stores();
    made.remedy = msg::remedy_align();
    made.kind = loads ? "misaligned_loads" : "misaligned_stores";
  } else if (access.lane_stride_bytes) {
    name = loads ? msg::fault_uncoalesced_loads() : msg::fault_uncoalesced_stores();
    made.remedy = loads ? msg::remedy_coalesce_loads() : msg::remedy_coalesce_stores();
    made.kind = loads ? "uncoalesced_loads" : "uncoalesced_stores";
  } else {
    name = loads ? msg::fault_scattered_loads() : msg::fault_scattered_stores();
    made.remedy = msg::remedy_regroup();
    made.kind = loads ? "scattered_loads" : "scattered_stores";
  }
  made.what = msg::insight_sectors(placed(std::move(name), access.where), significant(cost_of(access)),
                                   significant(minimum_of(access)));
  return made;
}

// "32-way bank conflict" if all requests have the same degree.
Message name_of_conflict(double degree) {
  const double whole = std::round(degree);
  return std::abs(degree - whole) < 0.05 ? msg::fault_bank_conflict(significant(whole))
                                         : msg::fault_bank_conflicts();
}

Statement of_shared(const Row& row, const LineAccess& access) {
  const bool loads = access.kind == AccessKind::kLoad;
  Statement made{.cause = cause_of_wavefronts(access, row.spec.block.x), .where = access.where};
  made.cell = loads ? InsightCell::kLoadConflicts : InsightCell::kStoreConflicts;
  made.kind = loads ? "bank_conflicts_of_loads" : "bank_conflicts_of_stores";
  made.what = msg::insight_wavefronts(
      placed(name_of_conflict(cost_of(access) / std::max(minimum_of(access), 1.0)), access.where),
      loads ? msg::each_shared_load() : msg::each_shared_store(), significant(cost_of(access)),
      significant(minimum_of(access)));
  made.remedy = access.lane_stride_bytes ? msg::remedy_pad() : msg::remedy_other_banks();
  return made;
}

Statement of_constants(const LineAccess& access) {
  return {.what = msg::insight_constants(placed(msg::fault_constants(), access.where),
                                         significant(cost_of(access))),
          .cause = msg::cause_one_constant_at_a_time(),
          .remedy = msg::remedy_constants(),
          .where = access.where,
          .kind = "serialized_constants"};
}

Statement of_atomics(const LineAccess& access) {
  const bool shared = access.space == MemorySpace::kShared;
  return {.what = msg::insight_atomics(placed(msg::fault_atomics(), access.where),
                                       significant(static_cast<double>(access.lanes))),
          .cause = shared ? msg::cause_atomics_of_warp() : msg::cause_atomics_of_l2(),
          .remedy = shared ? msg::remedy_shared_atomics() : msg::remedy_global_atomics(),
          .where = access.where,
          .kind = shared ? "contended_shared_atomics" : "contended_atomics"};
}

Statement of_local_memory(const Row& row, const LineAccess* access) {
  if (access)
    return {.what = msg::insight_local_array(placed(msg::fault_local_memory(), access->where),
                                             significant(cost_of(*access))),
            .cause = msg::cause_local_array(),
            .remedy = msg::remedy_local_array(),
            .where = access->where,
            .kind = "local_memory"};
  const std::optional<int>& registers = row.prediction->occupancy.registers;
  return {.what = registers ? msg::insight_spills_of(*registers) : msg::insight_spills(),
          .remedy = msg::remedy_spills(),
          .kind = "register_spills"};
}

Statement of_divergence(const Row& row) {
  const LineExecution* line = worst_line(row, &LineExecution::divergent_branches);
  if (!line) return {};
  const double lanes = row.counters ? row.counters->value_or_zero(Counter::kActiveLanes) : 0;
  const double share =
      100 * static_cast<double>(line->divergent_branches) / static_cast<double>(line->branches);
  return {.what = msg::insight_divergence(placed(msg::fault_divergence(), line->where), percent(share)),
          .cause = lanes > 0 ? msg::cause_idle_lanes(significant(lanes), vgpu::kWarpSize) : Message(),
          .remedy = msg::remedy_divergence(),
          .where = line->where,
          .kind = "divergence"};
}

Statement of_barriers(const Row& row) {
  const LineExecution* line = worst_line(row, &LineExecution::barriers);
  if (!line) return {};
  return {.what = placed(msg::fault_barriers(), line->where),
          .cause = msg::cause_barriers(),
          .remedy = msg::remedy_barriers(),
          .where = line->where,
          .kind = "barrier_waits"};
}

Statement of_occupancy(const Occupancy& occupancy) {
  const bool shared = occupancy.limited_by == OccupancyLimit::kShared;
  return {.what = msg::insight_occupancy(occupancy.warps, occupancy.most_warps,
                                         name_of_limit(occupancy.limited_by)),
          .cause = msg::cause_few_warps(),
          .remedy = shared ? msg::remedy_less_shared() : msg::remedy_fewer_registers(),
          .kind = "low_occupancy"};
}

Statement of_few_blocks(const Row& row) {
  const Occupancy& occupancy = row.prediction->occupancy;
  const double blocks = static_cast<double>(row.spec.grid.volume());
  return {.what = msg::insight_few_blocks(percent(100 * occupancy.waves)),
          .cause = msg::cause_few_blocks(significant(blocks)),
          .remedy = msg::remedy_few_blocks(significant(std::ceil(blocks / occupancy.waves))),
          .kind = "few_blocks"};
}

double share_of_resource(const Prediction& prediction, std::string_view resource) {
  const auto found = std::ranges::find(prediction.limits, resource, &Limit::resource);
  return found == prediction.limits.end() ? 0 : found->share;
}

Statement of_doubles(const Prediction& prediction) {
  const vgpu::Card* card = vgpu::find_card(prediction.card);
  if (!card || card->fp64_lanes <= 0) return {};
  return {.what = msg::insight_doubles(percent(100 * share_of_resource(prediction, "fp64"))),
          .cause = msg::cause_doubles(significant(card->fp32_lanes / card->fp64_lanes)),
          .remedy = msg::remedy_doubles(),
          .kind = "fp64"};
}

Statement of_latency(const Prediction& prediction) {
  return {
      .what = msg::insight_latency(percent(100 * std::min(1.0, share_of_resource(prediction, "latency")))),
      .cause = msg::cause_latency(),
      .remedy = msg::remedy_latency(),
      .kind = "latency"};
}

Statement of_launch(const Prediction& prediction, double ms) {
  return {.what = msg::insight_launch(percent(100 * (prediction.ms - ms) / prediction.ms),
                                      predicted(prediction.ms)),
          .remedy = msg::remedy_launch(),
          .kind = "launch_overhead"};
}

// Whether the fault affects the time: some faults cost time only if a certain resource is the bottleneck.
bool is_decisive(const Prediction& prediction, Fault fault) {
  const auto is_scarcest = [&](std::string_view resource) {
    return !prediction.limits.empty() && prediction.limits.front().resource == resource;
  };
  switch (fault) {
    case Fault::kLatency:
    case Fault::kOccupancy: return is_scarcest("latency");
    case Fault::kDoubles: return is_scarcest("fp64");
    default: return true;
  }
}

bool is_in_one_place(Fault fault) {
  return place_of_fault(fault).space != MemorySpace::kLocal || fault == Fault::kLocalMemory;
}

Statement statement_of(const Row& row, const TimeWithout& without) {
  const LineAccess* access = is_in_one_place(without.fault) ? worst_access(row, without.fault) : nullptr;
  if (!access && is_in_one_place(without.fault) && without.fault != Fault::kLocalMemory) return {};
  switch (without.fault) {
    case Fault::kGlobalLoads:
    case Fault::kGlobalStores: return of_global(row, *access);
    case Fault::kSharedLoads:
    case Fault::kSharedStores: return of_shared(row, *access);
    case Fault::kConstants: return of_constants(*access);
    case Fault::kSharedAtomics:
    case Fault::kGlobalAtomics: return of_atomics(*access);
    case Fault::kLocalMemory: return of_local_memory(row, access);
    case Fault::kDivergence: return of_divergence(row);
    case Fault::kBarriers: return of_barriers(row);
    case Fault::kOccupancy: return of_occupancy(row.prediction->occupancy);
    case Fault::kFewBlocks: return of_few_blocks(row);
    case Fault::kDoubles: return of_doubles(*row.prediction);
    case Fault::kLatency: return of_latency(*row.prediction);
    case Fault::kLaunch: break;
  }
  return of_launch(*row.prediction, without.ms);
}

// ---- the choice --------------------------------------------------------------------------------------

// The smallest speed-up that is worth reporting. Launch overhead is reported only if it is half of the time,
// because a kernel cannot avoid it.
double smallest_gain(Fault fault) {
  switch (fault) {
    case Fault::kLaunch: return 2;
    case Fault::kLatency:
    case Fault::kOccupancy:
    case Fault::kBarriers:
    case Fault::kDivergence: return 1.2;
    default: return 1.05;
  }
}

constexpr std::array kFaultsOfAccesses{Fault::kGlobalLoads,  Fault::kGlobalStores,  Fault::kSharedLoads,
                                       Fault::kSharedStores, Fault::kSharedAtomics, Fault::kConstants};

// Without a predicted time (`--predict off`), the accesses alone show the waste.
std::vector<TimeWithout> by_waste(const Row& row) {
  constexpr double kWasteful = 1.1;
  std::vector<std::pair<double, Fault>> wasted;
  for (const Fault fault : kFaultsOfAccesses) {
    const LineAccess* access = worst_access(row, fault);
    if (access && access->lanes > access->requests && cost_of(*access) > kWasteful * minimum_of(*access))
      wasted.emplace_back(wasted_by(*access), fault);
  }
  std::ranges::stable_sort(wasted, std::ranges::greater{}, &std::pair<double, Fault>::first);
  std::vector<TimeWithout> faults;
  for (const auto& [amount, fault] : wasted) faults.push_back({fault, 0});
  return faults;
}

// These are no faults of a kernel that measures latency: its only warp must wait.
bool is_intended(const Row& row, Fault fault) {
  return row.measures_latency &&
         (fault == Fault::kFewBlocks || fault == Fault::kLatency || fault == Fault::kLaunch);
}

std::vector<TimeWithout> faults_of(const Row& row) {
  if (!row.prediction) return by_waste(row);
  std::vector<TimeWithout> faults;
  for (const TimeWithout& without : row.prediction->without)
    if (without.ms > 0 && !is_intended(row, without.fault) &&
        row.prediction->ms >= smallest_gain(without.fault) * without.ms &&
        is_decisive(*row.prediction, without.fault))
      faults.push_back(without);
  return faults;
}

// ---- the next stage ----------------------------------------------------------------------------------

bool has_fault(const Row& row, Fault fault) {
  return std::ranges::any_of(faults_of(row), [fault](const TimeWithout& one) { return one.fault == fault; });
}

bool is_predicted_faster(const Row& row, const Row& than) {
  return !row.prediction || !than.prediction || row.prediction->ms < than.prediction->ms;
}

// The stage that shows the remedy: the next kernel stage, if it does the same work, is predicted faster and
// does not have the fault; null otherwise.
const Row* shown_by(const std::vector<Row>& rows, std::size_t index, Fault fault) {
  for (std::size_t i = index + 1; i < rows.size(); ++i) {
    if (rows[i].kind != lab::RowKind::kKernel || rows[i].source == rows[index].source) continue;
    const bool shows = do_the_same(rows[i], rows[index]) && ran_to_its_end(rows[i]) &&
                       is_predicted_faster(rows[i], rows[index]) && !has_fault(rows[i], fault);
    return shows ? &rows[i] : nullptr;
  }
  return nullptr;
}

Insight insight_of(const Row& row, const TimeWithout& without, Statement statement, const Row* next) {
  Insight made{.row = row.name, .kind = std::move(statement.kind), .cell = statement.cell};
  made.where = std::move(statement.where);
  made.what = std::move(statement.what);
  made.cause = std::move(statement.cause);
  made.remedy = next ? msg::insight_remedy_shown_by(std::move(statement.remedy), next->name)
                     : msg::insight_remedy(std::move(statement.remedy));
  if (!row.prediction) return made;
  made.predicted_ms = without.ms;
  made.predicted_gain_ms = row.prediction->ms - without.ms;
  if (without.fault != Fault::kLaunch)
    made.gain = msg::insight_gain(significant(row.prediction->ms / without.ms, 2));
  return made;
}

bool is_judged(const Row& row) {
  return row.kind == lab::RowKind::kKernel && row.verdict != lab::Verdict::kFail;
}

}  // namespace

std::vector<Message> Insight::sentences() const {
  std::vector<Message> all;
  for (const Message* one : {&what, &cause, &remedy, &gain})
    if (!one->empty()) all.push_back(*one);
  return all;
}

std::vector<Insight> insights_of(const lab::Result& result) {
  std::vector<Insight> insights;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const Row& row = result.rows[i];
    if (!is_judged(row)) continue;
    for (const TimeWithout& without : faults_of(row)) {
      Statement statement = statement_of(row, without);
      if (statement.what.empty()) continue;
      insights.push_back(
          insight_of(row, without, std::move(statement), shown_by(result.rows, i, without.fault)));
      insights.back().index = i;
      break;
    }
  }
  return insights;
}

}  // namespace cudalab::report
