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

}  // namespace

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
  return stream;
}

// What is queued on it still runs, for who waits for the device.
void Queue::destroy(Stream* stream) {
  streams_.erase(stream);
  if (stream->is_blocking) add_pending(orphans_, stream->last);
  delete stream;
}

// The legacy stream comes behind all blocking streams of its device, and they behind it.
std::vector<WorkRef> Queue::tail_of(Stream& stream) {
  std::vector<WorkRef> tail;
  add_pending(tail, stream.last);
  Stream& base = legacy(stream.device);
  if (&stream == &base) {
    for (const Stream* other : streams_)
      if (other->device == stream.device && other->is_blocking) add_pending(tail, other->last);
    std::erase_if(orphans_, [](const WorkRef& work) { return work->is_done; });
    for (const WorkRef& work : orphans_)
      if (work->device == stream.device) tail.push_back(work);
  } else if (stream.is_blocking) {
    add_pending(tail, base.last);
  }
  return tail;
}

WorkRef Queue::enqueue_node(int device, Job job, std::vector<WorkRef> after) {
  auto work = std::make_shared<Work>();
  work->number = next_number_++;
  work->job = std::move(job);
  work->device = device;
  work->earliest_ms = clock_->now();
  for (const WorkRef& before : after)
    if (before) work->earliest_ms = std::max(work->earliest_ms, before->is_done ? before->span.end_ms : 0.0);
  work->after = std::move(after);
  pending_[work->number] = work;
  watch_->queued();
  return work;
}

WorkRef Queue::enqueue(Stream& stream, Job job, std::vector<WorkRef> also_after) {
  std::vector<WorkRef> after = tail_of(stream);
  // What has run already still decides when the next begins.
  if (stream.last && stream.last->is_done) after.push_back(stream.last);
  after.insert(after.end(), also_after.begin(), also_after.end());
  WorkRef work = enqueue_node(stream.device, std::move(job), std::move(after));
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
  const Outcome outcome = work.job.run();
  work.span = clock_->run(work.job.engine, work.device, earliest, outcome.ms, outcome.share);
  work.is_done = true;
  pending_.erase(work.number);
  watch_->after(work);
  work.after.clear();
  work.job = {};
  if (outcome.tell) outcome.tell(work.span);
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
  clock_->host_waits_until(work->span.end_ms);
}

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
