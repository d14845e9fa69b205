// Stops the program for another process that inspects it (`cudalab step`, a debugger): at launches, and at
// calls that fail.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/programs/program_record.h"
#include "vgpu/stepping/step_messages.h"

namespace cudalab::runtime {

// The environment names the other process's socket and the first stop (vgpu/stepping/step_messages.h). The
// connection is made at the first stop. If it is lost, the program ends, unless it was started by itself
// (`cudalab exec --wait`).
class Inspection {
 public:
  Inspection();

  // Whether another process inspects this one.
  bool is_on() const { return !path_.empty() && is_of_this_process(); }
  bool wants_launch(std::uint64_t number, const std::string& kernel) const;
  using Answer = std::function<vgpu::StepAnswer(const vgpu::StepQuestion&)>;
  // Answers the other process's questions until it lets the program go on.
  void stop(vgpu::StepStop stop, const Answer& answer);
  // `is_lasting`: every later call fails with the same error. Only the first of these calls is a stop.
  void look_at_failure(const FailedCall& call, bool is_lasting);

 private:
  bool is_of_this_process() const;
  bool connect();
  void leave();  // the other process has ended, or wants no more stops

  std::string path_;
  vgpu::StepUntil until_;
  bool stays_ = false;  // the program outlives the connection
  int process_ = 0;     // a forked child is not inspected
  int connection_ = -1;
  bool is_lost_ = false;  // the lasting error was a stop
};

Inspection& the_inspection();

}  // namespace cudalab::runtime
