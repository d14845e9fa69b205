// Runs labs with a stranger's kernel: on the virtual GPU, with includes held to the toolkit's headers.
#pragma once

#include "core/temporary_folder.h"
#include "lab/lab.h"

namespace cudalab::grading {

// The virtual GPU, and a compiler that refuses a source which would have it open other files than the
// toolkit's headers (grading/kernel_includes.h), and that looks for none beside the source.
// Whole programs are built and run in the sandbox.
class SafeMachine {
 public:
  // `card`: that the virtual GPU stands for; empty: its usual one.
  explicit SafeMachine(const std::optional<vgpu::Card>& card = {});
  const lab::Machine& machine() const { return machine_; }

 private:
  std::unique_ptr<device::Device> device_;
  TemporaryFolder programs_{"cudalab-strangers-"};
  lab::Machine machine_;
};

// run_lab on such a machine.
lab::Result run_safely(const lab::Lab& lab, const lab::RunRequest& request);

}  // namespace cudalab::grading
