#include "runtime/streams/stepping.h"

#include <unistd.h>

#include <cstdlib>

#include "core/error.h"
#include "core/programs/message_socket.h"
#include "runtime/runtime.h"
#include "vgpu/stepping/step_messages.h"

namespace cudalab::runtime {
namespace {

// Of the kernel's first line; where it was inlined from elsewhere, of the line that called.
std::string file_of(const ptx::Module& text, const std::string& symbol) {
  const ptx::Function* function = text.find_function(symbol);
  if (!function) return "";
  for (const ptx::Statement& statement : function->body)
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement))
      if (!instruction->where.file.empty())
        return instruction->inlined_at.empty() ? instruction->where.file
                                               : instruction->inlined_at.back().file;
  return "";
}

vgpu::StepAnswer answer_to(const vgpu::StepQuestion& question, const LoadedKernel& kernel,
                           const vgpu::LaunchRequest& request) {
  vgpu::VirtualGpu& gpu = the_runtime().gpu;
  vgpu::StepAnswer answer;
  try {
    if (question.is_rehearsal) {
      answer.result = gpu.rehearse(*kernel.module, request);
    } else {
      vgpu::TraceRequest wanted = question.trace;
      wanted.variables = &kernel.text->variables;
      answer.trace = gpu.trace(*kernel.module, kernel.text->module, request, wanted);
    }
  } catch (const Error& error) {
    answer.error = error.what();
  }
  return answer;
}

}  // namespace

void stop_if_looked_into(const LoadedKernel& kernel, const vgpu::LaunchRequest& request,
                         const std::string& symbol, std::uint64_t number) {
  const char *path = std::getenv(vgpu::kStepVariable), *wanted = std::getenv(vgpu::kStepLaunchVariable);
  if (!path || !wanted || !kernel.text || !vgpu::is_wanted(wanted, number, readable(symbol))) return;
  const int connection = connected_socket(path);
  if (connection < 0) return;  // who looks has gone, or looks at another process
  const MessageSocket socket(connection);
  const vgpu::StepLaunch here{readable(symbol), file_of(kernel.text->module, symbol), number, request.grid,
                              request.block};
  bool goes_on = socket.send(bytes_of(here));
  while (goes_on) {
    const auto message = socket.receive();
    goes_on = message && socket.send(bytes_of(answer_to(vgpu::question_in(*message), kernel, request)));
  }
  ::_exit(0);
}

}  // namespace cudalab::runtime
