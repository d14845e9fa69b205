// Runs a lab: opens the device, reads the options, runs the stages, reports progress, and summarizes the
// results.
#include "lab/running/run_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

// Runs a lab on this machine: opens the device, finds the labs, compiles with NVRTC.

Result run_lab(const Lab& lab, const RunRequest& request) {
  Options checked(lab.options, false);  // report bad options before looking for a device
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

// The thread starts with the first message, so a run without messages needs none.
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

// A user who chooses one stage and gives a kernel wants the kernel in that stage's place.
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

Result describe_run(const Lab& lab, const RunRequest& request, const Options& options,
                    const Machine& machine) {
  Result result = result_on(machine);
  result.lab = lab.name;
  result.request = recorded(request);
  result.options = options.effective();
  result.options.emplace_back("seed", static_cast<std::int64_t>(request.seed));
  if (lab.sizes.size() > 1) result.sizes = lab.sizes;
  result.columns = lab.columns;
  return result;
}

// ---- samples of blocks -------------------------------------------------------------------------------

void require_sampling(const Lab& lab, const RunRequest& request, const Machine& machine) {
  if (request.settings.launch.most_blocks == 0) return;
  if (!machine.device.info().counts) throw usage_error(msg::blocks_needs_virtual());
  if (lab.check_size.empty()) throw usage_error(msg::lab_takes_no_sample(lab.name));
}

using Values = std::vector<std::pair<std::string, OptionValue>>;

// The options of the check size that are smaller than the run's.
Values smaller_values(const Lab& lab, const Options& options) {
  Values smaller;
  for (const auto& [name, most] : lab.check_size)
    if (options.integer(name) > most) smaller.emplace_back(name, most);
  return smaller;
}

RunRequest request_at(const RunRequest& request, const Values& values) {
  RunRequest small = request;
  std::erase_if(small.options, [&](const auto& given) {
    return std::ranges::any_of(values, [&](const auto& value) { return value.first == given.first; });
  });
  small.options.insert(small.options.end(), values.begin(), values.end());
  small.settings.launch.most_blocks = 0;
  small.settings.sampling = BlockSampling::kOff;
  small.settings.launch.predict = small.settings.launch.record = false;
  small.settings.kernels_only = true;
  return small;
}

void take_verdict(const Row& from, Row& to) {
  to.verdict = from.verdict;
  to.reason = from.reason;
  to.is_experiment = from.is_experiment;
  to.check = from.check;
  to.hazards = from.hazards;
}

std::string text_of(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, std::get<std::int64_t>(value));
  return text;
}

Message note_on_samples(const Result& result) {
  std::vector<std::string> rows;
  for (const Row& row : result.rows)
    if (row.sample) rows.push_back(fmt::format("{} ({} / {})", row.name, row.sample->blocks, row.sample->of));
  return msg::note_sampled(joined(rows), text_of(result.checked_at));
}

// Rows with a sample of their blocks get their verdict from a run at the lab's check size, in which all
// blocks run.
void check_samples(const Lab& lab, const RunRequest& request, const Options& options, const Machine& machine,
                   Result& result) {
  if (std::ranges::none_of(result.rows, [](const Row& row) { return row.sample.has_value(); })) return;
  result.checked_at = smaller_values(lab, options);
  const Result checked = run_lab(lab, request_at(request, result.checked_at), machine);
  for (Row& row : result.rows) {
    if (!row.sample || row.verdict == Verdict::kFail) continue;
    const auto same = std::ranges::find(checked.rows, row.name, &Row::name);
    if (same != checked.rows.end()) take_verdict(*same, row);
  }
  result.notes.insert(result.notes.begin(), note_on_samples(result));
}

// A number without a heading would be shown with its key.
void require_headings(const Lab& lab, const Result& result) {
  for (const Row& row : result.rows)
    for (const auto& [key, value] : row.extra)
      if (std::ranges::find(lab.columns, key, &ExtraColumn::key) == lab.columns.end())
        throw std::logic_error("the lab " + lab.name + " declares no column " + key);
}

// ---- what to try next --------------------------------------------------------------------------------

bool has_row(const Result& result, std::string_view stage) {
  return std::ranges::any_of(result.rows, [stage](const Row& row) {
    return row.name == stage || row.name.starts_with(std::string(stage) + "-");
  });
}

bool has_value(const Result& result, std::string_view option, std::string_view value) {
  const auto found = std::ranges::find(result.options, option, &std::pair<std::string, OptionValue>::first);
  if (found == result.options.end()) return false;
  if (const auto* number = std::get_if<std::int64_t>(&found->second)) return std::to_string(*number) == value;
  const auto* text = std::get_if<std::string>(&found->second);
  return text && *text == value;
}

// Whether the run already shows what these options would: each stage has a row, and each option its value.
bool is_answered_by(const Result& result, const std::string& options) {
  const std::vector<std::string_view> words = split(options, ' ');
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] != "--stage" && !has_value(result, words[i].substr(2), words[i + 1])) return false;
    if (words[i] == "--stage")
      for (const std::string_view stage : split(words[i + 1], ','))
        if (!has_row(result, stage)) return false;
  }
  return true;
}

std::optional<Suggestion> next_after(const Lab& lab, const RunRequest& request, const Result& result) {
  if (result.verdict != Verdict::kPass || !request.kernel_file.empty()) return std::nullopt;
  for (const Suggestion& suggestion : lab.next)
    if (!is_answered_by(result, suggestion.options)) return suggestion;
  return std::nullopt;
}

}  // namespace

Result run_lab(const Lab& lab, const RunRequest& request, const Machine& machine) {
  require_known_stages(lab, request);
  require_known_place(lab, request);
  if (!request.kernel_file.empty()) read_text(request.kernel_file);  // report a wrong path at once
  require_sampling(lab, request, machine);
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
  require_headings(lab, result);
  check_samples(lab, request, options, machine, result);
  summarize(result);
  result.next = next_after(lab, request, result);
  return result;
}

}  // namespace cudalab::lab
