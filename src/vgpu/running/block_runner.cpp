// Runs blocks on one host thread, warp by warp, collects their counts, and detects warps that wait forever.
#include "vgpu/running/block_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/digest.h"
#include "core/text.h"
#include "messages/vgpu.h"
#include "vgpu/block.h"
#include "vgpu/checks/observer.h"
#include "vgpu/execute/async_copy.h"
#include "vgpu/execute/cluster.h"
#include "vgpu/execute/control.h"
#include "vgpu/execute/mbarrier.h"
#include "vgpu/execute/paths.h"
#include "vgpu/execute/warp_wide.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kFewTurns = 64;           // until then, the clock advances normally
constexpr std::uint64_t kManyTurns = 4096;        // until then, the state is not compared
constexpr std::uint64_t kLongestCircle = 128;     // turns: enough for 32 paths of a warp that poll in turn
constexpr std::uint64_t kMostPolls = 1ull << 22;  // limit for a loop that keeps counting: seconds on the host

// FNV-1a hash of eight bytes at a time.
class Digest {
 public:
  void add(std::uint64_t value) { value_ = fnv_hash(value_, value), value_ ^= value_ >> 29; }
  void add(const std::byte* bytes, std::size_t count) {
    for (; count >= sizeof(std::uint64_t); bytes += sizeof(std::uint64_t), count -= sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, bytes, sizeof word);
      add(word);
    }
    for (; count > 0; ++bytes, --count) add(static_cast<std::uint64_t>(*bytes));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = kFnvBasis;
};

void add_paths(Digest& digest, const Warp& warp) {
  for (const Path& path : warp.parked) {
    digest.add(reinterpret_cast<std::uintptr_t>(path.pc));
    digest.add(std::uint64_t{path.mask} << 32 | static_cast<std::uint32_t>(path.frame));
    digest.add(static_cast<std::uint64_t>(path.wait));
  }
  digest.add(warp.carry);
}

std::uint64_t state_of(const Block& block) {
  Digest digest;
  digest.add(block.shared.get(), block.launch->shared_bytes);
  for (const Barrier& barrier : block.barriers) digest.add(barrier.arrived);
  for (const Warp& warp : block.warps) {
    add_paths(digest, warp);
    for (const Frame& frame : warp.frames)
      if (frame.lanes) digest.add(frame.registers.get(), frame.function->frame_bytes);
    digest.add(warp.local, warp.local_bytes * kWarpSize);
  }
  return digest.value();
}

}  // namespace

// A warp's clock shows the instructions that it has been granted so far.
void Standstill::let_time_pass(Block& block) const {
  const bool stands_still = turns_ >= kManyTurns && turns_ - std::bit_floor(turns_) < kLongestCircle;
  for (Warp& warp : block.warps) {
    if (!warp.stalled_at) continue;
    if (stands_still)
      warp.clock -= kInstructionsOfATurn - warp.budget;
    else if (turns_ > kFewTurns)
      warp.clock += static_cast<std::int64_t>(std::min(turns_, kManyTurns)) * kInstructionsOfATurn;
  }
}

bool Standstill::lasts(Block& block) {
  ++turns_;
  polls_ += static_cast<std::uint64_t>(
      std::ranges::count_if(block.warps, [](const Warp& warp) { return warp.stalled_at != nullptr; }));
  let_time_pass(block);
  const std::uint64_t first = std::bit_floor(turns_);
  if (turns_ < kManyTurns || turns_ - first > kLongestCircle) return polls_ > kMostPolls;
  const std::uint64_t state = state_of(block);
  if (turns_ > first) return state == remembered_;
  remembered_ = state;
  return false;
}

// Executes a turn of a warp that is watched.

