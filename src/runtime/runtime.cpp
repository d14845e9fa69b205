// The state of the runtime in one process: creation, settings, idle hosts, and readings of the clock.
#include "runtime/runtime.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "core/work_budget.h"
#include "messages/runtime.h"
#include "runtime/host_clock.h"
#include "vgpu/card.h"
#include "vgpu/interpreter_thread.h"

namespace cudalab::runtime {

// Runs queued work while the host makes no calls, as a GPU does.

namespace {

constexpr auto kTick = std::chrono::milliseconds(40);

constexpr int kLooksAgain = 1, kIsIdle = 25;  // ticks without a call

// The first queued work that uses the touched memory, or else the first in the queue.
WorkRef next_work(const Queue& queue, const Touch* touch) {
  for (const auto& [number, work] : queue.pending_work())
    for (const MemoryUse& use : work->job.uses)
      if (touch && touch->address >= use.begin && touch->address < use.end) return work;
  return queue.pending_work().begin()->second;
}

void report_loop(const Touch& touch) {
  Runtime& state = the_runtime();
  const MemoryBlock* block = state.memory.find(touch.address);
  if (!block) return;
  state.records.send(HostMistake{MistakeKind::kSpinningHost,
                                 msg::host_waits_in_loop(touch.address - block->address, Code{block->name}),
                                 msg::advice_wait_instead_of_loop(), touch.from, 1});
}

class IdleHost {
 public:
  [[noreturn]] void watch() {
    vgpu::is_interpreter_thread = true;
    while (true) {
      std::this_thread::sleep_for(kTick);
      tick();
    }
  }

 private:
  // If another thread holds the lock, the host is inside a call, so it is not idle.
  void tick() {
    Runtime& state = the_runtime();
    const std::unique_lock lock(state.mutex, std::try_to_lock);
    if (!lock || state.queue.pending() == 0 || state.calls != calls_) {
      calls_ = state.calls;
      ticks_ = 0;
      return;
    }
    ++ticks_;
    if (const auto touch = state.guard.polled())
      run_for(&*touch);
    else if (ticks_ >= kIsIdle)
      run_for(nullptr);
    else if (ticks_ >= kLooksAgain)
      state.guard.close_again();
  }

  void run_for(const Touch* touch) {
    Runtime& state = the_runtime();
    const HostMoment begin = host_moment();
    const WorkRef work = next_work(state.queue, touch);
    state.guard.forget();  // from now on, host and work run concurrently
    touch ? state.queue.run(work) : state.queue.make_progress(work);
    if (work->is_done) state.queue.host_knows(work);  // the host may have learned of it without a call
    if (touch && state.guard.has_changed(*touch)) report_loop(*touch);
    if (touch) state.guard.close(state.queue);
    exclude_from_host_time(begin);
  }

