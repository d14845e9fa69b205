// Runs a lab: opens the device, reads the options, runs the stages, reports progress, and summarizes the
// results.
#include "lab/running/run_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "compile/compile_kernels.h"
#include "core/files.h"
#include "core/text.h"
#include "core/work_budget.h"
#include "lab/host.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "lab/running/summary.h"
#include "messages/lab.h"

namespace cudalab::lab {

// Runs a lab on the machine it finds: opens the device, finds the labs, compiles with NVRTC.

Result run_lab(const Lab& lab, const RunRequest& request) {
  Options checked(lab.options, false);  // bad options are reported before a device is looked for
  for (const auto& [name, value] : request.options) checked.set(name, value);
  const std::unique_ptr<device::Device> device =
      device::open_device(request.settings.device, request.settings.card);
  return run_lab(lab, request, Machine{*device, compile::compile_kernels, labs_directory(), describe_host()});
}

namespace {

// "running global, 75 s"
Message with_age(const Message& what, std::chrono::steady_clock::duration age) {
  return msg::progress_with_age(what, std::chrono::duration_cast<std::chrono::seconds>(age).count());
}

}  // namespace

Ticker::Ticker(Show show, std::chrono::milliseconds every) : show_(std::move(show)), every_(every) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// The thread begins with the first word: a run that says nothing needs none.
void Ticker::say(const Message& what) {
  if (!show_) return;
  const std::lock_guard lock(mutex_);
  what_ = what;
  since_ = std::chrono::steady_clock::now();
  show_(what_);
  if (!thread_.joinable()) thread_ = further_thread([this] { tick(); });
}

Ticker::Show Ticker::voice() {
  if (!show_) return {};
  return [this](const Message& what) { say(what); };
}

void Ticker::tick() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, every_, [this] { return ends_; })) {
    const auto age = std::chrono::steady_clock::now() - since_;
    if (age >= every_) show_(with_age(what_, age));
  }
}

namespace {

Options options_of(const Lab& lab, const RunRequest& request, bool gpu) {
  Options options(lab.options, gpu);
  for (const auto& [name, value] : request.options) options.set(name, value);
  return options;
}

void require_known_stages(const Lab& lab, const RunRequest& request) {
  for (const std::string& stage : request.stages)
    if (std::find(lab.stages.begin(), lab.stages.end(), stage) == lab.stages.end())
      throw usage_error(msg::stage_unknown(stage, lab.name, joined(lab.stages)));
}

void require_known_place(const Lab& lab, const RunRequest& request) {
  const std::string& stage = request.kernel_stage;
  if (stage.empty()) return;
  if (request.kernel_file.empty()) throw usage_error(msg::as_without_kernel(stage));
  if (std::find(lab.stages.begin(), lab.stages.end(), stage) == lab.stages.end() || stage == "cpu")
    throw usage_error(msg::as_stage_unknown(stage, lab.name, joined(lab.stages)));
}

// Whoever chooses one stage and brings a kernel wants it in that stage's place.
std::string stage_of_kernel(const RunRequest& request) {
  if (request.kernel_file.empty() || !request.kernel_stage.empty()) return request.kernel_stage;
  std::string only;
  for (const std::string& stage : request.stages) {
    if (stage == "cpu" || stage == only) continue;
    if (!only.empty()) return "";
    only = stage;
  }
  return only;
}

Request recorded(const RunRequest& request) {
  Request record;
  record.student = request.student;
  for (const auto& [name, value] : request.options) record.given.push_back(name);
  record.stages = request.stages;
  record.checks = name_in(kCheckNames, request.settings.launch.checks);
  if (request.settings.card) record.card = request.settings.card->id;
  record.max_steps = request.settings.launch.max_steps;
  record.kernel_stage = stage_of_kernel(request);
  return record;
}

void require_declared_extras(const Lab& lab, const Result& result) {
  for (const Row& row : result.rows)
    for (const auto& [name, value] : row.extra)
      if (std::ranges::find(lab.extras, name) == lab.extras.end())
        throw std::logic_error(fmt::format("the lab {} does not declare `{}` in its extras", lab.name, name));
}

Result describe_run(const Lab& lab, const RunRequest& request, const Options& options,
                    const Machine& machine) {
  Result result = result_on(machine);
  result.lab = lab.name;
  result.request = recorded(request);
  result.options = options.effective();
  result.options.emplace_back("seed", static_cast<std::int64_t>(request.seed));
  return result;
}

}  // namespace

Result run_lab(const Lab& lab, const RunRequest& request, const Machine& machine) {
  require_known_stages(lab, request);
  require_known_place(lab, request);
  if (!request.kernel_file.empty()) read_text(request.kernel_file);  // a wrong path is better known at once
  const Options options = options_of(lab, request, machine.device.info().measures_time);
  Result result = describe_run(lab, request, options, machine);
  try {
    Ticker ticker(request.settings.progress);
    RunRequest told = request;
    told.settings.progress = ticker.voice();
    told.kernel_stage = stage_of_kernel(request);
    LabRun run(lab, told, machine, options, result);
    lab.run(run);
    if (!told.kernel_stage.empty() && !run.ran_users_kernel())
      throw usage_error(msg::stage_runs_no_kernel(
          request.kernel_stage.empty() ? "--stage " + told.kernel_stage : "--as " + told.kernel_stage,
          lab.name, told.kernel_stage, request.kernel_file));
  } catch (const std::bad_alloc&) {
    throw unavailable_error(msg::host_memory_used_up());
  }
  require_declared_extras(lab, result);
  summarize(result);
  return result;
}

}  // namespace cudalab::lab
