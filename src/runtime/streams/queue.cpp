// Streams, their queued work in the order in which a device runs it, its modeled times, and races between
// streams.
#include "runtime/streams/queue.h"

#include <algorithm>
#include <cmath>

#include "messages/runtime.h"
#include "runtime/modules/modules.h"
#include "vgpu/warp_shape.h"

namespace cudalab::runtime {
namespace {

constexpr double kBytesPerMsOfOneGb = 1e6, kOnHostGb = 10;
// The fractions of the theoretical DRAM bandwidth that copies within the device and memsets reach, measured
// on an H200 (expected/h200/memory.json). A copy reads and writes each byte.
constexpr double kReachedCopying = 0.83, kReachedFilling = 0.73;

double gb_per_second(CopyDirection direction, bool is_pageable, const vgpu::Card& card) {
  switch (direction) {
    case CopyDirection::kOnDevice: return kReachedCopying * card.dram_gb_per_second / 2;
    case CopyDirection::kOnHost: return kOnHostGb;
    case CopyDirection::kFill: return kReachedFilling * card.dram_gb_per_second;
    default: return is_pageable ? card.pageable_gb_per_second : card.pinned_gb_per_second;
  }
}

double ms_for(std::uint64_t bytes, double gb_per_second) {
  return static_cast<double>(bytes) / (gb_per_second * kBytesPerMsOfOneGb);
}

}  // namespace

double copy_ms(CopyDirection direction, std::uint64_t bytes, bool is_pageable, const vgpu::Card& card) {
  return card.copy_us / 1000 + ms_for(bytes, gb_per_second(direction, is_pageable, card));
}

double peer_copy_ms(std::uint64_t bytes, bool has_access, const vgpu::Card& card) {
  // Measured between two H200 (expected/h200/README.md): the overheads, and the share of the bandwidth of
  // pinned memory that copies through the host reach.
  constexpr double kLinkedUs = 7.6, kThroughHostUs = 18.9, kReachedThroughHost = 0.69;
  const double link = card.peer_gb_per_second > 0 ? card.peer_gb_per_second : card.pinned_gb_per_second;
  return has_access ? kLinkedUs / 1000 + ms_for(bytes, link)
                    : kThroughHostUs / 1000 + ms_for(bytes, kReachedThroughHost * card.pinned_gb_per_second);
}

// Without a prediction, the time is the larger of DRAM time for all sectors and issue time at one warp
// instruction per cycle and scheduler. No other place estimates a time without the time model.
double kernel_ms(const LaunchResult& result, const vgpu::Card& card) {
  if (result.prediction) return result.prediction->ms;
  const double launch_ms = card.launch_us / 1000;
  if (!result.counters) return launch_ms;
  double sectors = 0;
  for (const Counter counter : {Counter::kGlobalLoadSectors, Counter::kGlobalStoreSectors,
                                Counter::kGlobalAtomicSectors, Counter::kGlobalReductionSectors})
    sectors += result.counters->value_or_zero(counter);
  const double memory =
      ms_for(static_cast<std::uint64_t>(sectors) * vgpu::kSectorBytes, card.dram_gb_per_second);
  const double issue = result.counters->value_or_zero(Counter::kWarpInstructions) /
                       (card.clock_mhz * 1000 * card.schedulers * card.multiprocessors);
  return launch_ms + std::max(memory, issue);
}

double share_of_card(const LaunchResult& result, const vgpu::Card& card, std::uint64_t blocks) {
  if (result.prediction && result.prediction->occupancy.waves > 0)
    return std::min(1.0, result.prediction->occupancy.waves);
  return std::min(1.0, static_cast<double>(blocks) / card.multiprocessors);
}

double wave_ms(double ms, const LaunchResult& result) {
  const double waves = result.prediction ? result.prediction->occupancy.waves : 1;
  return ms / std::max(1.0, std::ceil(waves));
}

// A kernel ends when its children have ended. Children of one block run one after the other, those of several
// blocks at the same time as long as they fit the GPU. Measured on an H200
// (expected/h200/child_launches.txt): the first child begins 10 us later than a kernel that the host
// launches, a block launches one child per 6.2 us, and all blocks together launch one per 0.6 us.
double children_ms(const LaunchResult& result, const vgpu::Card& card, std::uint64_t blocks) {
  constexpr double kMostGrids = 128;  // that run at the same time, on compute capability 7.0 and later
  constexpr double kFirstMs = 0.010, kLaunchMs = 0.0062, kLeastLaunchMs = 0.0006;
  if (result.children.empty()) return 0;
  double running_ms = 0, launches = 0;
  for (const ChildLaunch& child : result.children) {
    const std::uint64_t child_blocks = child.spec.grid.volume();
    const double share = share_of_card(child.result, card, child_blocks);
    const double together =
        std::min({static_cast<double>(blocks), 1 / std::max(share, 1 / kMostGrids), kMostGrids});
    running_ms += (kernel_ms(child.result, card) + children_ms(child.result, card, child_blocks)) / together;
    launches += static_cast<double>(child.launches);
  }
  const double each_ms =
      std::max(kLeastLaunchMs, kLaunchMs / static_cast<double>(std::max<std::uint64_t>(blocks, 1)));
  return kFirstMs + std::max(running_ms, launches * each_ms);
}

double Clock::free_at(const Busy& one, double earliest_ms, int priority) {
  if (priority >= one.load.priority) return one.span.end_ms;
  return std::min(one.span.end_ms, std::max(earliest_ms, one.span.start_ms) + one.load.wave_ms);
}

PredictedSpan Clock::run(Engine engine, int device, double earliest_ms, double duration_ms,
                         const KernelLoad& load) {
  PredictedSpan span{earliest_ms, earliest_ms + duration_ms};
  if (engine == Engine::kNone) return span;
  if (engine != Engine::kCompute) {
    double& end = copies_end_[{device, engine}];
    span.start_ms = std::max(earliest_ms, end);
    return {span.start_ms, end = span.start_ms + duration_ms};
  }
  // A kernel starts as soon as the running kernels leave enough of the GPU free.
  std::vector<Busy>& busy = kernels_[device];
  std::erase_if(busy, [&](const Busy& one) { return one.span.end_ms <= earliest_ms; });
  const auto frees = [&](const Busy& one) { return free_at(one, earliest_ms, load.priority); };
  std::ranges::sort(busy, {}, frees);
  double used = 0;
  for (const Busy& one : busy) used += one.load.share;
  constexpr double kWhole = 1.0 + 1e-9;
  for (std::size_t i = 0; i < busy.size() && used + load.share > kWhole; ++i) {
    used -= busy[i].load.share;
    span.start_ms = std::max(earliest_ms, frees(busy[i]));
  }
  span.end_ms = span.start_ms + duration_ms;
  busy.push_back({span, load});
  return span;
}

// While the other kernel runs, it has the share of the GPU that it takes from the waiting one.
PredictedSpan Clock::delay(const PredictedSpan& waiting, const PredictedSpan& other, int device) {
  PredictedSpan delayed = waiting;
  for (Busy& one : kernels_[device]) {
    if (one.span.start_ms != waiting.start_ms || one.span.end_ms != waiting.end_ms) continue;
    if (other.start_ms < waiting.end_ms) one.span.end_ms += other.end_ms - other.start_ms;
    delayed = one.span;
    break;
  }
  return delayed;
}

namespace {

using vgpu::TouchedSpan;

constexpr std::size_t kMostUses = 4096;   // uses that are kept per memory
constexpr std::size_t kMostSpans = 1024;  // per memory and piece of work; further spans are ignored

bool overlap(const TouchedSpan& a, const TouchedSpan& b) { return a.begin < b.end && b.begin < a.end; }

bool disturb(TouchedSpan::Kind a, TouchedSpan::Kind b) { return a != b || a == TouchedSpan::kWrite; }

bool disturb(const TouchedSpan& a, const TouchedSpan& b) { return overlap(a, b) && disturb(a.kind, b.kind); }

Message stream_called(std::int64_t lane) {
  return lane <= 0 ? msg::stream_default() : msg::stream_number(lane);
}

Message access_of(TouchedSpan::Kind kind) {
  return kind == TouchedSpan::kRead     ? msg::work_reads()
         : kind == TouchedSpan::kAtomic ? msg::work_updates()
                                        : msg::work_writes();
}

}  // namespace

Argument name_of(const Work& work) {
  if (!work.job.is_kernel) return work.job.name;
  return msg::work_kernel(Code{readable(work.job.name)});
}

StreamRaces::Uses& StreamRaces::uses_of(const MemoryBlock& block) {
  Uses& uses = uses_[block.address];
  if (uses.of != block.name) uses = {block.name, {}};
  if (uses.all.size() > kMostUses) uses.all.clear();
  return uses;
}

HostMistake StreamRaces::mistake(const Work& work, const Use& mine, const Use& other,
                                 const MemoryBlock& block) const {
  const std::uint64_t first = std::max(mine.span.begin, other.span.begin);
  return {MistakeKind::kUnorderedStreams,
          msg::streams_unordered(mine.name, stream_called(mine.lane), access_of(mine.span.kind),
                                 first - block.address, Code{block.name}, other.name,
                                 stream_called(other.lane), access_of(other.span.kind)),
          msg::advice_order_streams(), work.job.from, 1};
}

std::vector<HostMistake> StreamRaces::after(const Work& work, const std::vector<TouchedSpan>& touched,
                                            const Seen& seen_by_all) {
  std::vector<HostMistake> mistakes;
  std::map<const MemoryBlock*, std::vector<Use>> by_memory;
  for (const TouchedSpan& span : touched)
    if (const MemoryBlock* block = memory_->find(span.begin))
      by_memory[block].push_back({span, work.lane, work.number, name_of(work)});
  for (auto& [block, mine] : by_memory) {
    Uses& uses = uses_of(*block);
    if (mine.size() > kMostSpans) continue;
    for (const Use& other : uses.all) {
      if (work.seen.holds(other.lane, other.number) || other.lane == work.lane) continue;
      const auto met =
          std::ranges::find_if(mine, [&](const Use& use) { return disturb(use.span, other.span); });
      if (met == mine.end()) continue;
      std::tuple<Argument, Argument, std::string> pair{met->name, other.name, block->name};
      if (std::ranges::find(said_, pair) != said_.end()) continue;
      said_.push_back(std::move(pair));
      mistakes.push_back(mistake(work, *met, other, *block));
    }
    uses.all.insert(uses.all.end(), mine.begin(), mine.end());
    std::erase_if(uses.all, [&](const Use& use) { return seen_by_all.holds(use.lane, use.number); });
  }
  return mistakes;
}

void add_rows(std::uint64_t address, std::size_t bytes, std::size_t pitch, std::size_t rows,
              TouchedSpan::Kind kind, std::vector<TouchedSpan>& to) {
  if (rows == 1 || pitch == bytes) return to.push_back({address, address + bytes * rows, kind});
  if (rows > kMostSpans) return;
  for (std::size_t row = 0; row < rows; ++row)
    to.push_back({address + row * pitch, address + row * pitch + bytes, kind});
}

namespace {

// A GPU holds about this many queued launches; the next launch call blocks.
constexpr std::size_t kMostPending = 1024;

void add_pending(std::vector<WorkRef>& to, const WorkRef& work) {
  if (work && !work->is_done) to.push_back(work);
}

std::int64_t lane_of(const Stream& stream) { return stream.number != 0 ? stream.number : -stream.device; }

void add(Seen& seen, const WorkRef& work) {
  if (!work) return;
  seen.add(work->seen);
  seen.add(work->lane, work->number);
}

}  // namespace

bool Seen::holds(std::int64_t lane, std::uint64_t number) const {
  const auto found = of_lane.find(lane);
  return number <= of_all || (found != of_lane.end() && number <= found->second);
}

void Seen::add(std::int64_t lane, std::uint64_t number) {
  if (number <= of_all) return;
  std::uint64_t& known = of_lane[lane];
  known = std::max(known, number);
}

void Seen::add(const Seen& other) {
  if (other.of_all > of_all) {
    of_all = other.of_all;
    std::erase_if(of_lane, [&](const auto& one) { return one.second <= of_all; });
  }
  for (const auto& [lane, number] : other.of_lane) add(lane, number);
}

Stream& Queue::legacy(int device) {
  auto& stream = legacy_[device];
  if (!stream) {
    stream = std::make_unique<Stream>();
    stream->device = device;
  }
  return *stream;
}

Stream* Queue::create(int device, bool is_blocking, int priority) {
  auto* stream = new Stream;
  stream->device = device;
  stream->number = next_stream_++;
  stream->is_blocking = is_blocking;
  stream->priority = priority;
  has_priorities_ |= priority != 0;
  streams_.insert(stream);
  may_run_side_by_side_ |= !is_blocking || next_stream_ > 2;
  return stream;
}

// Work queued on the stream still runs when the host waits for the device.
void Queue::destroy(Stream* stream) {
  streams_.erase(stream);
  if (stream->is_blocking) {
    add_pending(orphans_, stream->last);
    add(seen_by_orphans_, stream->last);
  }
  delete stream;
}

// The legacy default stream waits for all blocking streams of its device, and each of them waits for it.
std::vector<WorkRef> Queue::last_before(Stream& stream) {
  std::vector<WorkRef> last{stream.last};
  Stream& base = legacy(stream.device);
  if (&stream == &base) {
    for (const Stream* other : streams_)
      if (other->device == stream.device && other->is_blocking) last.push_back(other->last);
    std::erase_if(orphans_, [](const WorkRef& work) { return work->is_done; });
    for (const WorkRef& work : orphans_)
      if (work->device == stream.device) last.push_back(work);
  } else if (stream.is_blocking) {
    last.push_back(base.last);
  }
  return last;
}

std::vector<WorkRef> Queue::tail_of(Stream& stream) {
  std::vector<WorkRef> tail;
  for (const WorkRef& work : last_before(stream)) add_pending(tail, work);
  return tail;
}

WorkRef Queue::enqueue_node(const Stream& stream, Job job, std::vector<WorkRef> after) {
  auto work = std::make_shared<Work>();
  work->number = next_number_++;
  work->lane = lane_of(stream);
  jobs_ += job.is_marker ? 0 : 1;
  work->job = std::move(job);
  work->device = stream.device;
  work->priority = stream.priority;
  work->earliest_ms = clock_->now();
  work->seen = seen_by_host_;
  for (const WorkRef& before : after) {
    add(work->seen, before);
    if (before) work->earliest_ms = std::max(work->earliest_ms, before->is_done ? before->span.end_ms : 0.0);
  }
  work->after = std::move(after);
  pending_[work->number] = work;
  watch_->queued();
  return work;
}

WorkRef Queue::enqueue(Stream& stream, Job job, std::vector<WorkRef> also_after) {
  const std::vector<WorkRef> last = last_before(stream);
  std::vector<WorkRef> after = tail_of(stream);
  // Completed work does not delay the launch, but its end still limits the start time.
  if (stream.last && stream.last->is_done) after.push_back(stream.last);
  after.insert(after.end(), also_after.begin(), also_after.end());
  WorkRef work = enqueue_node(stream, std::move(job), std::move(after));
  for (const WorkRef& before : last) add(work->seen, before);
  if (stream.number == 0) work->seen.add(seen_by_orphans_);
  stream.last = work;
  while (pending_.size() > kMostPending) wait(WorkRef(pending_.begin()->second));
  return work;
}

// By number: no piece of work depends on one with a higher number.
std::map<std::uint64_t, WorkRef> Queue::closure_of(const WorkRef& work) const {
  std::map<std::uint64_t, WorkRef> found;
  std::vector<WorkRef> open{work};
  while (!open.empty()) {
    const WorkRef next = std::move(open.back());
    open.pop_back();
    if (next->is_done || !found.emplace(next->number, next).second) continue;
    open.insert(open.end(), next->after.begin(), next->after.end());
  }
  return found;
}

namespace {

double earliest_start(const Work& work) {
  double earliest = work.earliest_ms;
  for (const WorkRef& before : work.after) earliest = std::max(earliest, before->span.end_ms);
  return earliest;
}

}  // namespace

WorkRef Queue::urgent(const Work& work, double before_ms) const {
  for (const auto& [number, other] : pending_)
    if (other->job.is_kernel && other->device == work.device && other->priority < work.priority &&
        std::ranges::all_of(other->after, [](const WorkRef& before) { return before->is_done; }) &&
        earliest_start(*other) < before_ms)
      return other;
  return nullptr;
}

PredictedSpan Queue::run_urgent(const Work& work, PredictedSpan span) {
  while (const WorkRef other = urgent(work, span.end_ms)) {
    run_one(*other);
    span = clock_->delay(span, other->span, work.device);
  }
  return span;
}

void Queue::run_one(Work& work) {
  const double earliest = earliest_start(work);
  watch_->before(work);
  // A copy, because a fault may discard the work while it runs.
  const std::function<Outcome()> job = std::move(work.job.run);
  const Outcome outcome = job();
  KernelLoad load = outcome.load;
  load.priority = work.priority;
  const PredictedSpan span = clock_->run(work.job.engine, work.device, earliest, outcome.ms, load);
  work.span = work.job.is_kernel && has_priorities_ ? run_urgent(work, span) : span;
  work.is_done = true;
  if (const auto queued = pending_.find(work.number);
      queued != pending_.end() && queued->second.get() == &work)
    pending_.erase(queued);
  watch_->after(work, outcome);
  work.after.clear();
  work.job = {};
  if (outcome.tell) outcome.tell({work.span, std::max<std::int64_t>(work.lane, 0)});
}

WorkRef Queue::run_inside(const Work& outer, Job job, std::vector<WorkRef> after) {
  auto work = std::make_shared<Work>();
  work->number = outer.number;
  work->lane = outer.lane;
  work->seen = outer.seen;
  work->job = std::move(job);
  work->device = outer.device;
  work->priority = outer.priority;
  work->after = std::move(after);
  work->earliest_ms = outer.earliest_ms;
  run_one(*work);
  return work;
}

void Queue::run(const WorkRef& work) {
  if (!work || work->is_done) return;
  for (const auto& [number, next] : closure_of(work))
    if (!next->is_done) run_one(*WorkRef(next));
}

void Queue::wait(const WorkRef& work) {
  ++waits_;
  if (!work) return;
  run(work);
  host_knows(work);
  clock_->host_waits_until(work->span.end_ms);
}

void Queue::settle(const Event& event) {
  const auto is_marker = [](const auto& one) { return one.second->job.is_marker; };
  if (event.recorded && event.waits < waits_ && std::ranges::all_of(closure_of(event.recorded), is_marker))
    wait(event.recorded);
}

void Queue::host_knows(const WorkRef& work) { add(seen_by_host_, work); }

void Queue::wait(Stream& stream) {
  if (stream.number == 0)
    for (const WorkRef& work : tail_of(stream)) wait(work);
  wait(WorkRef(stream.last));
}

void Queue::wait_for_device(int device) {
  while (true) {
    const auto next =
        std::ranges::find_if(pending_, [&](const auto& one) { return one.second->device == device; });
    if (next == pending_.end()) break;
    wait(WorkRef(next->second));
  }
  const auto base = legacy_.find(device);
  if (base != legacy_.end()) wait(WorkRef(base->second->last));
  for (Stream* stream : streams_)
    if (stream->device == device) wait(WorkRef(stream->last));
  if (legacy_.size() == 1 && legacy_.contains(device)) seen_by_host_.add({last_number(), {}});
}

void Queue::wait_for_all() {
  while (!pending_.empty()) wait(WorkRef(pending_.begin()->second));
}

void Queue::make_progress(const WorkRef& work) {
  if (!work || work->is_done) return;
  run_one(*WorkRef(closure_of(work).begin()->second));
}

void Queue::drop_pending() {
  for (const auto& [number, work] : pending_) {
    work->is_done = true;
    work->after.clear();
    work->job = {};
  }
  pending_.clear();
}

}  // namespace cudalab::runtime
