#include "device/programs/stopped_program.h"

#include "core/error.h"

namespace cudalab::device {

StoppedProgram::StoppedProgram(int connection) : socket_(connection), launch_(vgpu::launch_in(receive())) {}

std::string StoppedProgram::receive() const {
  auto message = socket_.receive();
  if (!message) throw unavailable_error("the program that was looked into has ended; start again");
  return std::move(*message);
}

vgpu::StepAnswer StoppedProgram::ask(const vgpu::StepQuestion& question) const {
  socket_.send(bytes_of(question));  // whoever has gone does not answer either
  vgpu::StepAnswer answer = vgpu::answer_in(receive());
  if (!answer.error.empty()) throw usage_error("{}", answer.error);
  return answer;
}

}  // namespace cudalab::device
