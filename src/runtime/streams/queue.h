// Streams, their queued work in the order in which a device runs it, its modeled times, and races between
// streams.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/measurement.h"
#include "core/programs/program_record.h"
#include "runtime/memory.h"
#include "vgpu/card.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// The model's clock: when each piece of work runs on a GPU.

enum class Engine : std::uint8_t { kNone, kCompute, kToDevice, kFromDevice };

// The time of a copy between host and device or within the device.
double copy_ms(CopyDirection direction, std::uint64_t bytes, bool is_pageable, const vgpu::Card& card);
// The time of a copy between two GPUs: over their link if one has access to the other's memory, else through
// the host.
double peer_copy_ms(std::uint64_t bytes, bool has_access, const vgpu::Card& card);
// The time of a launch; an estimate if it has no prediction.
double kernel_ms(const LaunchResult& result, const vgpu::Card& card);
// The time that the children of a kernel with this many blocks add to it.
double children_ms(const LaunchResult& result, const vgpu::Card& card, std::uint64_t blocks);
// The time of one of the waves of blocks in which a kernel that takes `ms` runs.
double wave_ms(double ms, const LaunchResult& result);
// The fraction of the GPU that a kernel occupies, 0 to 1. Other kernels can run in the rest at the same time.
double share_of_card(const LaunchResult& result, const vgpu::Card& card, std::uint64_t blocks);

inline constexpr double kLaunchCallMs = 0.002;  // host time per launch call

// What a kernel takes of the GPU: a share of it (0 to 1) until it ends. `wave_ms`: the time until its running
// blocks end. Then blocks of a kernel with a higher priority (a lower number) start first.
struct KernelLoad {
  double share = 1;
  double wave_ms = 0;
  int priority = 0;
};

// Schedules work on the engines of the devices: one copy at a time per direction, and concurrent kernels as
// long as their shares fit the GPU. A kernel is delayed by those that are scheduled after it only with
// delay().
class Clock {
 public:
  double now() const { return host_ms_; }
  void host_waits_until(double ms) { host_ms_ = ms > host_ms_ ? ms : host_ms_; }
  void host_works(double ms) { host_ms_ += ms; }
  PredictedSpan run(Engine engine, int device, double earliest_ms, double duration_ms,
                    const KernelLoad& load);
  // The span of a kernel whose blocks wait for the blocks of another one.
  PredictedSpan delay(const PredictedSpan& waiting, const PredictedSpan& other, int device);

 private:
  struct Busy {
    PredictedSpan span;
    KernelLoad load;
  };
  // When a kernel that could start at `earliest_ms` gets the share of a running one.
  static double free_at(const Busy& one, double earliest_ms, int priority);
  double host_ms_ = 0;
  std::map<std::pair<int, Engine>, double> copies_end_;
  std::map<int, std::vector<Busy>> kernels_;
};

// Streams and their queued work. Work runs only when the host waits for it, queries it, or stays idle.

struct Graph;

// When a piece of work ran, and on which stream (for a node of a graph, the stream of the launch).
struct Ran {
  PredictedSpan span;
  std::int64_t stream = 0;
};

// The duration of a piece of work, and a function that reports it once its start time is known.
struct Outcome {
  double ms = 0;
  KernelLoad load = {};  // its priority is the stream's
  std::function<void(const Ran&)> tell = {};
  std::vector<vgpu::TouchedSpan> touched = {};  // only if streams may run concurrently
};

// A set of completed work: in each lane, all work up to a number. A lane is the sequence of work of one
// stream.
struct Seen {
  std::uint64_t of_all = 0;
  std::map<std::int64_t, std::uint64_t> of_lane;

  bool holds(std::int64_t lane, std::uint64_t number) const;
  void add(std::int64_t lane, std::uint64_t number);
  void add(const Seen& other);
};

