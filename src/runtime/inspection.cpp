// Connects to the inspecting process at the first stop, and answers its questions.
#include "runtime/inspection.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/processes/message_socket.h"
#include "messages/runtime.h"
#include "runtime/records.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Inspection::Inspection()
    : path_(from_environment(vgpu::kStepVariable)),
      until_{from_environment(vgpu::kStepLaunchVariable),
             !from_environment(vgpu::kStepErrorsVariable).empty()},
      stays_(!from_environment(vgpu::kStepStaysVariable).empty()),
      process_(::getpid()) {}

bool Inspection::is_of_this_process() const { return process_ == ::getpid(); }

bool Inspection::wants_launch(std::uint64_t number, const std::string& kernel) const {
  return is_on() && !until_.launch.empty() && vgpu::is_wanted(until_.launch, number, kernel);
}

bool Inspection::connect() {
  if (connection_ < 0) connection_ = connected_socket(path_);
  if (connection_ < 0) leave();  // the other process has ended
  return connection_ >= 0;
}

void Inspection::leave() {
  if (connection_ >= 0) ::close(std::exchange(connection_, -1));
  path_.clear();
}

void Inspection::stop(vgpu::StepStop stop, const Answer& answer) {
  if (!connect()) return;
  std::fflush(stdout);  // shows the output of the program before it stops
  const CallSite from = call_site();
  stop.call = called_function();
  stop.object = from.object;
  stop.offsets = from.offsets;
  bool is_there = send_message(connection_, bytes_of(stop));
  while (is_there) {
    const auto message = receive_message(connection_);
    if (!message) break;
    const vgpu::StepQuestion question = vgpu::question_in(*message);
    if (question.kind == vgpu::StepQuestion::kGoOn) {
      until_ = question.until;
      if (until_.launch.empty() && !until_.at_errors) leave();
      return;
    }
    is_there = send_message(connection_, bytes_of(answer(question)));
  }
  if (!stays_) ::_exit(0);
  leave();
}

void Inspection::look_at_failure(const FailedCall& call, bool is_lasting) {
  if (!is_on() || !until_.at_errors || (is_lasting && is_lost_)) return;
  is_lost_ |= is_lasting;
  vgpu::StepStop at;
  at.kernel = call.is_launch ? call.call : "";
  at.number = the_runtime().launches;
  at.error = call.error;
  at.why = call.why;
  stop(std::move(at), [](const vgpu::StepQuestion&) {
    return vgpu::StepAnswer{.error = msg::inspection_without_launch(), .trace = {}, .result = {}};
  });
}

Inspection& the_inspection() {
  static auto& only = *new Inspection;  // never destroyed, as the runtime
  return only;
}

}  // namespace cudalab::runtime
