// Work budgets: a steady clock, progress estimates, and limits on processor time, memory and threads.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/diagnostics/message.h"

namespace cudalab {

// A clock that never goes back.

inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The same clock with a resolution of some milliseconds, at a lower cost.
inline std::int64_t coarse_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Estimates the duration of work that consists of similar parts, while the work is running.

// Estimates the total time from the completed parts. The code that does the work reports its parts; reporting
// costs almost nothing.
class Pace {
 public:
  using Tell = std::function<void(double seconds)>;  // total time of the work, from its start
  // The thread that completes a part calls `tell`: first after `first_look_seconds`, then whenever the
  // elapsed time has doubled.
  explicit Pace(Tell tell, double first_look_seconds = 0.5);
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;

  // Starts work of `parts` parts, of which `at_once` run in parallel. The estimate leaves out the first parts
  // of that number, which may take longer than the others: they touch memory for the first time. It waits for
  // as many others, unless the first ones take more than a few seconds.
  void begin(std::uint64_t parts, std::uint64_t at_once);
  void one_more();  // safe to call from several threads

 private:
  Tell tell_;
  std::int64_t first_look_ns_;
  std::uint64_t parts_ = 0, at_once_ = 1;
  std::int64_t began_ns_ = 0;
  std::atomic<std::int64_t> first_parts_ns_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_look_ns_{0};
};

// Reports that a task takes longer than about a minute, and again if it takes twice as long as reported.
// Thread-safe.
class Forewarning {
 public:
  using Say = std::function<void(const Message&)>;
  explicit Forewarning(Say say) : say_(std::move(say)) {}  // `say` may be empty

  // `work`: its name, or a Message. `advice`: how to shorten it, such as "a smaller size is quicker".
  void expect(const Argument& work, double seconds, const Message& advice);
  bool is_heard() const { return static_cast<bool>(say_); }

 private:
  Say say_;
  std::mutex mutex_;
  std::map<std::string, double> said_;  // announced seconds by the name of the work
};

// Limits the processor time of all threads for several pieces of work. It also limits steps, which the work
// counts itself and which are the same on every machine. A query costs almost nothing.

class ProcessorBudget {
 public:
  static constexpr double kAnyTime = std::numeric_limits<double>::infinity();
  static constexpr std::uint64_t kAnySteps = std::numeric_limits<std::uint64_t>::max();

  explicit ProcessorBudget(double seconds, std::uint64_t steps = kAnySteps)
      : seconds_(seconds), steps_(steps) {}
  ProcessorBudget(const ProcessorBudget&) = delete;
  ProcessorBudget& operator=(const ProcessorBudget&) = delete;

  double seconds() const { return seconds_; }
  // Thread-safe, also during work.
  bool is_spent();

  std::uint64_t steps() const { return steps_; }
  std::uint64_t steps_taken() const { return steps_taken_.load(std::memory_order_relaxed); }
  void take_steps(std::uint64_t count) { steps_taken_.fetch_add(count, std::memory_order_relaxed); }
  bool has_no_steps_left() const { return steps_taken() > steps_; }
  // Resets the counter of steps when the work since then has to be repeated.
  void give_back_to(std::uint64_t steps_taken_before) { steps_taken_ = steps_taken_before; }

  // While an object of this class lives, the processor time of this process counts against the budget. Only
  // one may exist at a time. A null budget is unlimited.
  class Work {
   public:
    explicit Work(ProcessorBudget* budget);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    ProcessorBudget* budget_;
  };

 private:
  double seconds_, used_before_ = 0, began_ = 0;
  std::uint64_t steps_;
  std::atomic<std::uint64_t> steps_taken_{0};
  std::atomic<std::int64_t> looked_at_{-1};  // in ticks of coarse_now_ns()
  std::atomic<bool> spent_{false};
};

// Helper threads. System limits on processes and memory can prevent their creation.

// Starts a thread that does `work`. If the system cannot create one, the result is not joinable, and the
// existing threads do all the work.
template <class Work>
std::jthread further_thread(Work&& work) try {
  return std::jthread(std::forward<Work>(work));
} catch (const std::system_error&) {
  return {};
}

}  // namespace cudalab
