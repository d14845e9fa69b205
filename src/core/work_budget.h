// Budgets for work: a steady clock, the pace of similar pieces of work, and limits on processor time, memory
// and threads.
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

namespace cudalab {

// A clock that only goes on.

inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The same to some milliseconds, and quicker to ask.
inline std::int64_t coarse_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// How long work takes that is made of like parts: judged by the first of them, while it goes on; and who is
// told of it.

// Parts that are done, against the clock. Asked by nobody, told by whoever does the work; a part costs next
// to nothing.
class Pace {
 public:
  using Tell = std::function<void(double seconds)>;  // that the whole takes, from its beginning on
  // `tell` is called by the thread that does a part: after `first_look_seconds`, and each time that twice as
  // much time has passed.
  explicit Pace(Tell tell, double first_look_seconds = 0.5);
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;

  // So many parts, of which several are worked on at once: the first of all of them say more than the first.
  void begin(std::uint64_t parts, std::uint64_t at_once);
  void one_more();  // may be called by several threads

 private:
  Tell tell_;
  std::int64_t first_look_ns_;
  std::uint64_t parts_ = 0, at_once_ = 1;
  std::int64_t began_ns_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_look_ns_{0};
};

// Says in one sentence that something takes more than about a minute, and again where it turns out to take
// twice as long as was said. Several threads may know something.
class Forewarning {
 public:
  using Say = std::function<void(const std::string&)>;
  explicit Forewarning(Say say) : say_(std::move(say)) {}  // may be empty

  // `advice`: what shortens it, "a smaller size is quicker".
  void expect(const std::string& what, double seconds, const std::string& advice);
  bool is_heard() const { return static_cast<bool>(say_); }

 private:
  Say say_;
  std::mutex mutex_;
  std::map<std::string, double> said_;  // of what, how many seconds
};

// How much several pieces of work may take together, all threads counted: of processor time, and of steps
// that they count themselves, which are the same on every machine. Asked often, it costs next to nothing.

class ProcessorBudget {
 public:
  static constexpr double kAnyTime = std::numeric_limits<double>::infinity();
  static constexpr std::uint64_t kAnySteps = std::numeric_limits<std::uint64_t>::max();

  explicit ProcessorBudget(double seconds, std::uint64_t steps = kAnySteps)
      : seconds_(seconds), steps_(steps) {}
  ProcessorBudget(const ProcessorBudget&) = delete;
  ProcessorBudget& operator=(const ProcessorBudget&) = delete;

  double seconds() const { return seconds_; }
  // May be asked by any thread, while work is going on.
  bool is_spent();

  std::uint64_t steps() const { return steps_; }
  std::uint64_t steps_taken() const { return steps_taken_.load(std::memory_order_relaxed); }
  void take_steps(std::uint64_t count) { steps_taken_.fetch_add(count, std::memory_order_relaxed); }
  bool has_no_steps_left() const { return steps_taken() > steps_; }
  // What was taken since has to be done again.
  void give_back_to(std::uint64_t steps_taken_before) { steps_taken_ = steps_taken_before; }

  // While an object lives, the processor time of this process is taken from the budget. One at a time; a null
  // budget has no end.
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
  std::atomic<std::int64_t> looked_at_{-1};  // a tick of the cheap clock
  std::atomic<bool> spent_{false};
};

// Threads that help where the machine has room for them: limits on processes and on memory count threads,
// too.

// One that does `work`; none (not joinable) where the machine has no further thread: those that are there do
// all, then.
template <class Work>
std::jthread further_thread(Work&& work) try {
  return std::jthread(std::forward<Work>(work));
} catch (const std::system_error&) {
  return {};
}

}  // namespace cudalab
