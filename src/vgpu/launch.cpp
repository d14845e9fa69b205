// A launch: checks it as a GPU does, distributes its blocks over host threads, and adds up their counts.
#include "vgpu/launch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <limits>
#include <mutex>
#include <thread>

#include "core/alignment.h"
#include "core/work_budget.h"
#include "messages/vgpu.h"
#include "vgpu/builtins/device_runtime.h"
#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/observer.h"
#include "vgpu/counters/counting.h"
#include "vgpu/counters/recorder.h"
#include "vgpu/execute/race_advice.h"
#include "vgpu/interpreter_thread.h"
#include "vgpu/running/cluster_runner.h"
#include "vgpu/time/faults.h"
#include "vgpu/time/gather_features.h"
#include "vgpu/time/occupancy.h"
#include "vgpu/time/time_model.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {
namespace {

Hazard invalid_launch(const Launch& launch, Message what, Message fix, std::string cuda_error) {
  Hazard hazard;
  hazard.kind = HazardKind::kInvalidLaunch;
  hazard.kernel = launch.kernel->symbol;
  hazard.what = std::move(what);
  hazard.fix = std::move(fix);
  hazard.cuda_error = std::move(cuda_error);
  return hazard;
}

// PTX ISA, "Cluster of Cooperative Thread Arrays"; CUDA C++ Programming Guide, "Thread Block Clusters".
std::optional<Hazard> cluster_refusal(const Launch& launch) {
  constexpr std::uint64_t kMostBlocks = 8;  // supported by every GPU with clusters
  const Dim3 &grid = launch.request->spec.grid, &cluster = launch.cluster, &wanted = launch.kernel->cluster;
  const std::string invalid = "CUDA_ERROR_INVALID_CLUSTER_SIZE";
  if (launch.is_explicit_cluster && !has_clusters(*launch.card))
    return invalid_launch(launch,
                          msg::launch_cluster_unsupported(cluster.x, cluster.y, cluster.z, launch.card->name),
                          msg::advice_device_with_clusters(), invalid);
  if (wanted.volume() > 0 && cluster != wanted)
    return invalid_launch(
        launch, msg::launch_cluster_differs(cluster.x, cluster.y, cluster.z, wanted.x, wanted.y, wanted.z),
        msg::advice_cluster_equal(), invalid);
  if (cluster.volume() == 0 || cluster.volume() > kMostBlocks)
    return invalid_launch(launch, msg::launch_cluster_size(cluster.x, cluster.y, cluster.z, kMostBlocks),
                          msg::advice_smaller_clusters(), invalid);
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return invalid_launch(
        launch, msg::launch_cluster_indivisible(cluster.x, cluster.y, cluster.z, grid.x, grid.y, grid.z),
        msg::advice_grid_multiple_of_cluster(), invalid);
  return std::nullopt;
}

bool has_zero(const Dim3& shape) { return shape.x == 0 || shape.y == 0 || shape.z == 0; }

// The shapes are not empty.
std::optional<Hazard> block_refusal(const Launch& launch, const std::string& invalid) {
  const Card& card = *launch.card;
  const Dim3 &grid = launch.request->spec.grid, &block = launch.request->spec.block;
  if (block.volume() > card.max_threads_per_block) {
    // Exchanged arguments would be a plausible launch, of whole warps.
    const bool are_exchanged = grid.volume() % kWarpSize == 0 && grid.volume() <= card.max_threads_per_block;
    return invalid_launch(
        launch,
        msg::launch_block_too_large(block.x, block.y, block.z, block.volume(), card.max_threads_per_block),
        are_exchanged ? msg::advice_blocks_come_first() : msg::advice_smaller_blocks(), invalid);
  }
  if (block.x > card.max_block_x || block.y > card.max_block_y || block.z > card.max_block_z)
    return invalid_launch(launch,
                          msg::launch_block_shape(block.x, block.y, block.z, card.max_block_x,
                                                  card.max_block_y, card.max_block_z),
                          msg::advice_other_block_shape(), invalid);
  return std::nullopt;
}

// The hazard if a GPU would reject the launch, with the GPU's error name.
std::optional<Hazard> refusal(const Launch& launch) {
  const LaunchRequest& request = *launch.request;
  const Card& card = *launch.card;
  const Dim3 &grid = request.spec.grid, &block = request.spec.block;
  const std::string invalid = "CUDA_ERROR_INVALID_VALUE";
  if (has_zero(grid))
    return invalid_launch(launch, msg::launch_empty_grid(grid.x, grid.y, grid.z), msg::advice_round_grid_up(),
                          invalid);
  if (has_zero(block))
    return invalid_launch(launch, msg::launch_empty_block(block.x, block.y, block.z),
                          msg::advice_dimension_at_least_1(), invalid);
  if (auto hazard = block_refusal(launch, invalid)) return hazard;
  if (grid.x > card.max_grid_x || grid.y > card.max_grid_y || grid.z > card.max_grid_z)
    return invalid_launch(
        launch,
        msg::launch_grid_too_large(grid.x, grid.y, grid.z, card.max_grid_x, card.max_grid_y, card.max_grid_z),
        msg::advice_more_per_thread(), invalid);
  if (auto hazard = cluster_refusal(launch)) return hazard;
  if (launch.shared_bytes > card.shared_per_block_optin)
    return invalid_launch(launch,
                          msg::launch_shared_too_large(launch.shared_bytes, card.shared_per_block_optin),
                          msg::advice_smaller_tile(), invalid);
  if (launch.code->waits_for_grid && request.is_cooperative && grid.volume() > blocks_on_card(launch))
    return invalid_launch(launch, msg::launch_grid_not_resident(grid.volume(), blocks_on_card(launch)),
                          msg::advice_fewer_blocks(), "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
  return std::nullopt;
}

// The clusters of a launch (usually of one block), handed out in ascending order. After a fault, only earlier
// clusters still run, so the reported fault is the first in that order, whatever the number of host threads.
class ClusterQueue {
 public:
  ClusterQueue(std::uint64_t clusters, Pace* pace) : clusters_(clusters), pace_(pace) {}
  std::optional<std::uint64_t> next() {
    const std::uint64_t cluster = next_.fetch_add(1, std::memory_order_relaxed);
    if (cluster >= std::min(clusters_, fault_cluster_.load(std::memory_order_relaxed))) return std::nullopt;
    return cluster;
  }
  void note_done() {
    if (pace_) pace_->one_more();
  }
  void report(std::uint64_t cluster, Hazard hazard) {
    const std::lock_guard lock(mutex_);
    if (cluster >= fault_cluster_.load()) return;
    fault_cluster_ = cluster;
    fault_ = std::move(hazard);
  }
  std::optional<Hazard>& fault() { return fault_; }
  // Records an error of the virtual GPU itself, such as host memory running out.
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    fault_cluster_ = 0;  // stops handing out clusters
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::uint64_t clusters_;
  Pace* pace_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> fault_cluster_{std::numeric_limits<std::uint64_t>::max()};
  std::mutex mutex_;
  std::optional<Hazard> fault_;
  std::exception_ptr error_;
};

void work(ClusterRunner& runner, ClusterQueue& queue) {
  while (const auto cluster = queue.next()) {
    try {
      runner.run(*cluster);
      queue.note_done();
    } catch (KernelFault& fault) {
      queue.report(*cluster, std::move(fault.hazard));
    } catch (const LaunchAbandoned&) {
      return;
    } catch (...) {
      queue.fail(std::current_exception());
    }
  }
}

std::uint64_t clusters_of(const Launch& launch) {
  return launch.request->spec.grid.volume() / launch.cluster.volume();
}

// The requested number of clusters; all if blocks wait for each other.
std::uint64_t clusters_to_run(const Launch& launch) {
  const std::uint64_t all = clusters_of(launch), most = launch.request->options.most_blocks;
  if (most == 0 || launch.code->ordered) return all;
  return std::min(all, (most + launch.cluster.volume() - 1) / launch.cluster.volume());
}

// Runs blocks that communicate.
void run_in_order(Launch& launch, std::vector<std::unique_ptr<ClusterRunner>>& runners, ClusterQueue& queue) {
  ResidentClusters residents(launch, *runners.front());
  try {
    residents.run(clusters_to_run(launch));
  } catch (KernelFault& fault) {
    queue.report(residents.current(), std::move(fault.hazard));
  }
  std::ranges::move(residents.others(), std::back_inserter(runners));
}

// Runs only the cluster of the watched block. Used if blocks do not communicate.
void run_watched_block(Launch& launch, std::vector<std::unique_ptr<ClusterRunner>>& runners,
                       ClusterQueue& queue) {
  const Dim3 block = launch.request->watch->block();
  const std::uint64_t cluster = number_of_block(launch, block) / launch.cluster.volume();
  try {
    if (launch.code->ordered)
      run_in_order(launch, runners, queue);
    else
      runners.front()->run(cluster);
  } catch (KernelFault& fault) {
    queue.report(cluster, std::move(fault.hazard));
  } catch (const WatchedEnough&) {
  }
}

void run_blocks(std::vector<std::unique_ptr<ClusterRunner>>& runners, ClusterQueue& queue) {
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < runners.size(); ++i)
    helpers.push_back(further_thread([&, i] {
      is_interpreter_thread = true;
      work(*runners[i], queue);
    }));
  work(*runners[0], queue);
  helpers.clear();  // waits for them
  queue.rethrow();
}

// Limits the runners, because each keeps the state of every memory instruction of the program.
std::uint64_t affordable_runners(const Launch& launch, std::uint64_t wanted) {
  constexpr std::uint64_t kMostBytes = 1ull << 30;
  const std::uint64_t bytes = launch.program->sites.size() * sizeof(SiteState) + 1;
  return std::clamp<std::uint64_t>(kMostBytes / bytes, 1, wanted);
}

struct Execution {
  std::vector<std::unique_ptr<ClusterRunner>> runners;
  std::optional<Hazard> fault;
};

// Blocks that communicate, or that are checked exactly for races, run in order on one host thread. Other
// blocks are first checked by the cheap Suspicion, even if there is only one host thread; the exact check
// follows if a suspicion is raised.
Execution execute(Launch& launch, std::uint64_t workers, bool looks_closely) {
  launch.checks.granule_shift = granule_shift_of(*launch.program);
  if (launch.request->options.checks_races() && !looks_closely)
    launch.checks.suspicion =
        std::make_shared<Suspicion>(*launch.memory, launch.checks.granule_shift, workers == 1);
  else if (launch.request->options.checks_races())
    launch.checks.grid_races = std::make_shared<GridRaces>(*launch.memory, launch.checks.granule_shift);
  if (launch.request->options.predict) launch.sample = std::make_shared<SharedSample>();
  Execution execution;
  for (std::uint64_t i = 0; i < workers; ++i)
    execution.runners.push_back(std::make_unique<ClusterRunner>(launch));
  Pace* const pace = launch.request->options.pace;
  ClusterQueue queue(clusters_to_run(launch), pace);
  if (pace) pace->begin(clusters_to_run(launch), workers);
  if (launch.request->watch)
    run_watched_block(launch, execution.runners, queue);
  else if (launch.code->ordered || launch.checks.grid_races)
    run_in_order(launch, execution.runners, queue);
  else
    run_blocks(execution.runners, queue);
  execution.fault = std::move(queue.fault());
  return execution;
}

// Results before a fault, or with a race, may depend on the timing of host threads, so the launch is
// repeated. A launch that exceeded its step limit is not repeated.
bool must_be_repeated(const Launch& launch, const Execution& execution) {
  if (!launch.checks.suspicion) return false;
  return launch.checks.suspicion->is_raised() ||
         (execution.fault && execution.fault->kind != HazardKind::kStepLimit);
}

// Restores the state before the launch.
void take_back(Launch& launch) {
  launch.checks.suspicion->undo();
  launch.checks = {};
  launch.steps.count = launch.steps.at_end = 0;
  launch.printed.clear();
}

// Whichever of the two is in use adds its spans.
void tell_touched(const Launch& launch, std::vector<TouchedSpan>& spans) {
  if (launch.checks.suspicion) launch.checks.suspicion->add_touched_to(spans);
  if (launch.checks.grid_races) launch.checks.grid_races->add_touched_to(spans);
}

// An infinite loop is reported first: other hazards may follow from it.
void add_fault(Hazard fault, std::vector<Hazard>& hazards) {
  const bool goes_first = fault.kind == HazardKind::kStepLimit;
  hazards.insert(goes_first ? hazards.begin() : hazards.end(), std::move(fault));
}

// The cluster size of the launch, or else of the kernel.
void choose_cluster(Launch& launch) {
  const Dim3 &asked = launch.request->spec.cluster, &wanted = launch.kernel->cluster;
  launch.is_explicit_cluster = asked != Dim3{0, 0, 0} || wanted.volume() > 0;
  if (launch.is_explicit_cluster) launch.cluster = asked != Dim3{0, 0, 0} ? asked : wanted;
}

void reserve_shared(Launch& launch) {
  const auto& specials = launch.program->specials;
  const bool is_used = std::any_of(specials.begin(), specials.end(), [](const SpecialUse& use) {
    return use.special->name == kReservedShared;
  });
  if (!is_used) return;
  launch.reserved_shared_base = static_cast<std::uint32_t>(round_up(launch.shared_bytes, 16));
  launch.reserved_shared_bytes = kReservedSharedBytes;
  launch.shared_bytes = launch.reserved_shared_base + kReservedSharedBytes;
}

// Empty if no block fits on an SM, or if no prediction was requested.
std::optional<Prediction> prediction_of(const Launch& launch, const Tally& tally,
                                        const Execution& execution) {
  std::vector<AccessTrace*> traces;
  for (const auto& cluster : execution.runners)
    for (const auto& runner : cluster->blocks())
      if (runner->trace()) traces.push_back(runner->trace());
  Prediction prediction;
  prediction.occupancy = occupancy_of(launch);
  if (prediction.occupancy.blocks == 0 || traces.empty()) return std::nullopt;
  const std::vector<SiteTotals> sites = tally.site_totals();
  const LaunchCosts costs = costs_of(launch, prediction.occupancy, tally.counts(), sites, traces);
  const LaunchFeatures features = features_of(launch, prediction.occupancy, costs, traces);
  predict(*launch.card, features, prediction);
  prediction.without = times_without_faults(launch, prediction, costs, features, traces);
  return prediction;
}

// Without blocks after `last_block`, whose recordings depend on timing.
std::shared_ptr<const Recording> recording_of(const Launch& launch, const Execution& execution,
                                              std::uint64_t last_block) {
  std::vector<const Recorder*> recorders;
  for (const auto& cluster : execution.runners)
    for (const auto& runner : cluster->blocks())
      if (runner->recorder()) recorders.push_back(runner->recorder());
  return recorders.empty()
             ? nullptr
             : std::make_shared<const Recording>(join_recordings(launch, recorders, last_block));
}

}  // namespace

