// How much several pieces of work may take together, all threads counted: of processor time, and of steps
// that they count themselves, which are the same on every machine. Asked often, it costs next to nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace cudalab {

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

}  // namespace cudalab
