// A program that has stopped at a launch, so that somebody can look into it from here.
#pragma once

#include <memory>
#include <string>

#include "core/programs/message_socket.h"
#include "device/launch_view.h"
#include "vgpu/stepping/step_messages.h"

namespace cudalab::device {

class StoppedProgram final : public LaunchView {
 public:
  // Throws Error(kUnavailable) where it has gone.
  explicit StoppedProgram(int connection);

  const std::string& kernel() const override { return launch_.kernel; }
  const std::string& file() const override { return launch_.file; }
  Dim3 grid() const override { return launch_.grid; }
  Dim3 block() const override { return launch_.block; }
  vgpu::WarpTrace trace(const vgpu::TraceRequest& wanted) override { return ask({false, wanted}).trace; }
  LaunchResult rehearse() override { return ask({true, {}}).result; }
  std::uint64_t number() const { return launch_.number; }

 private:
  std::string receive() const;
  vgpu::StepAnswer ask(const vgpu::StepQuestion& question) const;

  MessageSocket socket_;
  vgpu::StepLaunch launch_;
};

}  // namespace cudalab::device
