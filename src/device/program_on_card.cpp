// Runs a whole program on a GPU with NVIDIA's runtime, under Nsight Compute if it is profiled.
#include "device/program_on_card.h"

#include <fmt/format.h>

#include <utility>

#include "compile/nvcc.h"
#include "core/processes/interruption.h"
#include "device/cuda/profiler.h"
#include "messages/device.h"

namespace cudalab::device {
namespace {

ProgramLog log_of(const ProgramRequest& request, const ProgramOutcome& outcome, const DeviceInfo& gpu) {
  ProgramLog log;
  log.arguments = request.words;
  log.exit_code = outcome.exit_code;
  log.device_kind = gpu.kind;
  log.start = ProgramStart{.process = 0,
                           .program = request.words.front(),
                           .card = gpu.name,
                           .compute_capability = fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor)};
  if (outcome.is_timed_out) log.stopped = msg::ended_by_timeout(request.timeout_seconds);
  return log;
}

ProgramLaunch launch_of(ProfiledKernel kernel) {
  ProgramLaunch launch;
  launch.kernel = kernel.name.substr(0, kernel.name.find('('));
  launch.spec = {kernel.grid, kernel.block};
  launch.result.counters = std::move(kernel.counters);
  return launch;
}

}  // namespace

ProgramOutcome run_on_card(ProgramRequest request, const DeviceInfo& gpu, bool profiled) {
  const TemporaryFolder folder;
  const std::string table = folder / "counters.csv";
  const std::vector<std::string> words = request.words;
  request.on_card = true;
  if (const auto nvcc = compile::find_nvcc())
    request.libraries = nvcc->parent_path().parent_path() / "lib64";  // contains the runtime that nvcc links
  if (profiled) request.words = under_ncu(words, table);
  ProgramOutcome outcome = run_watched(request);
  request.words = words;
  ProgramLog log = log_of(request, outcome, gpu);
  if (profiled)
    for (ProfiledKernel& kernel : kernels_from_log(table))
      add(log, launch_of(std::move(kernel)), request.each_launch);
  outcome.logs = {std::move(log)};
  return outcome;
}

}  // namespace cudalab::device