namespace {

// Executes from `inst` on, until the warp cannot continue. Passes exceptions of the instructions on.
void run_watched(const Inst* inst, Warp& warp, WarpWatch& watch) {
  while (inst) {
    watch.before(inst, warp);
    const Inst* next = nullptr;
    try {
      next = inst->run(inst, warp);
    } catch (const KernelFault& fault) {
      watch.fault(warp, fault.hazard);
      throw;
    }
    watch.after(inst, warp, next);
    inst = next;
  }
}

// Initial contents of shared memory: NaN as floating point.
constexpr int kUnwrittenByte = 0xff;

std::uint32_t lanes_of_warp(std::uint64_t threads, std::uint32_t warp) {
  const std::uint64_t left = threads - std::uint64_t{warp} * kWarpSize;
  return left >= kWarpSize ? kAllLanes : (1u << left) - 1;
}

// Overhead of a warp's turn, in instructions. For warps that wait at barriers it dominates.
constexpr std::uint64_t kStepsOfATurn = 12;

std::string name_at(const Launch& launch, std::uint64_t address) { return place_of(launch, address).name; }

bool is_observed(const LaunchRequest& request) {
  return request.options.checks_memory() || request.options.checks_races() || request.options.record;
}

}  // namespace

BlockRunner::BlockRunner(Launch& launch, BlockRunner* counting)
    : launch_(launch),
      counting_(counting ? counting : this),
      counts_(counting ? 0 : launch.program->basic_blocks.size()),
      sites_(counting ? 0 : launch.program->sites.size()) {
  for (std::size_t i = 0; i < sites_.size(); ++i) sites_[i].info = &launch.program->sites[i];
  block_.launch = &launch;
  if (launch.request->options.predict && !counting)
    trace_ =
        std::make_unique<AccessTrace>(launch.card->multiprocessors, launch.program->sites, *launch.sample);
  const std::size_t own_counts = warps_of(launch.request->spec.block) * counts_.size();
  constexpr std::size_t kMostOwnCounts = 1u << 16;
  if (trace_ && launch.code->ordered && own_counts <= kMostOwnCounts &&
      HandOverTrace::is_needed(*launch.program))
    trace_->follow(std::make_unique<HandOverTrace>(*launch.program, *launch.memory,
                                                   warps_of(launch.request->spec.block)));
  position_.grid = launch.request->spec.grid;
  position_.block = launch.request->spec.block;
  position_.multiprocessors = launch.card->multiprocessors;
  position_.dynamic_shared_bytes = static_cast<std::uint32_t>(launch.request->spec.dynamic_shared_bytes);
  position_.total_shared_bytes = launch.shared_bytes;
  position_.dynamic_shared_base = launch.dynamic_shared_base;
  position_.reserved_shared_base = launch.reserved_shared_base;
  position_.grid_workspace = launch.request->is_cooperative ? launch.program->grid_workspace : 0;
  position_.cluster = launch.cluster;
  position_.is_explicit_cluster = launch.is_explicit_cluster;
  prepare_warps();
  if (launch.request->options.record && !counting) recorder_ = std::make_unique<Recorder>(launch, name_at);
  if (is_observed(*launch.request))
    observer_ = std::make_unique<Observer>(launch, block_, counting_->recorder_.get());
  block_.observer = observer_.get();
}

BlockRunner::~BlockRunner() = default;

void BlockRunner::prepare_warps() {
  const auto warps = static_cast<std::uint32_t>(warps_of(launch_.request->spec.block));
  const std::size_t special_bytes = launch_.program->special_bytes;
  const std::size_t local_bytes = launch_.code->local_bytes;
  block_.shared = allocate_host(launch_.shared_bytes);
  block_.local = allocate_host(local_bytes * warps * kWarpSize);
  block_.specials = allocate_host(special_bytes * warps);
  block_.sink = allocate_host(kSinkBytes);
  block_.warps.resize(warps);
  for (std::uint32_t i = 0; i < warps; ++i) {
    Warp& warp = block_.warps[i];
    warp.index = i;
    warp.operand_file[kConstants] = launch_.program->constants.get();
    warp.operand_file[kSpecials] = block_.specials.get() + i * special_bytes;
    warp.operand_file[kSink] = block_.sink.get();
    warp.counts = counting_->counts_.data();
    warp.sites = counting_->sites_.data();
    warp.shared = block_.shared.get();
    warp.shared_bytes = launch_.shared_bytes;
    warp.local = block_.local.get() + i * local_bytes * kWarpSize;
    warp.local_bytes = local_bytes;
    warp.parameters = launch_.request->parameters.data();
    warp.block = &block_;
    warp.launch = &launch_;
    warp.trace = counting_->trace_.get();
    warp.observed = is_observed(*launch_.request);
    fill_specials(warp);
  }
}

