// A lab's machine for strangers' kernels.
#include "grading/safe_compile.h"

#include <filesystem>

#include "compile/compile_kernels.h"
#include "compile/nvrtc/compile_limits.h"
#include "core/processes/out_of_time.h"
#include "grading/kernel_includes.h"
#include "lab/locate.h"

namespace cudalab::grading {
namespace {

// The compiler looks beside a file first. A lab's own are named "labs/…"; a student's has no folder any more.
compile::CompiledSource compile_safely(const compile::CompileRequest& request) {
  std::string refused = refused_include(request.source);
  if (!refused.empty()) throw compile::CompileError(request.file_name + ": " + refused, refused);
  compile::CompileRequest alone = request;
  alone.compiler = compile::Compiler::kNvrtc;  // no other program reads a stranger's text
  std::filesystem::path name = request.file_name;
  if (name.is_absolute()) alone.file_name = name.filename().string();
  try {
    return compile::compile_kernels(alone);
  } catch (const compile::CompilerStopped& stopped) {
    if (stopped.cause() == compile::CompilerStopped::kTime) throw OutOfTime(stopped.what());
    throw;
  }
}

}  // namespace

SafeMachine::SafeMachine(const std::optional<vgpu::Card>& card)
    : device_(device::open_device(device::DeviceChoice::kVirtual, card)),
      machine_{*device_, compile_safely, lab::labs_directory(), lab::describe_host(), programs_.path()} {}

lab::Result run_safely(const lab::Lab& lab, const lab::RunRequest& request) {
  SafeMachine safe(request.settings.card);
  return lab::run_lab(lab, request, safe.machine());
}

}  // namespace cudalab::grading
