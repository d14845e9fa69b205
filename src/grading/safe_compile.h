// Compiles and runs untrusted kernels on the virtual GPU; only headers of the toolkit may be included.
#pragma once

#include <string>
#include <string_view>

#include "core/processes/interruption.h"
#include "lab/lab.h"

namespace cudalab::grading {

// Which files a stranger's kernel would have the compiler open: the toolkit's headers by their names, and no
// others.

// Why the source must not reach the compiler: it includes by an absolute path, upwards (..), by a macro, or
// asks which files there are. Empty if it may. Errs on the strict side: text in comments
// and strings counts as code, since what is a comment is for the compiler to decide.
Message refused_include(std::string_view source);

// Runs labs with a stranger's kernel: on the virtual GPU, with includes held to the toolkit's headers.

// The virtual GPU, and a compiler that refuses a source which would have it open other files than the
// toolkit's headers (grading/safe_compile.h), and that looks for none beside the source.
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