void BlockRunner::fill_specials(Warp& warp) {
  position_.warp = warp.index;
  for (const SpecialUse& use : launch_.program->specials) {
    if (use.special->refresh != Refresh::kOncePerLaunch) continue;
    std::uint32_t* lanes = lanes_at<std::uint32_t>(warp, use.slot);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) lanes[lane] = use.special->value(position_, lane);
  }
}

// Sets the special registers that are the same for all threads of a block.
void BlockRunner::fill_specials_of_block() {
  for (const SpecialUse& use : launch_.program->specials) {
    if (use.special->refresh != Refresh::kEveryBlock) continue;
    const std::uint32_t value = use.special->value(position_, 0);
    for (const Warp& warp : block_.warps)
      std::fill_n(lanes_at<std::uint32_t>(warp, use.slot), kWarpSize, value);
  }
}

void BlockRunner::begin(std::uint64_t number, Cluster& cluster, std::uint32_t rank) {
  position_.block_index = block_.index = block_with_number(launch_, number);
  WarpWatch* const watch = launch_.request->watch;
  watch_ = watch && watch->block() == block_.index ? watch : nullptr;
  block_.number = number;
  block_.cluster = &cluster;
  block_.rank = rank;
  block_.bulk_copies.clear();
  block_.async_arrivals.clear();
  steps_ = 0;
  standstill_.start_block();
  progress_.start_block();
  if (launch_.shared_bytes) std::memset(block_.shared.get(), kUnwrittenByte, launch_.shared_bytes);
  if (launch_.reserved_shared_bytes)
    std::memset(block_.shared.get() + launch_.reserved_shared_base, 0, launch_.reserved_shared_bytes);
  block_.barriers.fill({});
  block_.parted = {};
  const std::uint64_t threads = launch_.request->spec.block.volume();
  block_.live_threads = static_cast<std::uint32_t>(threads);
  const FunctionCode& function = *launch_.program->functions[launch_.code->function];
  fill_specials_of_block();
  for (Warp& warp : block_.warps) {
    start_warp(warp, function, lanes_of_warp(threads, warp.index));
    warp.clock = 0;
    warp.budget = 0;
  }
  if (AccessTrace* trace = counting_->trace_.get()) {
    trace->begin_block(block_, counting_->counts_);
    if (trace->hand_overs()) trace->hand_overs()->begin_block(block_, counting_->counts_);
  }
  if (observer_) observer_->start_block(linear_index(launch_.request->spec.grid, block_.index));
}

Turn BlockRunner::run_turn() {
  const std::uint64_t communications = block_.communications, phase_events = block_.phase_events;
  bool all_yielded = true;
  if (!run_warps(all_yielded)) return Turn::kWaits;
  if (finished()) {
    launch_.ended_blocks.add_one();
    if (launch_.code->ordered) launch_.steps.at_end.store(launch_.steps.count, std::memory_order_relaxed);
    finish_bulk_copies(block_);
    if (AccessTrace* trace = counting_->trace_.get()) {
      trace->end_block(block_, counting_->counts_);
      if (trace->hand_overs()) trace->hand_overs()->end_block(block_, counting_->counts_);
    }
    if (Recorder* recorder = counting_->recorder_.get()) recorder->end_block(block_);
  }
  if (!is_idle(phase_events, communications))
    standstill_.end();
  else if (standstill_.lasts(block_))
    return Turn::kWaits;
  return !all_yielded || block_.communications == communications ? Turn::kProgress : Turn::kPolls;
}