// A range of host memory that a piece of work accesses.
struct MemoryUse {
  enum Access : std::uint8_t { kReads, kWrites, kUnknown };
  std::uint64_t begin = 0, end = 0;
  Access access = kUnknown;
};

// A unit of work. A graph runs its jobs at each launch.
struct Job {
  std::string name;  // as reports name it; a kernel's symbol
  Engine engine = Engine::kNone;
  std::function<Outcome()> run;
  bool is_kernel = false;
  bool has_effect = true;     // a kernel that stores or prints something, or may do so
  bool communicates = false;  // a kernel that may poll for a value that the host writes
  bool is_marker = false;     // complete as soon as its predecessors are: an event or a wait
  std::vector<MemoryUse> uses;
  // Where the kernel was launched, or the copy called (copies: only if streams may run concurrently).
  CallSite from;
  // Returns the parameters of an equivalent graph node. Empty if they are unknown.
  std::function<cudaGraphNodeParams()> as_node = {};
};

struct Work {
  std::uint64_t number = 0;
  std::int64_t lane = 0;
  Seen seen;
  Job job;
  int device = 0, priority = 0;
  std::vector<std::shared_ptr<Work>> after;
  double earliest_ms = 0;
  PredictedSpan span;
  bool is_done = false;
};
using WorkRef = std::shared_ptr<Work>;

Argument name_of(const Work& work);  // as reports name it

struct Stream {
  int device = 0;
  std::int64_t number = 0;  // 0 is the legacy default stream
  bool is_blocking = true;  // it and the legacy default stream wait for each other
  int priority = 0;
  WorkRef last;
  // During capture: the graph, and the nodes that the next captured node depends on.
  std::shared_ptr<Graph> capture;
  std::vector<std::size_t> capture_tail;
  bool began_capture = false;
  bool is_graph_known = false;  // the program passed the graph, with cudaStreamBeginCaptureToGraph
  bool is_capture_broken = false;
};

struct Event {
  int device = 0;
  bool keeps_time = true;
  WorkRef recorded;         // null if it was never recorded, which counts as complete
  std::uint64_t waits = 0;  // the host's waits until it was recorded
  // The work for the GPU that had been queued by then, and the program's own time on the host.
  std::uint64_t jobs = 0;
  std::int64_t host_ns = 0;
  std::shared_ptr<Graph> capture;
  std::vector<std::size_t> capture_tail;
};

// Notified when work is queued, before it runs, and after it has run.
class WorkWatch {
 public:
  virtual ~WorkWatch() = default;
  virtual void queued() = 0;
  virtual void before(const Work& work) = 0;
  virtual void after(const Work& work, const Outcome& outcome) = 0;
};

class Queue {
 public:
  Queue(Clock& clock, WorkWatch& watch) : clock_(&clock), watch_(&watch) {}

  Stream& legacy(int device);
  Stream* create(int device, bool is_blocking, int priority);
  void destroy(Stream* stream);
  bool knows(const Stream* stream) const { return streams_.contains(const_cast<Stream*>(stream)); }
  const std::set<Stream*>& streams() const { return streams_; }

  // Queues a job after everything that the stream must wait for, and after `also_after`.
  WorkRef enqueue(Stream& stream, Job job, std::vector<WorkRef> also_after = {});
  // Queues a node of a graph: it depends on `after`, not on the order of a stream.
  WorkRef enqueue_node(const Stream& stream, Job job, std::vector<WorkRef> after);
  // Runs a job immediately, as a part of the work `outer`. Both share one number, so any work that is ordered
  // after one is ordered after both. Requires that all of `after` has run.
  WorkRef run_inside(const Work& outer, Job job, std::vector<WorkRef> after);
  void set_last(Stream& stream, WorkRef work) { stream.last = std::move(work); }

