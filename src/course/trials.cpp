// Runs cases, and keeps compiled code and results.
#include "course/trials.h"

#include <algorithm>

#include "device/kernel_launch.h"
#include "ptx/silence.h"

namespace cudalab::course {
namespace {

using lab::Row;

Fault worst_of(const lab::Result& result) {
  Fault worst = Fault::kNone;
  for (const Row& row : result.rows)
    if (const Fault fault = fault_of(row); worst == Fault::kNone || worst == Fault::kWrongResult)
      if (fault != Fault::kNone) worst = fault;
  return worst;
}

void keep_users_rows(lab::Result& result) {
  std::erase_if(result.rows, [](const Row& row) { return !row.name.starts_with("yours"); });
}

}  // namespace

Fault fault_of(const Row& row) {
  if (row.verdict == lab::Verdict::kPass) return Fault::kNone;
  if (row.hazards.empty() && row.program) return row.program->fault ? Fault::kHost : Fault::kWrongResult;
  if (row.hazards.empty()) return row.counters ? Fault::kWrongResult : Fault::kDoesNotCompile;
  return row.hazards.front().kind == HazardKind::kStepLimit ? Fault::kStopped : Fault::kHazard;
}

bool is_in_lab(const Hazard& hazard, const Row& row) {
  return !row.program && !hazard.where.file.empty() && hazard.where.file != row.source;
}

Trials::Trials(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
               const CheckSettings& settings, const lab::Machine& machine)
    : lab_(lab), compile_(machine.compile), machine_(machine) {
  machine_.compile = [this](const compile::CompileRequest& request) { return compiled_once(request); };
  make_solution_ = [&exercise, &lab, &machine, seed = settings.seed] {
    CheckSettings own;
    own.seed = seed;
    return std::make_unique<Trials>(exercise, lab, exercise.solution(), own, machine);
  };
  request_.kernel_file = file.string();
  request_.kernel_stage = exercise.stage;
  request_.kernel_alone = true;
  request_.seed = settings.seed;
  if (exercise.is_program) request_.settings.launch.max_steps = settings.steps;
  request_.settings.progress = settings.progress;
  request_.settings.remark = settings.remark;
  request_.settings.launch.record = true;
  if (settings.processor_seconds > 0 || (settings.steps > 0 && !exercise.is_program))
    request_.settings.launch.budget = &budget_.emplace(
        settings.processor_seconds > 0 ? settings.processor_seconds : ProcessorBudget::kAnyTime,
        settings.steps > 0 ? settings.steps : ProcessorBudget::kAnySteps);
}

const Trial& Trials::on(const Case& options) {
  for (const std::unique_ptr<Trial>& trial : trials_)
    if (trial->on == options) return *trial;
  request_.options = options;
  auto trial = std::make_unique<Trial>(Trial{options, lab::run_lab(lab_, request_, machine_)});
  keep_users_rows(trial->result);
  return *trials_.emplace_back(std::move(trial));
}

const Trial& Trials::of_solution(const Case& options) {
  if (!solution_) solution_ = make_solution_();
  return solution_->on(options);
}

Fault Trials::worst_on(const Case& options) {
  for (const auto& [on, fault] : worst_)
    if (on == options) return fault;
  lab::RunRequest request = request_;
  request.options = options;
  request.settings.launch.record = false;
  lab::Result result = lab::run_lab(lab_, request, machine_);
  keep_users_rows(result);
  return worst_.emplace_back(options, worst_of(result)).second;
}

lab::Row Trials::run_with_uses(const Case& options) const {
  lab::RunSettings settings = request_.settings;
  settings.launch.record_uses = true;
  return run_once(options, settings).rows.front();
}

std::vector<BufferUse> Trials::uses_on(const Case& options) const {
  const lab::Row row = run_with_uses(options);
  return row.recording ? row.recording->uses : std::vector<BufferUse>();
}

AccessHistory Trials::history_on(const Case& options) const {
  AccessHistory history;
  lab::RunSettings settings = request_.settings;
  settings.launch.history = &history;
  run_once(options, settings);
  return history;
}

std::optional<vgpu::WarpTrace> Trials::trace_on(const Case& options, std::uint32_t launch,
                                                const vgpu::TraceRequest& wanted) const {
  std::optional<vgpu::WarpTrace> trace;
  std::uint32_t launches = 0;
  lab::RunSettings settings = request_.settings;
  settings.launch.record = false;
  settings.onlooker = [&](device::LaunchView& view) {
    if (launches++ == launch) trace = view.trace(wanted);
  };
  run_once(options, settings);
  return trace;
}

std::optional<lab::Check> Trials::check_of_marks(const Case& options, const lab::MarkedInputs& marks) const {
  lab::RunSettings settings = request_.settings;
  settings.launch.record = false;
  settings.marked = marks;
  const lab::Result result = run_once(options, settings);
  return result.has_marked_inputs ? result.rows.front().check : std::nullopt;
}

std::optional<lab::Row> Trials::result_on(const Case& options) const {
  lab::RunSettings settings = request_.settings;
  settings.launch.record = false;
  lab::Row row = run_once(options, settings).rows.front();
  const Fault fault = fault_of(row);
  return fault == Fault::kNone || fault == Fault::kWrongResult ? std::optional(std::move(row)) : std::nullopt;
}

lab::Result Trials::run_once(const Case& options, const lab::RunSettings& settings,
                             std::uint64_t steps) const {
  ProcessorBudget budget(budget_ ? budget_->seconds() : ProcessorBudget::kAnyTime, steps);
  lab::RunRequest request = request_;
  request.options = options;
  request.settings = settings;
  request.settings.launch.predict = false;
  request.settings.launch.budget = &budget;
  lab::Result result = lab::run_lab(lab_, request, machine_);
  keep_users_rows(result);
  return result;
}

const vgpu::DataFlow& Trials::flow_on(ptx::Carriers carriers, const Case& options) {
  for (const FoundFlow& found : flows_)
    if (found.carriers == carriers && found.on == options) return found.flow;
  return flows_.emplace_back(carriers, options, find_flow(carriers, options)).flow;
}

vgpu::DataFlow Trials::find_flow(ptx::Carriers carriers, const Case& options) const {
  constexpr int kMostLaunches = 4;
  constexpr std::uint64_t kStepsOfAFlow = 8 * kStepsOfACheck;  // the launch is repeated up to a hundred times
  vgpu::DataFlow flow;
  int launches = 0;
  lab::RunSettings settings = request_.settings;
  settings.launch.record = false;
  const auto name_of = [](const std::string& file) { return std::filesystem::path(file).filename(); };
  settings.onlooker = [&](device::LaunchView& view) {
    const bool is_learners = name_of(view.file()) == name_of(request_.kernel_file);
    if (is_learners && launches++ < kMostLaunches) flow.add(view.data_flow(carriers, request_.seed));
  };
  run_once(options, settings, kStepsOfAFlow);
  return flow;
}

lab::Result Trials::run_without(ptx::Carriers carriers, const std::vector<bool>& idle,
                                const Case& options) const {
  ProcessorBudget budget(ProcessorBudget::kAnyTime, kStepsOfACheck);
  lab::Machine machine = machine_;
  machine.compile = [&](const compile::CompileRequest& request) {
    compile::CompiledSource compiled = machine_.compile(request);
    compiled.ptx = ptx::with_idle(compiled.ptx, carriers, idle);
    return compiled;
  };
  lab::RunRequest request = request_;
  request.options = options;
  request.settings.launch.record = false;
  request.settings.launch.budget = &budget;
  lab::Result result = lab::run_lab(lab_, request, machine);
  keep_users_rows(result);
  return result;
}

// Caches compilations, because most cases of a check give the compiler the same input.
compile::CompiledSource Trials::compiled_once(const compile::CompileRequest& request) {
  std::string key = request.file_name + '\n' + request.source;
  for (const auto& [name, value] : request.defines) key += '\n' + name + '=' + value;
  for (const std::string& option : request.options) key += '\n' + option;
  key += request.wants_resources ? "\nresources" : "";
  const auto found = compiled_.find(key);
  return found != compiled_.end() ? found->second : compiled_[key] = compile_(request);
}

}  // namespace cudalab::course
