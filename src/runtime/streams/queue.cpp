// The CUDA C++ Programming Guide, "Streams", says what waits for what.
#include "runtime/streams/queue.h"

#include <algorithm>

namespace cudalab::runtime {
namespace {

// A card takes so many before a launch waits for room.
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
  streams_.insert(stream);
  may_run_side_by_side_ |= !is_blocking || next_stream_ > 2;
  return stream;
}

// What is queued on it still runs, for who waits for the device.
void Queue::destroy(Stream* stream) {
  streams_.erase(stream);
  if (stream->is_blocking) {
    add_pending(orphans_, stream->last);
    add(seen_by_orphans_, stream->last);
  }
  delete stream;
}

// The legacy stream comes behind all blocking streams of its device, and they behind it.
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
  work->job = std::move(job);
  work->device = stream.device;
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
  // What has run already still decides when the next begins.
  if (stream.last && stream.last->is_done) after.push_back(stream.last);
  after.insert(after.end(), also_after.begin(), also_after.end());
  WorkRef work = enqueue_node(stream, std::move(job), std::move(after));
  for (const WorkRef& before : last) add(work->seen, before);
  if (stream.number == 0) work->seen.add(seen_by_orphans_);
  stream.last = work;
  while (pending_.size() > kMostPending) wait(WorkRef(pending_.begin()->second));
  return work;
}

// In the order of their numbers, which no piece of work has before what it waits for.
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

void Queue::run_one(Work& work) {
  double earliest = work.earliest_ms;
  for (const WorkRef& before : work.after) earliest = std::max(earliest, before->span.end_ms);
  watch_->before(work);
  const std::function<Outcome()> job = std::move(work.job.run);  // a fault may drop the work meanwhile
  const Outcome outcome = job();
  work.span = clock_->run(work.job.engine, work.device, earliest, outcome.ms, outcome.share);
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