  // Runs the work and everything that it depends on, in the order of queuing.
  void run(const WorkRef& work);
  // Waits on behalf of the host: runs the work, and advances the model's clock to its end.
  void wait(const WorkRef& work);
  void wait(Stream& stream);
  void wait_for_device(int device);
  void wait_for_all();
  // Runs one piece of work that `work` depends on, and finally `work` itself, as each query does.
  void make_progress(const WorkRef& work);
  // Completes an event that depends on nothing but markers. On a GPU such an event is complete by the time
  // the host has waited for anything.
  void settle(const Event& event);
  // Notes that the host knows the work to be complete: work queued from now on is ordered after it.
  void host_knows(const WorkRef& work);
  const Seen& seen_by_host() const { return seen_by_host_; }
  // Whether there have been streams that do not wait for each other.
  bool may_run_side_by_side() const { return may_run_side_by_side_; }

  // The work that the stream's next piece of work would depend on.
  std::vector<WorkRef> tail_of(Stream& stream);
  std::size_t pending() const { return pending_.size(); }
  const std::map<std::uint64_t, WorkRef>& pending_work() const { return pending_; }
  std::uint64_t last_number() const { return next_number_ - 1; }
  std::uint64_t waits() const { return waits_; }  // of the host so far
  std::uint64_t jobs() const { return jobs_; }    // queued so far, without markers
  void drop_pending();                            // after a fault: discards all queued work

 private:
  void run_one(Work& work);
  // Runs the queued kernels of a higher priority that begin before `work` ends, and returns its delayed span.
  PredictedSpan run_urgent(const Work& work, PredictedSpan span);
  WorkRef urgent(const Work& work, double before_ms) const;
  std::vector<WorkRef> last_before(Stream& stream);
  std::map<std::uint64_t, WorkRef> closure_of(const WorkRef& work) const;

  Clock* clock_;
  WorkWatch* watch_;
  std::map<int, std::unique_ptr<Stream>> legacy_;
  std::set<Stream*> streams_;
  std::vector<WorkRef> orphans_;  // the last work of destroyed streams
  Seen seen_by_orphans_, seen_by_host_;
  bool may_run_side_by_side_ = false;
  bool has_priorities_ = false;  // some stream has had another priority than the others
  std::map<std::uint64_t, WorkRef> pending_;
  std::uint64_t next_number_ = 1, waits_ = 0, jobs_ = 0;
  std::int64_t next_stream_ = 1;
};

// Finds unordered work of different streams that uses the same bytes: the result then depends on which one a
// GPU runs first. For copies, the bytes are known; for kernels, they come from the race checks. Work that the
// host has waited for or queried counts as ordered, so races may be missed but none is reported falsely.

class StreamRaces {
 public:
  explicit StreamRaces(const Memory& memory) : memory_(&memory) {}

  // Called after a piece of work has run. `seen_by_all`: the work that all later work is ordered after.
  std::vector<HostMistake> after(const Work& work, const std::vector<vgpu::TouchedSpan>& touched,
                                 const Seen& seen_by_all);

 private:
  // One use of bytes by a piece of work.
  struct Use {
    vgpu::TouchedSpan span;
    std::int64_t lane = 0;
    std::uint64_t number = 0;
    Argument name;  // of the work
  };
  struct Uses {
    std::string of;  // the name of the memory; another block may later have its address
    std::vector<Use> all;
  };

  Uses& uses_of(const MemoryBlock& block);
  HostMistake mistake(const Work& work, const Use& mine, const Use& other, const MemoryBlock& block) const;

  const Memory* memory_;
  std::map<std::uint64_t, Uses> uses_;  // by the address of the memory
  // Conflicts that have been reported: two pieces of work, and the memory.
  std::vector<std::tuple<Argument, Argument, std::string>> said_;
};

// Adds the rows of one side of a copy as uses of bytes. Adds nothing if there are very many rows.
void add_rows(std::uint64_t address, std::size_t bytes, std::size_t pitch, std::size_t rows,
              vgpu::TouchedSpan::Kind kind, std::vector<vgpu::TouchedSpan>& to);

}  // namespace cudalab::runtime