  std::uint64_t calls_ = 0;
  int ticks_ = 0;
};

// Starts a thread that watches for an idle host, when the first work is queued. If the host polls memory that
// queued work writes, the work runs soon and the report mentions the loop. Otherwise it runs after a longer
// idle time.
void watch_idle_host() {
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGSEGV);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals must reach the program's own threads
  std::jthread watcher = further_thread([] { IdleHost().watch(); });
  if (watcher.joinable()) watcher.detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

constexpr int kMostDevices = 16;

std::string said(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

std::uint64_t number_from(const std::string& text, std::uint64_t otherwise) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? number : otherwise;
}

// The GPU model of that name, or one described by the text itself (a user's file).
const vgpu::Card* card_called(const std::string& text) {
  if (const vgpu::Card* known = vgpu::find_card(text)) return known;
  if (text.find('\n') == std::string::npos) return &vgpu::cards().front();
  static const vgpu::Card own = vgpu::card_of(vgpu::description_from(text));
  return &own;
}

ProgramStart start_of(const Settings& settings) {
  ProgramStart start;
  start.card = settings.card->name;
  start.compute_capability = fmt::format("{}.{}", settings.card->compute_major, settings.card->compute_minor);
  start.devices = settings.devices;
  start.host_threads = std::thread::hardware_concurrency();
  return start;
}

// Reports memory that kernels allocated with malloc() or new and did not free. Beyond the limit, the last
// entry counts all remaining allocations.
void tell_of_heap(Runtime& state) {
  constexpr std::size_t kMostTold = 10'000;
  if (state.lost != cudaSuccess) return;
  std::vector<ProgramAllocation> leaks;
  for (const auto& [address, bytes] : state.gpu.heap_pieces()) {
    if (leaks.size() < kMostTold)
      leaks.push_back(
          {"malloc() in kernels", fmt::format("malloc() #{}", leaks.size() + 1), address, bytes, {}});
    else
      leaks.back().bytes += bytes;
  }
  for (ProgramAllocation& leak : leaks) state.records.send(std::move(leak));
}

// The kernels that the program has not waited for, by their symbols. After a failed call, a program that ends
// need not wait for its launches.
std::set<std::string> unfinished_kernels(const Runtime& state) {
  std::set<std::string> kernels;
  if (state.failures > 0) return kernels;
  for (const auto& [number, work] : state.queue.pending_work())
    if (work->job.is_kernel && work->job.has_effect) kernels.insert(work->job.name);
  return kernels;
}

// Runs work that the program has not waited for, for the report only. A real GPU may stop such work at any
// point, so its output is not printed.
void end_of_program() {
  Runtime& state = the_runtime();
  const std::lock_guard lock(state.mutex);
  for (auto& [thread, early] : state.timed_too_early) state.records.send(std::move(early));
  state.timed_too_early.clear();
  state.is_ending = true;
  if (!state.records.is_watched()) return;
  const std::set<std::string> unfinished = unfinished_kernels(state);
  state.queue.wait_for_all();
  for (const std::string& kernel : unfinished) {
    const Code name{readable(kernel)};
    report_mistake(MistakeKind::kNeverWaitedFor,
                   state.unprinted.contains(kernel) ? msg::program_ends_before_output(name)
                                                    : msg::program_ends_before_kernel(name),
                   msg::advice_synchronize_at_end());
  }
  tell_of_heap(state);
}

}  // namespace

Settings Settings::from_environment() {
  Settings settings;
  settings.card = card_called(said(kCardVariable));
  settings.launch.predict = said(kPredictVariable) != "off";
  settings.launch.record_uses = said(kRecordVariable) == "uses";
  settings.launch.record = settings.launch.record_uses || said(kRecordVariable) == "on";
  settings.devices =
      static_cast<int>(std::min<std::uint64_t>(number_from(said(kGpusVariable), 1), kMostDevices));
  const std::string checks = said(kCheckVariable);
  settings.launch.checks = value_called(checks.empty() ? "all" : checks, kCheckNames).value_or(Checks::kNone);
  settings.launch.max_steps = number_from(said(kMaxStepsVariable), 0);
  settings.seed = number_from(said(kSeedVariable), 0);
  if (said(kSampleVariable) == "on") {
    settings.launch.most_blocks = settings.card->multiprocessors;
    settings.launch.checks = Checks::kNone;  // they would report data that the missing blocks did not write
  }
  return settings;
}

Runtime::Runtime()
    : settings(Settings::from_environment()),
      gpu({.card = settings.card, .first_address = kDeviceStart}),
      records(start_of(settings)),
      memory(gpu, records, gpu.memory_bytes()),
      modules(gpu, memory),
      guard(memory),
      races(memory),
      queue(clock, *this) {}

// A forked child does not inherit the watching thread, so it starts one.
void Runtime::queued() {
  if (watched_process == ::getpid()) return;
  watched_process = ::getpid();
  watch_idle_host();
}

void Runtime::before(const Work& work) { guard.before(work); }

void Runtime::after(const Work& work, const Outcome& outcome) {
  for (HostMistake& mistake : guard.after(work, outcome.touched, queue.pending() > 0))
    records.send(std::move(mistake));
  if (outcome.touched.empty() || !queue.may_run_side_by_side()) return;
  // Queued work may know of fewer completed pieces than the host does, so with a non-empty queue no use is
  // discarded.
  const Seen seen_by_all = queue.pending() > 0 ? Seen{} : queue.seen_by_host();
  for (HostMistake& mistake : races.after(work, outcome.touched, seen_by_all))
    records.send(std::move(mistake));
}

namespace {

std::atomic<bool> is_made = false;

// A forked child has only the thread that forked; another thread may have held the lock.
void renew_lock() { new (&the_runtime().mutex) std::recursive_mutex; }

}  // namespace

Runtime& the_runtime() {
  static auto* const state = [] {
    auto* made = new Runtime;
    watch_for_faults();
    std::atexit(end_of_program);
    ::pthread_atfork(nullptr, nullptr, renew_lock);
    is_made = true;
    return made;
  }();
  return *state;
}

bool is_runtime_made() { return is_made; }

ThreadState& this_thread() {
  thread_local ThreadState state;
  return state;
}

namespace {

// A blocking stream: it and the legacy default stream wait for each other.
Stream& own_stream(ThreadState& thread) {
  Stream*& stream = thread.own[thread.device];
  if (!stream) stream = the_runtime().queue.create(thread.device, true, 0);
  return *stream;
}

}  // namespace

Stream& stream_of(cudaStream_t handle) {
  Queue& queue = the_runtime().queue;
  ThreadState& thread = this_thread();
  if (handle == cudaStreamPerThread || (handle == nullptr && thread.is_default_its_own))
    return own_stream(thread);
  if (handle == nullptr || handle == cudaStreamLegacy) return queue.legacy(thread.device);
  auto* stream = reinterpret_cast<Stream*>(handle);
  require(queue.knows(stream), cudaErrorInvalidResourceHandle, msg::stream_destroyed());
  return *stream;
}

namespace {

// If the program waited for launches between two clock readings, it has measured the interpreter's time, not
// a GPU's. Reported once per place.
void note_measured_launches(const ClockReading& before, const ClockReading& now) {
  // Reported if the real time is at least this many times the predicted time.
  constexpr double kNsPerMs = 1e6, kWorthSaying = 2;
  const double real_ms = static_cast<double>(now.ns_in_calls - before.ns_in_calls) / kNsPerMs;
  const double predicted_ms = now.predicted_ms - before.predicted_ms;
  Runtime& state = the_runtime();
  if (has_virtual_clock() || !state.settings.launch.predict || now.launches == before.launches) return;
  if (real_ms < kWorthSaying * predicted_ms) return;
  static std::set<CallSite> said;
  const CallSite from = call_site();
  if (!said.insert(from).second) return;
  state.records.send(HostMistake{MistakeKind::kHostClock, msg::host_clock_measures(real_ms, predicted_ms),
                                 msg::advice_virtual_clock(), from, 1});
}

}  // namespace

namespace {

void judge_last_reading(Runtime& state) {
  const auto early = state.timed_too_early.extract(std::this_thread::get_id());
  if (early && state.calls != state.synchronized_at) state.records.send(std::move(early.mapped()));
}

}  // namespace

// Two readings with a launch and no wait between them: the kernel is still queued at the second reading.
void look_at_clock() {
  Runtime& state = the_runtime();
  const std::unique_lock lock(state.mutex, std::try_to_lock);
  if (!lock) return;
  judge_last_reading(state);
  const ClockReading now{false,         state.queue.last_number(), state.queue.waits(), state.launches,
                         ns_in_calls(), state.clock.now()};
  const ClockReading before = std::exchange(this_thread().clock, now);
  if (!before.is_first && before.waits != now.waits) note_measured_launches(before, now);
  if (before.is_first || before.waits != now.waits) return;
  const auto& pending = state.queue.pending_work();
  for (auto work = pending.upper_bound(before.last_work); work != pending.end(); ++work) {
    if (!work->second->job.is_kernel) continue;
    state.timed_too_early[std::this_thread::get_id()] = {
        MistakeKind::kClockWithoutWait, msg::clock_without_wait(Code{readable(work->second->job.name)}),
        msg::advice_time_after_wait(), work->second->job.from, 1};
    return;
  }
}

void report_mistake(MistakeKind kind, Message what, Message fix) {
  the_runtime().records.send(HostMistake{kind, std::move(what), std::move(fix), call_site(), 1});
}

}  // namespace cudalab::runtime
