// Runs one CPU version or one stage at a time: poison, run, download, check, time, check again.
#include "lab/running/runner.h"

#include <cstring>

#include "compile/diagnosis.h"
#include "compile/sources/host_code.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/text.h"
#include "lab/running/source_facts.h"
#include "lab/running/stage_gpu.h"
#include "lab/verification/verification.h"
#include "messages/core.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

// If the device measures no time, CPU versions are compared only with each other, and a short measurement is
// enough.
constexpr double kCpuSeconds = 1.0, kCpuSecondsWithoutDeviceTime = 0.05;

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

CpuTimingPlan cpu_plan(int repeat, bool device_measures_time) {
  CpuTimingPlan plan;
  plan.max_seconds = device_measures_time ? kCpuSeconds : kCpuSecondsWithoutDeviceTime;
  if (repeat > 0) plan.min_samples = plan.max_samples = repeat;
  return plan;
}

void record(const StageGpu& gpu, Row& row) {
  const LaunchResult& result = gpu.result();
  row.simulation_ms = result.simulation_ms;
  row.prediction = result.prediction;
  row.counters = result.counters;
  row.accesses = result.accesses;
  row.executions = result.executions;
  row.recording = result.recording;
  row.hazards = result.hazards;
  row.printed = result.printed;
  row.launches = gpu.launches();
  row.sample = gpu.sample();
  if (!gpu.first_launch()) return;
  row.kernel = gpu.first_launch()->kernel;
  row.spec = gpu.first_launch()->spec;
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

void fail(Row& row, Message reason) {
  row.verdict = Verdict::kFail;
  row.reason = std::move(reason);
}

Message at_line(const SourceLine& where, Message what) {
  if (where.file.empty()) return what;
  return msg::at_place(fmt::format("{}:{}", where.file, where.line), std::move(what));
}

Message describe(const std::vector<Hazard>& hazards) {
  if (hazards.empty()) return msg::kernel_did_not_end();
  const Hazard& first = hazards.front();
  Message what = at_line(first.where, first.what);
  return hazards.size() == 1 ? what : msg::and_more(std::move(what), hazards.size() - 1);
}

// Every sample starts with an empty L2, as at the first use of the data.
device::TimingPlan device_plan(const RunSettings& settings) {
  device::TimingPlan plan;
  plan.cold = true;
  if (settings.repeat > 0) plan.min_samples = plan.max_samples = settings.repeat;
  return plan;
}

void Runner::progress(const Message& what) const {
  if (request_.settings.progress) request_.settings.progress(what);
}

void Runner::announce(const Argument& work, double seconds) {
  warning_.expect(work, seconds, msg::advice_smaller_size());
}

// Assumes that the remaining stages take as long as this one.
void Runner::announce_stage(const std::string& name, double gone_seconds, double seconds) {
  announce(name, seconds);
  if (stages_left_ > 1)
    announce(msg::whole_run(), gone_seconds + seconds * static_cast<double>(stages_left_));
}

// ---- CPU versions ------------------------------------------------------------------------------------

void Runner::run_cpu(const std::function<void()>& work, const CheckFunction& check, Row& row) {
  progress(msg::progress_running(row.name));
  poison_host();
  const CpuTimingPlan plan = cpu_plan(request_.settings.repeat, machine_.device.info().measures_time);
  row.time_ms = time_cpu(work, plan, [&] { verify(check, row); });
  verify_again(check, row);
}

// ---- stages ------------------------------------------------------------------------------------------

namespace {

// Adds the parameters that the lab passes if the user's kernel takes others.
Message with_wanted_signature(const Message& problem, const KernelStage& stage, const Source& source) {
  if (problem.id() != "arguments_count_wrong" && problem.id() != "argument_size_wrong") return problem;
  const auto no_header = [](const compile::IncludedHeader&) { return std::optional<std::string>(); };
  const auto kernels = compile::device_code_of(source.replaced, no_header).kernels;
  const auto wanted = std::ranges::find(kernels, stage.launch.kernel, &compile::KernelDeclaration::name);
  const auto* const declaration = wanted != kernels.end() ? &*wanted
                                  : kernels.size() == 1   ? &kernels.front()
                                                          : nullptr;
  if (!source.is_users || !declaration) return problem;
  return msg::users_kernel_takes(problem, signature(*declaration), source.name);
}

}  // namespace

void Runner::run_stage(const KernelStage& stage, const Source& source, const CheckFunction& check, Row& row) {
  if (machine_.device.is_lost()) {
    row.reason = msg::device_was_lost(lost_in_, machine_.device.info().name);
    return;
  }
  try {
    compile_and_run(stage, source, check, row);
  } catch (const compile::CompileError& error) {
    fail(row, error.message());
    row.diagnosis = error.diagnosis();
    if (source.is_users) row.warnings = compile::warnings_in(error.log(), source.name);
  } catch (const Error& error) {
    const bool is_its_own = error.code() == ExitCode::kUsage || error.code() == ExitCode::kStopped;
    if (!is_its_own && !machine_.device.is_lost()) throw;
    fail(row, with_wanted_signature(error.message(), stage, source));
    stopped_ |= error.code() == ExitCode::kStopped;
  }
  for (const Hazard& hazard : row.hazards) stopped_ |= hazard.kind == HazardKind::kStepLimit;
  inputs_suspect_ = row.verdict == Verdict::kFail || source.is_users;
  if (machine_.device.is_lost()) lost_in_ = row.name;
}

void Runner::compile_and_run(const KernelStage& stage, const Source& source, const CheckFunction& check,
                             Row& row) {
  const double gone_seconds = seconds_since(began_);
  Pace pace([&](double seconds) { announce_stage(row.name, gone_seconds, seconds); });
  StageGpu::Setup setup{.device = machine_.device,
                        .file = source.name,
                        .is_users = source.is_users,
                        .options = request_.settings.launch,
                        .onlooker = request_.settings.onlooker ? &request_.settings.onlooker : nullptr,
                        .timing = {}};
  setup.options.pace = warning_.is_heard() ? &pace : nullptr;
  choose_blocks(stage, source, setup);
  if (!source.name.empty()) {
    const Loaded& loaded = load(stage, source);
    setup.program = loaded.program.get();
    if (source.is_users) row.warnings = loaded.warnings;
    // NVRTC compiles all other PTX of labs and is not mentioned.
    if (source.is_users || loaded.made_by == compile::Compiler::kClang)
      row.compiler = name_in(compile::kCompilerNames, loaded.made_by);
  }
  check_and_time(stage, source, setup, check, row);
}

// A user's kernel always runs all blocks: its blocks may wait for each other.
void Runner::choose_blocks(const KernelStage& stage, const Source& source, StageGpu::Setup& setup) const {
  if (stage.blocks_wait || source.is_users || !takes_samples_) setup.options.most_blocks = 0;
  setup.probes = takes_samples_ && request_.settings.sampling == BlockSampling::kAutomatic &&
                 request_.settings.launch.most_blocks == 0 && !stage.blocks_wait && !source.is_users &&
                 machine_.device.info().counts && !setup.options.record && !setup.onlooker;
}

void Runner::consult(const KernelStage& stage, const Source& source, Row& row) {
  explain_by_source(row.hazards, source.name, source.text, macros_of(stage));
  advise_kernel_only(row.hazards);
}

// Counts wrong elements even if a hazard ended the kernel: this shows how much of the result was written.
void Runner::count_wrong_elements(const CheckFunction& check, Row& row) {
  if (!check || row.hazards.empty() || machine_.device.is_lost()) return;
  download_outputs();
  row.check = check();
}

void Runner::check_and_time(const KernelStage& stage, const Source& source, const StageGpu::Setup& setup,
                            const CheckFunction& check, Row& row) {
  progress(msg::progress_running(row.name));
  const auto began = std::chrono::steady_clock::now();
  run_once(stage, setup, row);
  const double once_seconds = seconds_since(began);
  consult(stage, source, row);
  if (row.verdict == Verdict::kFail) {
    fail(row, describe(row.hazards));
    return count_wrong_elements(check, row);
  }
  if (row.sample) {
    row.reason = msg::sample_not_checked();
    return;
  }
  verify(check, row);
  confirm_races(stage, source, setup, row);
  if (!row.hazards.empty()) fail(row, describe(row.hazards));
  if (row.verdict == Verdict::kFail || !machine_.device.info().measures_time || request_.settings.profiled)
    return;
  progress(msg::progress_timing(row.name));
  announce(msg::progress_timing(row.name), once_seconds * device_plan(request_.settings).min_samples);
  time(stage, setup, row);
  if (stage.accumulates)
    run_once(stage, setup, row);
  else
    download_outputs();
  if (row.verdict != Verdict::kFail) verify_again(check, row);
}

void Runner::run_once(const KernelStage& stage, const StageGpu::Setup& setup, Row& row) {
  prepare_arrays();
  StageGpu gpu(setup);
  try {
    run_body(stage, gpu);
    record(gpu, row);
    download_outputs();
  } catch (const LaunchProbed& probed) {
    StageGpu::Setup chosen = setup;
    chosen.probes = false;
    chosen.options.most_blocks = blocks_to_run(probed);
    inputs_suspect_ = true;
    run_once(stage, chosen, row);
  } catch (LaunchStopped) {
    record(gpu, row);
    fail(row, describe(row.hazards));
  }
}

// Runs the stage again without optimisation, under the same budget, and removes the races with ordinary loads
// that this run does not repeat. Counters, prediction and recording stay those of the first run.
void Runner::confirm_races(const KernelStage& stage, const Source& source, StageGpu::Setup setup, Row& row) {
  if (request_.settings.for_debugger || !want_confirmation(row.hazards)) return;
  progress(msg::progress_races_again(row.name));
  std::optional<ProcessorBudget> budget;
  if (setup.options.budget)
    setup.options.budget = &budget.emplace(setup.options.budget->seconds(), setup.options.budget->steps());
  setup.options.predict = setup.options.record = false;
  setup.options.pace = nullptr;
  setup.onlooker = nullptr;
  device::Program* const optimised = setup.program;
  Row again;
  try {
    setup.program = load(stage, source, Build::kAsItStands).program.get();
    inputs_suspect_ = true;
    run_once(stage, setup, again);
  } catch (const Error& error) {  // if the file cannot be built unoptimised, the races stay
    if (error.code() != ExitCode::kUsage) throw;
    return;
  }
  if (again.verdict == Verdict::kFail || take_unconfirmed(row.hazards, again.hazards).empty()) return;
  if (!row.hazards.empty()) return;
  setup.program = optimised;
  inputs_suspect_ = true;
  run_once(stage, setup, again);  // restores the outputs of the optimised build
}

void Runner::time(const KernelStage& stage, StageGpu::Setup setup, Row& row) {
  setup.timing = device_plan(request_.settings);
  StageGpu gpu(setup);
  run_body(stage, gpu);
  row.time_ms = gpu.time();
  if (row.kind == RowKind::kKernel) row.transfer_ms = transfer_time();
}

Macros Runner::macros_of(const KernelStage& stage) {
  Macros macros;
  for (const Define& define : stage.defines) macros.emplace_back(define.name, define.value);
  return macros;
}

const Runner::Loaded& Runner::load(const KernelStage& stage, const Source& source, Build build) {
  const bool as_it_stands = build == Build::kAsItStands;
  compile::CompileRequest request;
  request.source = whole_text(stage, source);
  if (as_it_stands) request.source = source_as_it_stands(request.source, source.name);
  request.file_name = source.name;
  request.compute_major = machine_.device.info().compute_major;
  request.compute_minor = machine_.device.info().compute_minor;
  request.is_interpreted = machine_.device.info().card.has_value();
  request.wants_resources = request.is_interpreted && request_.settings.launch.predict && !as_it_stands;
  std::string key = request.file_name + '\n' + request.source;
  request.defines = macros_of(stage);
  for (const auto& [name, value] : request.defines) key += '\n' + name + '=' + value;
  if (source.is_users)
    request_.compiler.add_to(request);
  else if (request_.compiler.compiler == compile::Compiler::kClang)
    request.compiler = compile::Compiler::kClang;
  if (request_.settings.for_debugger || as_it_stands) request.options.emplace_back(compile::kForDebugger);
  Loaded& loaded = programs_[key];
  if (!loaded.program) {
    progress(msg::progress_compiling(source.name));
    const compile::CompiledSource compiled = machine_.compile(request);
    loaded = {machine_.device.load(compiled), compiled.made_by,
              compile::warnings_in(compiled.log, source.name)};
  }
  return loaded;
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

// If the check found no pattern in the wrong values, compares them with the inputs, which it does not know.
void Runner::add_pattern_of_inputs(Check& check) const {
  const bool has_pattern =
      !check.patterns.empty() && !check.patterns.front().id().starts_with("wrong_place_");
  if (!check.values || has_pattern) return;
  for (const auto& array : arrays_) {
    if (array->role() != ArrayRole::kInput) continue;
    Message pattern = pattern_of_input(*check.values, array->name(), array->numbers());
    if (pattern.empty()) continue;
    check.patterns.insert(check.patterns.begin(), std::move(pattern));
    return;
  }
}

void Runner::verify(const CheckFunction& check, Row& row) const {
  if (!check) {
    row.reason = msg::nothing_to_check();
    return;
  }
  row.check = check();
  row.check->digest = digest_of_outputs();
  add_pattern_of_inputs(*row.check);
  if (row.check->mismatches > 0)
    fail(row, lab::describe(*row.check));
  else if (row.check->compared > 0)
    row.verdict = Verdict::kPass;
  else
    row.reason = msg::nothing_compared();
}

void Runner::verify_again(const CheckFunction& check, Row& row) const {
  if (row.verdict != Verdict::kPass) return;
  verify(check, row);
  if (row.verdict == Verdict::kFail) row.reason = msg::wrong_after_repetitions(row.reason);
}

}  // namespace cudalab::lab
