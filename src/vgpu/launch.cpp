// A launch: checks it as the card does, spreads its blocks over host threads, and adds up what they counted.
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
#include "vgpu/builtins/device_heap.h"
#include "vgpu/checks/agreement.h"
#include "vgpu/checks/observer.h"
#include "vgpu/counters/counting.h"
#include "vgpu/execute/block_runner.h"
#include "vgpu/execute/resident_blocks.h"

namespace cudalab::vgpu {
namespace {

Hazard invalid_launch(const Launch& launch, std::string what, std::string fix, std::string cuda_error) {
  Hazard hazard;
  hazard.kind = HazardKind::kInvalidLaunch;
  hazard.kernel = launch.kernel->symbol;
  hazard.what = std::move(what);
  hazard.fix = std::move(fix);
  hazard.cuda_error = std::move(cuda_error);
  return hazard;
}

// What the card refuses, with the card's own error name.
std::optional<Hazard> refusal(const Launch& launch) {
  const LaunchRequest& request = *launch.request;
  const Card& card = *launch.card;
  const Dim3 &grid = request.grid, &block = request.block;
  const std::string invalid = "CUDA_ERROR_INVALID_VALUE";
  if (grid.volume() == 0 || block.volume() == 0 || !grid.x || !grid.y || !grid.z || !block.x || !block.y ||
      !block.z)
    return invalid_launch(launch, "is launched with an empty grid or block",
                          "make every dimension at least 1", invalid);
  if (block.x > card.max_block_x || block.y > card.max_block_y || block.z > card.max_block_z ||
      block.volume() > card.max_threads_per_block)
    return invalid_launch(launch,
                          fmt::format("is launched with blocks of {}×{}×{} = {} threads; the card allows {}",
                                      block.x, block.y, block.z, block.volume(), card.max_threads_per_block),
                          "use smaller blocks and more of them", invalid);
  if (grid.x > card.max_grid_x || grid.y > card.max_grid_y || grid.z > card.max_grid_z)
    return invalid_launch(
        launch,
        fmt::format("is launched with a grid of {}×{}×{} blocks; the card allows {}×{}×{}", grid.x, grid.y,
                    grid.z, card.max_grid_x, card.max_grid_y, card.max_grid_z),
        "let each thread do more, or put the long side in x", invalid);
  if (launch.shared_bytes > card.shared_per_block_optin)
    return invalid_launch(launch,
                          fmt::format("asks for {} bytes of shared memory a block; the card allows {}",
                                      launch.shared_bytes, card.shared_per_block_optin),
                          "use a smaller tile", invalid);
  if (launch.code->waits_for_grid && grid.volume() > blocks_on_card(launch))
    return invalid_launch(
        launch,
        fmt::format("waits for its whole grid of {} blocks; the card holds {} such blocks at once",
                    grid.volume(), blocks_on_card(launch)),
        "launch fewer blocks and let each do more", "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
  return std::nullopt;
}

std::uint64_t linear_index(Dim3 grid, Dim3 block) {
  return block.x + std::uint64_t{grid.x} * (block.y + std::uint64_t{grid.y} * block.z);
}

// The blocks of a launch, handed out in order; after a fault only those before it still run, so that the
// fault reported is the first in block order, whatever the number of host threads.
class BlockQueue {
 public:
  explicit BlockQueue(std::uint64_t blocks) : blocks_(blocks) {}
  std::optional<std::uint64_t> next() {
    const std::uint64_t block = next_.fetch_add(1, std::memory_order_relaxed);
    if (block >= std::min(blocks_, fault_block_.load(std::memory_order_relaxed))) return std::nullopt;
    return block;
  }
  void report(std::uint64_t block, Hazard hazard) {
    const std::lock_guard lock(mutex_);
    if (block >= fault_block_.load()) return;
    fault_block_ = block;
    fault_ = std::move(hazard);
  }
  std::optional<Hazard>& fault() { return fault_; }
  // Of the virtual GPU itself, such as memory that the host cannot give.
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    fault_block_ = 0;  // no more blocks
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::uint64_t blocks_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> fault_block_{std::numeric_limits<std::uint64_t>::max()};
  std::mutex mutex_;
  std::optional<Hazard> fault_;
  std::exception_ptr error_;
};

void work(BlockRunner& runner, BlockQueue& queue) {
  while (const auto block = queue.next()) {
    try {
      runner.run(*block);
    } catch (KernelFault& fault) {
      queue.report(*block, std::move(fault.hazard));
    } catch (const LaunchAbandoned&) {
      return;
    } catch (...) {
      queue.fail(std::current_exception());
    }
  }
}

// Blocks that communicate.
void run_in_order(Launch& launch, std::vector<std::unique_ptr<BlockRunner>>& runners, BlockQueue& queue) {
  ResidentBlocks residents(launch, *runners.front());
  try {
    residents.run(launch.request->grid.volume());
  } catch (KernelFault& fault) {
    queue.report(residents.current(), std::move(fault.hazard));
  }
  std::ranges::move(residents.others(), std::back_inserter(runners));
}

void run_blocks(std::vector<std::unique_ptr<BlockRunner>>& runners, BlockQueue& queue) {
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < runners.size(); ++i) helpers.emplace_back([&, i] { work(*runners[i], queue); });
  work(*runners[0], queue);
  helpers.clear();  // waits for them
  queue.rethrow();
}

// A runner keeps the state of every memory instruction of the program.
std::uint64_t affordable_runners(const Launch& launch, std::uint64_t wanted) {
  constexpr std::uint64_t kMostBytes = 1ull << 30;
  const std::uint64_t bytes = launch.program->sites.size() * sizeof(SiteState) + 1;
  return std::clamp<std::uint64_t>(kMostBytes / bytes, 1, wanted);
}

struct Execution {
  std::vector<std::unique_ptr<BlockRunner>> runners;
  std::optional<Hazard> fault;
};

// Blocks that communicate, or that one host thread looks at for races, run in order.
Execution execute(Launch& launch, std::uint64_t workers) {
  launch.checks.granule_shift = granule_shift_of(*launch.program);
  if (launch.request->check_races && workers > 1)
    launch.checks.suspicion = std::make_shared<Suspicion>(*launch.memory, launch.checks.granule_shift);
  else if (launch.request->check_races)
    launch.checks.grid_races = std::make_shared<GridRaces>(*launch.memory, launch.checks.granule_shift);
  Execution execution;
  for (std::uint64_t i = 0; i < workers; ++i)
    execution.runners.push_back(std::make_unique<BlockRunner>(launch));
  BlockQueue queue(launch.request->grid.volume());
  if (launch.code->ordered || launch.checks.grid_races)
    run_in_order(launch, execution.runners, queue);
  else
    run_blocks(execution.runners, queue);
  execution.fault = std::move(queue.fault());
  return execution;
}

// What happens before a fault, or in a race, may depend on how the host threads run. A limit of time is not
// tried twice.
bool must_be_repeated(const Launch& launch, const Execution& execution) {
  if (!launch.checks.suspicion) return false;
  return launch.checks.suspicion->is_raised() ||
         (execution.fault && execution.fault->kind != HazardKind::kStepLimit);
}

// Back to before the launch.
void take_back(Launch& launch) {
  launch.checks.suspicion->undo();
  launch.checks = {};
  launch.steps = 0;
  launch.printed.clear();
}

// That a kernel does not end is what its author has to know first; what else was found may follow from it.
void add_fault(Hazard fault, std::vector<Hazard>& hazards) {
  const bool goes_first = fault.kind == HazardKind::kStepLimit;
  hazards.insert(goes_first ? hazards.begin() : hazards.end(), std::move(fault));
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

}  // namespace

LaunchResult run_launch(Launch& launch, unsigned host_threads) {
  LaunchResult result;
  const ProcessorBudget::Work work(launch.request->budget);
  const auto start = std::chrono::steady_clock::now();
  launch.dynamic_shared_base = static_cast<std::uint32_t>(round_up(launch.kernel->static_shared_bytes, 16));
  constexpr std::size_t kMostShared = 1u << 30;  // more than any card has; keeps sums in range
  const std::size_t dynamic = std::min(launch.request->dynamic_shared_bytes, kMostShared);
  const std::uint64_t shared =
      dynamic ? launch.dynamic_shared_base + dynamic : launch.kernel->static_shared_bytes;
  launch.shared_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(shared, kMostShared));
  if (auto hazard = refusal(launch)) {
    result.hazards.push_back(std::move(*hazard));
    result.completed = false;
    return result;
  }
  reserve_shared(launch);
  if (launch.program->grid_workspace)
    launch.memory->fill(launch.program->grid_workspace, kGridWorkspaceBytes, 0, false);
  if (launch.heap) launch.heap->begin_launch();
  const std::uint64_t blocks = launch.request->grid.volume();
  const std::uint64_t workers =
      launch.code->ordered ? 1 : std::min<std::uint64_t>(std::max(host_threads, 1u), blocks);
  Execution execution = execute(launch, affordable_runners(launch, workers));
  if (must_be_repeated(launch, execution)) {
    take_back(launch);
    execution = execute(launch, 1);
  }
  launch.checks = {};
  launch.memory->mark_unseen_changes_written();

  Tally tally(*launch.program);
  for (const auto& runner : execution.runners)
    tally.add(runner->counts(), runner->sites(), runner->hazards());
  result.counters = tally.counters();
  result.accesses = tally.accesses();
  result.executions = tally.executions();
  result.hazards = tally.hazards();
  agree(result.hazards);
  // What blocks behind a fault printed depends on chance.
  std::uint64_t last_block = std::numeric_limits<std::uint64_t>::max();
  if (execution.fault) {
    last_block = linear_index(launch.request->grid, execution.fault->block);
    add_fault(std::move(*execution.fault), result.hazards);
    result.completed = false;
  }
  result.printed = launch.printed.text(last_block);
  result.simulation_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace cudalab::vgpu
