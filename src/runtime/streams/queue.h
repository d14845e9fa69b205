// Streams and their queued work in device order, its modeled times, and races between streams.
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

// What the runtime's own work costs on a card, and when each piece of work runs there: the model's clock.

enum class Engine : std::uint8_t { kNone, kCompute, kToDevice, kFromDevice };

// How long a copy takes between the host and a card, or on the card; and a launch that nothing is known of.
double copy_ms(CopyDirection direction, std::uint64_t bytes, bool is_pageable, const vgpu::Card& card);
double kernel_ms(const LaunchResult& result, const vgpu::Card& card);
// How much of the card a kernel keeps busy, 0 to 1: what is left others may use meanwhile.
double share_of_card(const LaunchResult& result, const vgpu::Card& card, std::uint64_t blocks);

inline constexpr double kLaunchCallMs = 0.002;  // of the host, until a launch is on its way

// When work runs on the engines of the cards: one copy at a time in each direction, and kernels side by side
// as long as the card has room for them.
class Clock {
 public:
  double now() const { return host_ms_; }
  void host_waits_until(double ms) { host_ms_ = ms > host_ms_ ? ms : host_ms_; }
  void host_works(double ms) { host_ms_ += ms; }
  PredictedSpan run(Engine engine, int device, double earliest_ms, double duration_ms, double share);

 private:
  struct Busy {
    double until_ms, share;
  };
  double host_ms_ = 0;
  std::map<std::pair<int, Engine>, double> copies_end_;
  std::map<int, std::vector<Busy>> kernels_;
};

// Streams and the work on them, in the order that a card keeps; nothing runs before somebody waits for it.

struct Graph;

// When a piece of work ran, and on which stream, which of a graph's node only the launch decides.
struct Ran {
  PredictedSpan span;
  std::int64_t stream = 0;
};

// What a piece of work took on the card, and what to say of it once it is known when.
struct Outcome {
  double ms = 0;
  double share = 1;  // of the card
  std::function<void(const Ran&)> tell = {};
  std::vector<vgpu::TouchedSpan> touched = {};  // where work may run side by side
};

// The work that is known to be over when something begins: of each lane all up to a number. A lane is what
// one stream runs, one piece of work behind the other.
struct Seen {
  std::uint64_t of_all = 0;
  std::map<std::int64_t, std::uint64_t> of_lane;

  bool holds(std::int64_t lane, std::uint64_t number) const;
  void add(std::int64_t lane, std::uint64_t number);
  void add(const Seen& other);
};

// Memory of the host that a piece of work uses: these bytes.
struct MemoryUse {
  enum Access : std::uint8_t { kReads, kWrites, kUnknown };
  std::uint64_t begin = 0, end = 0;
  Access access = kUnknown;
};

// What is to be done; a graph does it again and again.
struct Job {
  std::string name;  // as a report calls it; of a kernel its symbol
  Engine engine = Engine::kNone;
  std::function<Outcome()> run;
  bool is_kernel = false;
  bool communicates = false;  // a kernel that may wait for what the host writes (KernelInfo::communicates)
  bool is_marker = false;     // over as soon as what it comes behind: an event, a wait
  std::vector<MemoryUse> uses;
  CallSite from;  // of a kernel's launch; of a copy's call where work may run side by side
  // What a graph's node would be made from for it; null: nothing says so.
  std::function<cudaGraphNodeParams()> as_node = {};
};

struct Work {
  std::uint64_t number = 0;
  std::int64_t lane = 0;
  Seen seen;
  Job job;
  int device = 0;
  std::vector<std::shared_ptr<Work>> after;
  double earliest_ms = 0;
  PredictedSpan span;
  bool is_done = false;
};
using WorkRef = std::shared_ptr<Work>;

Argument name_of(const Work& work);  // as a report calls it

struct Stream {
  int device = 0;
  std::int64_t number = 0;  // 0: the legacy default stream
  bool is_blocking = true;  // waits for the legacy default stream, and that for it
  int priority = 0;
  WorkRef last;
  // While it is captured: into which graph, and behind which of its nodes the next one comes.
  std::shared_ptr<Graph> capture;
  std::vector<std::size_t> capture_tail;
  bool began_capture = false;
  bool is_graph_known = false;  // to the program, which said into which graph
  bool is_capture_broken = false;
};

