// How much processor time several pieces of work may take together, all threads counted: asked often, it
// costs next to nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace cudalab {

class ProcessorBudget {
 public:
  explicit ProcessorBudget(double seconds) : seconds_(seconds) {}
  ProcessorBudget(const ProcessorBudget&) = delete;
  ProcessorBudget& operator=(const ProcessorBudget&) = delete;

  double seconds() const { return seconds_; }
  // May be asked by any thread, while work is going on.
  bool is_spent();

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
  std::atomic<std::int64_t> looked_at_{-1};  // a tick of the cheap clock
  std::atomic<bool> spent_{false};
};

}  // namespace cudalab