std::optional<Hazard> prepare_launch(Launch& launch) {
  launch.dynamic_shared_base = static_cast<std::uint32_t>(round_up(launch.kernel->static_shared_bytes, 16));
  constexpr std::size_t kMostShared = 1u << 30;  // more than any GPU has; keeps sums in range
  const std::size_t dynamic = std::min(launch.request->spec.dynamic_shared_bytes, kMostShared);
  const std::uint64_t shared =
      dynamic ? launch.dynamic_shared_base + dynamic : launch.kernel->static_shared_bytes;
  launch.shared_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(shared, kMostShared));
  choose_cluster(launch);
  return refusal(launch);
}

LaunchResult run_launch(Launch& launch, unsigned host_threads) {
  LaunchResult result;
  const ProcessorBudget::Work work(launch.request->options.budget);
  const auto start = std::chrono::steady_clock::now();
  if (auto hazard = prepare_launch(launch)) {
    result.hazards.push_back(std::move(*hazard));
    result.completed = false;
    return result;
  }
  reserve_shared(launch);
  if (launch.program->grid_workspace)
    launch.memory->fill(launch.program->grid_workspace, kGridWorkspaceBytes, 0, false);
  if (launch.heap) launch.heap->begin_launch();
  const bool is_for_one_thread = launch.code->ordered || launch.siblings || launch.request->watch ||
                                 launch.request->taps || launch.request->options.history;
  const bool looks_closely = is_for_one_thread || launch.code->launches;
  const std::uint64_t workers =
      is_for_one_thread ? 1 : std::min<std::uint64_t>(std::max(host_threads, 1u), clusters_of(launch));
  ProcessorBudget* const budget = launch.request->options.budget;
  const std::uint64_t steps_before = budget ? budget->steps_taken() : 0;
  Execution execution = execute(launch, affordable_runners(launch, workers), looks_closely);
  if (must_be_repeated(launch, execution)) {
    take_back(launch);
    if (budget) budget->give_back_to(steps_before);
    execution = execute(launch, 1, true);
  }
  if (launch.request->touched) tell_touched(launch, *launch.request->touched);
  launch.checks = {};
  launch.memory->mark_unseen_changes_written();

  Tally tally(*launch.program);
  for (const auto& cluster : execution.runners)
    for (const auto& runner : cluster->blocks())
      tally.add(runner->counts(), runner->sites(), runner->hazards());
  result.counters = tally.counters();
  result.accesses = tally.accesses();
  result.executions = tally.executions();
  result.hazards = tally.hazards();
  consider_barriers(result.hazards, *launch.program);
  agree(result.hazards);
  // output of blocks after a fault depends on timing
  std::uint64_t last_block = std::numeric_limits<std::uint64_t>::max();
  if (execution.fault) {
    last_block = number_of_block(launch, execution.fault->block);
    add_fault(std::move(*execution.fault), result.hazards);
    put_out_of_bounds_first(result.hazards);
    result.completed = false;
  }
  if (launch.request->options.predict && result.completed)
    result.prediction = prediction_of(launch, tally, execution);
  result.printed = launch.printed.text(last_block);
  result.recording = recording_of(launch, execution, last_block);
  result.simulation_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace cudalab::vgpu