// Whether the runnable warps have only polled an incomplete mbarrier phase in this turn.
bool BlockRunner::is_idle(std::uint64_t phase_events, std::uint64_t communications) const {
  return block_.phase_events == phase_events && block_.communications == communications && !finished() &&
         std::ranges::all_of(block_.warps,
                             [](const Warp& warp) { return warp.stalled_at || !has_runnable_path(warp); });
}

// Runs every runnable warp for one turn; returns false if no warp was runnable.
bool BlockRunner::run_warps(bool& all_yielded) {
  bool ran = false;
  for (Warp& warp : block_.warps) {
    warp.stalled_at = nullptr;
    if (!has_runnable_path(warp)) continue;
    run_warp(warp);
    all_yielded = all_yielded && warp.outcome == Outcome::kYielded;
    ran = true;
  }
  open_barriers(block_);
  return ran;
}

void BlockRunner::execute(const Inst* inst, Warp& warp) {
  if (watch_ && watch_->watches(warp.index)) return run_watched(inst, warp, *watch_);
  while (inst) inst = inst->run(inst, warp);
}

// Warp instructions after which a launch is watched for progress; about a second of work.
constexpr std::uint64_t kStepsBeforeWatch = 1u << 26;

namespace {

// An instruction for reporting a warp between two turns: the next one of its first path, or the barrier where
// that path waits. For a warp that has ended, whose frames are gone, the first instruction of the kernel.
const Inst* instruction_of(const Warp& warp) {
  const Launch& launch = *warp.launch;
  const auto behind_head = [](const Inst* head, const FunctionCode& function) {
    return std::min(head + 1, &function.code.back());
  };
  if (warp.parked.empty()) {
    const FunctionCode& kernel = *launch.program->functions[static_cast<std::size_t>(launch.code->function)];
    return behind_head(kernel.entry(), kernel);
  }
  const Path& path = warp.parked.front();
  if (path.wait == Wait::kBarrier) return path.pc - 1;
  return behind_head(path.pc, *warp.frames[static_cast<std::size_t>(path.frame)].function);
}

}  // namespace

void BlockRunner::run_warp(Warp& warp) {
  warp.clock += kInstructionsOfATurn - warp.budget;  // discards the rest of the previous turn
  warp.budget = kInstructionsOfATurn;
  warp.unused = 0;
  warp.outcome = Outcome::kRunning;
  execute(next_path(warp), warp);
  // A turn without instructions counts, too: a launch may have 2^63 blocks of an empty kernel.
  const std::int64_t left = std::max<std::int64_t>(warp.budget, 0) + warp.unused;
  const std::int64_t used = std::max<std::int64_t>(1, kInstructionsOfATurn - left);
  steps_ += used;
  ProcessorBudget* const budget = launch_.request->options.budget;
  if (budget) budget->take_steps(used + kStepsOfATurn + (observer_ ? observer_->take_effort() : 0));
  if (launch_.checks.suspicion && launch_.checks.suspicion->is_raised()) throw LaunchAbandoned{};
  untold_steps_ += used;
  const bool are_awaited = finished() && (launch_.request->options.max_steps > 0 || launch_.code->ordered),
             are_many = untold_steps_ >= kInstructionsOfATurn ||
                        steps_ > launch_.request->options.max_steps_of_a_block;
  if (!budget && !are_many && !are_awaited) return;
  const std::uint64_t steps_of_launch = tell_steps();
  if (Message why = why_to_stop(steps_of_launch); !why.empty()) stop_in_the_middle(warp, std::move(why));
  if (steps_of_launch > kStepsBeforeWatch && launch_.request->on_line) tell_line(warp);
  if (steps_ > kStepsBeforeWatch && launch_.request->options.max_steps == 0 && !budget &&
      progress_.is_stuck(warp, launch_.ended_blocks))
    stop_in_the_middle(warp, msg::limit_no_progress(static_cast<std::uint64_t>(kPatience.count())));
}

