// Runs one CPU version or one stage at a time: poison, run, bring back, check, time, check again.
#include "lab/running/runner.h"

#include <cstring>

#include "core/digest.h"
#include "core/error.h"
#include "lab/running/timing.h"
#include "lab/verification/verification.h"

namespace cudalab::lab {
namespace {

// CPU versions beside a device that measures no time are there to be compared with each other: a short look
// is enough.
constexpr double kCpuSeconds = 1.0, kCpuSecondsWithoutDeviceTime = 0.05;

CpuTimingPlan cpu_plan(int repeat, bool device_measures_time) {
  CpuTimingPlan plan;
  plan.max_seconds = device_measures_time ? kCpuSeconds : kCpuSecondsWithoutDeviceTime;
  if (repeat > 0) plan.min_samples = plan.max_samples = repeat;
  return plan;
}

void fail(Run& run, std::string reason) {
  run.verdict = Verdict::kFail;
  run.reason = std::move(reason);
}

void record(const StageGpu& gpu, Run& run) {
  const LaunchResult& result = gpu.result();
  run.simulation_ms = result.simulation_ms;
  run.counters = result.counters;
  run.accesses = result.accesses;
  run.executions = result.executions;
  run.hazards = result.hazards;
  run.printed = result.printed;
  run.launches = gpu.launches();
  if (!gpu.first_launch()) return;
  run.kernel = gpu.first_launch()->kernel;
  run.grid = gpu.first_launch()->grid;
  run.block = gpu.first_launch()->block;
  run.shared_bytes = gpu.first_launch()->shared_bytes;
}

void run_body(const KernelStage& stage, StageGpu& gpu) {
  if (stage.body)
    stage.body(gpu);
  else
    gpu.launch(stage.launch);
}

bool has_device_side(const Array& array) { return array.role() != ArrayRole::kResult; }
bool is_written(const Array& array) { return array.role() != ArrayRole::kInput; }
bool is_shown(const Array& array) {
  return array.role() == ArrayRole::kOutput || array.role() == ArrayRole::kResult;
}

std::string whole_text(const KernelStage& stage, const Source& source) {
  if (stage.preamble.empty()) return source.text;
  return fmt::format("{}\n#line 1 \"{}\"\n{}", stage.preamble, source.name, source.text);
}

}  // namespace

std::string describe(const std::vector<Hazard>& hazards) {
  if (hazards.empty()) return "the kernel did not run to its end";
  const Hazard& first = hazards.front();
  std::string text = first.where.file.empty()
                         ? first.what
                         : fmt::format("{}:{}: {}", first.where.file, first.where.line, first.what);
  if (hazards.size() > 1) text += fmt::format(" (and {} more)", hazards.size() - 1);
  return text;
}

// Every sample starts with an empty L2, as the first use of the data would.
device::TimingPlan device_plan(const RunSettings& settings) {
  device::TimingPlan plan;
  plan.cold = true;
  if (settings.repeat > 0) plan.min_samples = plan.max_samples = settings.repeat;
  return plan;
}

void Runner::progress(const std::string& what) const {
  if (request_.settings.progress) request_.settings.progress(what);
}

// ---- CPU versions ------------------------------------------------------------------------------------

void Runner::run_cpu(const std::function<void()>& work, const CheckFunction& check, Run& run) {
  progress("running " + run.name);
  poison_host();
  const CpuTimingPlan plan = cpu_plan(request_.settings.repeat, machine_.device.info().measures_time);
  run.time_ms = time_cpu(work, plan, [&] { verify(check, run); });
  verify_again(check, run);
}

// ---- stages ------------------------------------------------------------------------------------------

void Runner::run_stage(const KernelStage& stage, const Source& source, const CheckFunction& check, Run& run) {
  if (machine_.device.is_lost()) {
    run.reason = fmt::format("not run: `{}` took the {} down with it", lost_in_, machine_.device.info().name);
    return;
  }
  try {
    compile_and_run(stage, source, check, run);
  } catch (const Error& error) {
    const bool is_its_own = error.code() == ExitCode::kUsage || error.code() == ExitCode::kStopped;
    if (!is_its_own && !machine_.device.is_lost()) throw;
    fail(run, error.what());
    stopped_ |= error.code() == ExitCode::kStopped;
  }
  for (const Hazard& hazard : run.hazards) stopped_ |= hazard.kind == HazardKind::kStepLimit;
  inputs_suspect_ = run.verdict == Verdict::kFail || source.is_users;
  if (machine_.device.is_lost()) lost_in_ = run.name;
}

void Runner::compile_and_run(const KernelStage& stage, const Source& source, const CheckFunction& check,
                             Run& run) {
  StageGpu::Setup setup{.device = machine_.device,
                        .file = source.name,
                        .is_users = source.is_users,
                        .checks = request_.settings.checks,
                        .max_steps = request_.settings.max_steps,
                        .timing = {}};
  if (!source.name.empty()) setup.program = &load(stage, source);
  check_and_time(stage, setup, check, run);
}

void Runner::check_and_time(const KernelStage& stage, const StageGpu::Setup& setup,
                            const CheckFunction& check, Run& run) {
  progress("running " + run.name);
  run_once(stage, setup, run);
  if (run.verdict == Verdict::kFail) return;
  verify(check, run);
  if (!run.hazards.empty()) fail(run, describe(run.hazards));
  if (run.verdict == Verdict::kFail || !machine_.device.info().measures_time || request_.settings.profiled)
    return;
  progress("timing " + run.name);
  time(stage, setup, run);
  if (stage.accumulates)
    run_once(stage, setup, run);
  else
    download_outputs();
  if (run.verdict != Verdict::kFail) verify_again(check, run);
}

void Runner::run_once(const KernelStage& stage, const StageGpu::Setup& setup, Run& run) {
  prepare_arrays();
  StageGpu gpu(setup);
  try {
    run_body(stage, gpu);
    record(gpu, run);
    download_outputs();
  } catch (LaunchStopped) {
    record(gpu, run);
    fail(run, describe(run.hazards));
  }
}

void Runner::time(const KernelStage& stage, StageGpu::Setup setup, Run& run) {
  setup.timing = device_plan(request_.settings);
  StageGpu gpu(setup);
  run_body(stage, gpu);
  run.time_ms = gpu.time();
  if (run.kind == RunKind::kKernel) run.transfer_ms = transfer_time();
}

device::Program& Runner::load(const KernelStage& stage, const Source& source) {
  compile::CompileRequest request;
  request.source = whole_text(stage, source);
  request.file_name = source.name;
  request.compute_major = machine_.device.info().compute_major;
  request.compute_minor = machine_.device.info().compute_minor;
  std::string key = request.file_name + '\n' + request.source;
  for (const Define& define : stage.defines) {
    request.defines.emplace_back(define.name, define.value);
    key += '\n' + define.name + '=' + define.value;
  }
  std::unique_ptr<device::Program>& program = programs_[key];
  if (!program) {
    progress("compiling " + source.name);
    program = machine_.device.load(machine_.compile(request));
  }
  return *program;
}

std::optional<TimeSummary> Runner::transfer_time() {
  if (transfer_ms_) return *transfer_ms_;
  std::size_t to = 0, from = 0;
  for (const auto& array : arrays_) {
    if (array->role() == ArrayRole::kInput) to += array->device().bytes();
    if (array->role() == ArrayRole::kOutput) from += array->device().bytes();
  }
  const auto copies = machine_.device.time_copies(to, from);
  transfer_ms_.emplace();
  if (copies) *transfer_ms_ = in_sequence(copies->to_device_ms, copies->from_device_ms);
  return *transfer_ms_;
}

// ---- arrays and checks -------------------------------------------------------------------------------

void Runner::poison_host() {
  for (const auto& array : arrays_) {
    const std::span<std::byte> host = array->host_bytes();
    if (is_written(*array) && !host.empty()) std::memset(host.data(), array->poison(), host.size());
  }
}

void Runner::prepare_arrays() {
  poison_host();
  for (const auto& array : arrays_) {
    if (!has_device_side(*array)) continue;
    const device::Buffer& buffer = array->device();
    if (is_written(*array))
      machine_.device.fill(buffer.address(), buffer.bytes(), array->poison(), true);
    else if (inputs_suspect_)
      machine_.device.upload(buffer.address(), array->host_bytes());
  }
  inputs_suspect_ = false;
}

void Runner::download_outputs() {
  for (const auto& array : arrays_)
    if (array->role() == ArrayRole::kOutput)
      machine_.device.download(array->device().address(), array->host_bytes());
}

std::string Runner::digest_of_outputs() const {
  Digester digester;
  for (const auto& array : arrays_)
    if (is_shown(*array)) digester.add(array->host_bytes());
  return digester.hex();
}

void Runner::verify(const CheckFunction& check, Run& run) const {
  if (!check) {
    run.reason = "measured; it has nothing to check";
    return;
  }
  run.check = check();
  run.check->digest = digest_of_outputs();
  if (run.check->mismatches > 0)
    fail(run, lab::describe(*run.check));
  else if (run.check->compared > 0)
    run.verdict = Verdict::kPass;
  else
    run.reason = "nothing was compared";
}

void Runner::verify_again(const CheckFunction& check, Run& run) const {
  if (run.verdict != Verdict::kPass) return;
  verify(check, run);
  if (run.verdict == Verdict::kFail)
    run.reason = "right at first, but after the timed repetitions " + run.reason;
}

}  // namespace cudalab::lab
