// Looks at the number of calls now and then. Only who comes back to one closed page again and again waits in
// a loop; who computes for long gets the work done, too, but no line.
#include "runtime/idle_host.h"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "core/processes/further_thread.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

constexpr auto kTick = std::chrono::milliseconds(40);
constexpr int kLooksAgain = 1, kIsIdle = 25;  // ticks without a call

// The first of what is queued that uses the memory, else the first.
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
  state.records.send(HostMistake{
      MistakeKind::kSpinningHost,
      fmt::format("the host waits in a loop for byte {} of `{}` to change; queued work was run for it",
                  touch.address - block->address, block->name),
      "wait with cudaStreamSynchronize or cudaEventSynchronize, or ask with cudaStreamQuery", touch.from, 1});
}

class IdleHost {
 public:
  [[noreturn]] void watch() {
    while (true) {
      std::this_thread::sleep_for(kTick);
      tick();
    }
  }

 private:
  // A thread that holds the lock is in a call.
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
    const WorkRef work = next_work(state.queue, touch);
    state.guard.forget();  // from now on the host and the work go on side by side
    touch ? state.queue.run(work) : state.queue.make_progress(work);
    if (work->is_done) state.queue.host_knows(work);  // it may have learnt of it without a call
    if (touch && state.guard.has_changed(*touch)) report_loop(*touch);
    if (touch) state.guard.close(state.queue);
  }

  std::uint64_t calls_ = 0;
  int ticks_ = 0;
};

}  // namespace

void watch_idle_host() {
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGSEGV);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's signals are for its own threads
  std::jthread watcher = further_thread([] { IdleHost().watch(); });
  if (watcher.joinable()) watcher.detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace cudalab::runtime
