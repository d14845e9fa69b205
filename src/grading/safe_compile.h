// Compiles and runs untrusted kernels on the virtual GPU; only headers of the toolkit may be included.
#pragma once

#include <string>
#include <string_view>

#include "core/processes/interruption.h"
#include "lab/lab.h"

namespace cudalab::grading {

// Decides which files a compiler may open for an untrusted kernel: the toolkit's headers by name, and no
// others.

// The reason to reject a source: an include by absolute path, upwards (..) or by a macro, or a query for
// files. Empty if the source is acceptable. Errs on the strict side: text in comments and strings counts as
// code, because compilers differ in what they treat as a comment.
Message refused_include(std::string_view source);

// Runs labs with untrusted kernels on the virtual GPU.

// The virtual GPU, with a compiler that rejects sources which open files other than the toolkit's headers,
// and that does not search the source's folder. Whole programs are built and run in the sandbox.
class SafeMachine {
 public:
  // `card`: the GPU to simulate; empty: the default.
  explicit SafeMachine(const std::optional<vgpu::Card>& card = {});
  const lab::Machine& machine() const { return machine_; }

 private:
  std::unique_ptr<device::Device> device_;
  TemporaryFolder programs_{"cudalab-strangers-"};
  lab::Machine machine_;
};

// Calls run_lab on a SafeMachine.
lab::Result run_safely(const lab::Lab& lab, const lab::RunRequest& request);

}  // namespace cudalab::grading