struct Event {
  int device = 0;
  bool keeps_time = true;
  WorkRef recorded;         // empty: never, which counts as done
  std::uint64_t waits = 0;  // of the host, until then
  std::shared_ptr<Graph> capture;
  std::vector<std::size_t> capture_tail;
};

// Is told when a piece of work is queued, before it runs, and behind it.
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

  // Behind everything that the stream waits for, and what else is given.
  WorkRef enqueue(Stream& stream, Job job, std::vector<WorkRef> also_after = {});
  // Work that is in no stream's order but behind `after`: a node of a graph that the stream runs.
  WorkRef enqueue_node(const Stream& stream, Job job, std::vector<WorkRef> after);
  // Runs at once, as a part of work that runs: it bears that one's number, so that who knows one to be over
  // knows it of both. What it comes behind has run.
  WorkRef run_inside(const Work& outer, Job job, std::vector<WorkRef> after);
  void set_last(Stream& stream, WorkRef work) { stream.last = std::move(work); }

  // Runs the work and all that it waits for, in the order in which it was queued.
  void run(const WorkRef& work);
  // The host waits: the model's clock goes on to the end of the work.
  void wait(const WorkRef& work);
  void wait(Stream& stream);
  void wait_for_device(int device);
  void wait_for_all();
  // What a query does: the next piece of work that `work` waits for, itself in the end.
  void make_progress(const WorkRef& work);
  // An event behind nothing but markers is over on a card by the time that the host has waited for something,
  // and from now on here.
  void settle(const Event& event);
  // The host has learnt that the work is over: what it queues from now on comes behind it.
  void host_knows(const WorkRef& work);
  const Seen& seen_by_host() const { return seen_by_host_; }
  // Whether there have been streams that do not wait for each other.
  bool may_run_side_by_side() const { return may_run_side_by_side_; }

  // What a stream's next piece of work would come behind.
  std::vector<WorkRef> tail_of(Stream& stream);
  std::size_t pending() const { return pending_.size(); }
  const std::map<std::uint64_t, WorkRef>& pending_work() const { return pending_; }
  std::uint64_t last_number() const { return next_number_ - 1; }
  std::uint64_t waits() const { return waits_; }  // so often the host has waited
  void drop_pending();                            // after a fault: nothing of it runs any more

 private:
  void run_one(Work& work);
  std::vector<WorkRef> last_before(Stream& stream);
  std::map<std::uint64_t, WorkRef> closure_of(const WorkRef& work) const;

  Clock* clock_;
  WorkWatch* watch_;
  std::map<int, std::unique_ptr<Stream>> legacy_;
  std::set<Stream*> streams_;
  std::vector<WorkRef> orphans_;  // the last of streams that were destroyed meanwhile
  Seen seen_by_orphans_, seen_by_host_;
  bool may_run_side_by_side_ = false;
  std::map<std::uint64_t, WorkRef> pending_;
  std::uint64_t next_number_ = 1, waits_ = 0;
  std::int64_t next_stream_ = 1;
};

// Finds work of different streams that uses the same bytes although nothing orders it: what the program
// computes then depends on which of the two a card runs first. Of copies it is known which bytes they take,
// of kernels what the checks of races saw. What the host waited for, asked for or waited through is ordered,
// so a race may be missed, and none is made up.

class StreamRaces {
 public:
  explicit StreamRaces(const Memory& memory) : memory_(&memory) {}

  // Behind a piece of work that ran. `seen_by_all`: what everything that is still to come knows to be over.
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
    std::string of;  // the memory; another may lie at its address later
    std::vector<Use> all;
  };

  Uses& uses_of(const MemoryBlock& block);
  HostMistake mistake(const Work& work, const Use& mine, const Use& other, const MemoryBlock& block) const;

  const Memory* memory_;
  std::map<std::uint64_t, Uses> uses_;                             // by the memory's address
  std::vector<std::tuple<Argument, Argument, std::string>> said_;  // two pieces of work, and memory
};

// The rows of a copy's side, as uses of bytes; of many rows none.
void add_rows(std::uint64_t address, std::size_t bytes, std::size_t pitch, std::size_t rows,
              vgpu::TouchedSpan::Kind kind, std::vector<vgpu::TouchedSpan>& to);

}  // namespace cudalab::runtime