// Adds steps in batches, because all host threads update the same word: several short warps, and if no limit
// depends on it, several short blocks.
std::uint64_t BlockRunner::tell_steps() {
  const auto steps = static_cast<std::uint64_t>(std::exchange(untold_steps_, 0));
  return launch_.steps.count.fetch_add(steps, std::memory_order_relaxed) + steps;
}

Message BlockRunner::why_to_stop(std::uint64_t steps) const {
  const LaunchRequest& request = *launch_.request;
  if (request.stop && request.stop->load(std::memory_order_relaxed)) return msg::launch_interrupted();
  if (request.options.max_steps > 0 && steps > request.options.max_steps)
    return msg::limit_warp_instructions(request.options.max_steps);
  // Blocks that wait for each other share one host thread, and all of them may be in infinite loops.
  const std::uint64_t without_end = launch_.code->ordered ? steps - launch_.steps.at_end : steps_;
  if (request.options.max_steps == 0 && without_end > request.options.max_steps_of_a_block)
    return msg::limit_block_instructions(request.options.max_steps_of_a_block);
  if (request.options.budget && request.options.budget->has_no_steps_left())
    return msg::limit_steps_of_launches(request.options.budget->steps());
  if (request.options.budget && request.options.budget->is_spent())
    return msg::limit_processor_time(request.options.budget->seconds());
  return {};
}

void BlockRunner::tell_line(const Warp& warp) {
  constexpr std::int64_t kPause = 1'000'000'000;
  const std::int64_t now = coarse_now_ns();
  std::int64_t next = launch_.next_line_ns.load(std::memory_order_relaxed);
  if (now >= next && launch_.next_line_ns.compare_exchange_strong(next, now + kPause))
    (*launch_.request->on_line)(line_of(warp, instruction_of(warp)));
}

void BlockRunner::stop_in_the_middle(const Warp& warp, Message why) const {
  Hazard hazard = hazard_at(instruction_of(warp), warp, std::countr_zero(warp.live ? warp.live : 1u),
                            HazardKind::kStepLimit);
  hazard.what = std::move(why);
  hazard.fix = msg::advice_loop_never_ends();
  throw KernelFault{std::move(hazard)};
}

void BlockRunner::report_deadlock() {
  for (Warp& warp : block_.warps)
    if (warp.stalled_at) report_endless_phase(warp);  // warps at a barrier may be waiting for this one
  for (Warp& warp : block_.warps) {
    if (warp.parked.empty()) continue;
    const Path& path = warp.parked.front();
    if (path.wait == Wait::kCluster) report_incomplete_cluster(warp, path);
    const bool at_barrier = path.wait == Wait::kBarrier;
    const Inst* where = at_barrier ? path.pc - 1 : path.pc;
    Hazard hazard = hazard_at(where, warp, std::countr_zero(path.mask), HazardKind::kDeadlock);
    if (at_barrier) {
      const Barrier& barrier = block_.barriers[path.barrier];
      hazard.what = barrier.expected ? msg::barrier_count_missing(barrier.expected, barrier.arrived)
                                     : msg::barrier_incomplete(barrier.arrived, block_.live_threads);
      hazard.fix = barrier.expected ? msg::advice_barrier_count() : msg::advice_same_barrier();
    } else {
      hazard.what = msg::lanes_never_come(path.mask);
      hazard.fix = msg::advice_mask_names_callers();
      if (const Inst* branch = branch_past(where, *warp.frames[path.frame].function, *launch_.program)) {
        hazard.other = line_of(warp, branch);
        hazard.what = msg::lanes_led_elsewhere(path.mask, warp.live & ~path.mask,
                                               line_argument(*hazard.other, hazard.where));
        hazard.fix = msg::advice_warp_function_out_of_branch();
      }
    }
    throw KernelFault{std::move(hazard)};
  }
  throw std::logic_error("a block has live threads but no path");
}

}  // namespace cudalab::vgpu
