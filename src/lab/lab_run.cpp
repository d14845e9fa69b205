// Chooses the stages of a lab's run, checks that memory suffices, and makes a row for each version.
#include "lab/lab_run.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "lab/lab.h"
#include "lab/running/program_runner.h"
#include "lab/running/runner.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

constexpr std::string_view kCpuStage = "cpu";
constexpr std::string_view kUsersRow = "yours";
constexpr double kLongestCpuSeconds = 30;  // for a one-thread version that the user did not ask for

// "281.5 GB", where GB = 10^9 bytes.
std::string gigabytes(double bytes) { return fmt::format("{:.1f} GB", bytes / 1e9); }

void require_room(double needed, double available, Message where, std::string_view smaller) {
  if (needed <= available) return;
  throw usage_error(msg::size_needs_memory(gigabytes(needed), needed, std::move(where), gigabytes(available),
                                           available, smaller));
}

// Estimates the time of the whole work from the time and the share of one part.
double seconds_of(const std::function<double()>& part) {
  const auto start = std::chrono::steady_clock::now();
  const double share = part();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / share;
}

Source lab_source(const Machine& machine, const Lab& lab, const std::string& file) {
  if (file.empty()) return {};
  return {read_text(machine.labs / lab.name / file), fmt::format("labs/{}/{}", lab.name, file)};
}

}  // namespace

LabRun::LabRun(const Lab& lab, const RunRequest& request, const Machine& machine, const Options& options,
               Result& result)
    : lab_(lab),
      request_(request),
      machine_(machine),
      options_(options),
      result_(result),
      runner_(std::make_unique<Runner>(request, machine, arrays_, !lab.check_size.empty())) {
  default_stages(lab.stages);
}

LabRun::~LabRun() = default;

const device::DeviceInfo& LabRun::device() const { return machine_.device.info(); }

// ---- which stages ------------------------------------------------------------------------------------

void LabRun::default_stages(std::vector<std::string> stages) {
  for (const std::string& stage : stages) require_declared(stage);
  const std::vector<std::string>& chosen = request_.stages.empty() ? stages : request_.stages;
  chosen_.clear();
  if (!request_.kernel_alone) chosen_.insert(chosen.begin(), chosen.end());
}

void LabRun::require_declared(std::string_view stage) const {
  if (std::find(lab_.stages.begin(), lab_.stages.end(), stage) == lab_.stages.end())
    throw std::logic_error(fmt::format("{} declares no stage {}", lab_.name, stage));
}

bool LabRun::wants(std::string_view stage) const {
  require_declared(stage);
  return is_chosen(stage) || gives_way(stage);
}

// Whether the user's kernel runs in place of that stage.
bool LabRun::gives_way(std::string_view stage) const {
  return !request_.kernel_file.empty() && request_.kernel_stage == stage;
}

// ---- memory ------------------------------------------------------------------------------------------

void LabRun::require_memory(double device_bytes, double host_bytes, std::string_view smaller) const {
  require_room(device_bytes, static_cast<double>(device().memory_bytes), msg::word_device(), smaller);
  const double for_device = device_bytes * static_cast<double>(device().host_bytes_per_byte);
  require_room(host_bytes + for_device, static_cast<double>(machine_.host.available_bytes), msg::word_host(),
               smaller);
}

const MarkedInputs* LabRun::marked_inputs() const {
  const std::optional<MarkedInputs>& marked = request_.settings.marked;
  result_.has_marked_inputs = marked.has_value();
  return marked ? &*marked : nullptr;
}

std::uint64_t LabRun::random(std::string_view name) const { return random_stream(request_.seed, name); }

device::Buffer LabRun::allocate(const std::string& name, std::size_t bytes) {
  return machine_.device.allocate(name, bytes);
}

device::Buffer LabRun::upload(const std::string& name, std::span<const std::byte> bytes) {
  device::Buffer buffer = allocate(name, bytes.size());
  machine_.device.upload(buffer.address(), bytes);
  return buffer;
}

// ---- rows --------------------------------------------------------------------------------------------

Row& LabRun::new_run(std::string name, RowKind kind, const std::optional<Work>& work) {
  Row& row = result_.rows.emplace_back();
  row.name = std::move(name);
  row.kind = kind;
  row.useful_bytes = work.value_or(work_).bytes;
  row.useful_flops = work.value_or(work_).flops;
  return row;
}

void LabRun::cpu(const CpuVersion& version) {
  if (!is_chosen(kCpuStage) || request_.settings.kernels_only) return;
  const std::string prefix = version.name.empty() ? "cpu" : "cpu-" + version.name;
  const double seconds = version.part ? seconds_of(version.part) : 0;
  if (seconds <= kLongestCpuSeconds || !request_.stages.empty()) {
    runner_->announce(prefix + "-1-thread", seconds);
    cpu_row(version, prefix + "-1-thread", 1);
  } else {
    skip(prefix + "-1-thread", RowKind::kCpu, msg::cpu_would_take_long(seconds));
  }
  const auto threads = static_cast<int>(machine_.host.threads);
  runner_->announce(prefix + "-all-threads", seconds / threads);
  cpu_row(version, prefix + "-all-threads", threads);
}

void LabRun::cpu_row(const CpuVersion& version, const std::string& name, int threads) {
  Row& row = new_run(name, RowKind::kCpu, version.work);
  row.threads = threads;
  runner_->run_cpu([&] { version.run(threads); }, version.check ? version.check : check_, row);
}

Row* LabRun::kernel(const KernelStage& stage) {
  const std::string& choice = stage.stage.empty() ? stage.name : stage.stage;
  require_declared(choice);
  const std::size_t place = result_.rows.size();
  runner_->expect_stages(stages_left());
  begun_.insert(choice);
  if (is_chosen(choice)) stage_row(stage, stage.name, lab_source(machine_, lab_, stage.file));
  if (gives_way(choice) && !stage.file.empty()) users_row(stage);
  return place < result_.rows.size() ? &result_.rows[place] : nullptr;
}

// The chosen stages with kernels that have not started, plus the user's kernel.
std::size_t LabRun::stages_left() const {
  const auto is_left = [this](const std::string& stage) {
    return stage != kCpuStage && !begun_.contains(stage);
  };
  const auto own = static_cast<std::size_t>(std::count_if(chosen_.begin(), chosen_.end(), is_left));
  return std::max<std::size_t>(1, own + (request_.kernel_file.empty() ? 0 : 1));
}

void LabRun::users_kernel(const KernelStage& like) {
  runner_->expect_stages(1);
  if (!request_.kernel_file.empty() && request_.kernel_stage.empty()) users_row(like);
}

// A stage with several rows, such as a sweep, gives several user's rows: "yours", "yours-2", …
std::string LabRun::name_of_users_row() {
  return ++users_rows_ == 1 ? std::string(kUsersRow) : fmt::format("{}-{}", kUsersRow, users_rows_);
}

Row& LabRun::users_row(const KernelStage& like) {
  const std::string& file = request_.kernel_file;
  KernelStage stage = like;
  stage.kind = RowKind::kKernel;
  return stage_row(stage, name_of_users_row(),
                   {read_text(file), file, true, lab_source(machine_, lab_, like.file).text});
}

Row* LabRun::program(const ProgramStage& stage) {
  const std::string& choice = stage.stage.empty() ? stage.name : stage.stage;
  require_declared(choice);
  if (!is_program(lab_, choice))
    throw std::logic_error(fmt::format("{} declares no program {}", lab_.name, choice));
  const std::size_t place = result_.rows.size();
  const std::string& users = request_.kernel_file;
  if (is_chosen(choice))
    program_row(stage, stage.name,
                {machine_.labs / lab_.name / stage.file, fmt::format("labs/{}/{}", lab_.name, stage.file)});
  if (gives_way(choice)) program_row(stage, name_of_users_row(), {users, users, true});
  return place < result_.rows.size() ? &result_.rows[place] : nullptr;
}

Row& LabRun::program_row(const ProgramStage& stage, const std::string& name, const ProgramSource& source) {
  Row& row = new_run(name, RowKind::kKernel, stage.work);
  row.source = source.name;
  row.source_hash = digest(read_text(source.file));
  runner_->progress(msg::progress_building(source.name));
  result_.stopped |= run_program(stage, source, request_, machine_, row);
  if (stage.measure && row.program) stage.measure(row);
  return row;
}

Row& LabRun::stage_row(const KernelStage& stage, const std::string& name, const Source& source) {
  Row& row = new_run(name, stage.kind, stage.work);
  row.source = source.name;
  if (!source.text.empty()) row.source_hash = digest(source.text);
  runner_->run_stage(stage, source, stage.check ? stage.check : check_, row);
  result_.stopped = runner_->stopped();
  if (stage.measure) stage.measure(row);
  return row;
}

std::string LabRun::source(const std::string& file) const {
  const Source source = lab_source(machine_, lab_, file);
  return fmt::format("#line 1 \"{}\"\n{}", source.name, source.text);
}

void LabRun::copy_ceiling(std::size_t bytes) {
  if (!device().measures_time) return;
  KernelStage stage;
  stage.kind = RowKind::kCeiling;
  stage.work = Work{2.0 * static_cast<double>(bytes), 0};
  stage.body = [bytes](Gpu& gpu) {
    gpu.call({}, [&](const device::TimingPlan& plan) { return gpu.device().time_device_copy(bytes, plan); });
  };
  Row& row = new_run("device-copy", stage.kind, stage.work);
  runner_->run_stage(stage, {}, {}, row);
}

void LabRun::library(const LibraryStage& stage) {
  if (!device().measures_time || request_.settings.profiled || machine_.device.is_lost()) return;
  device::LinearAlgebra* algebra = nullptr;
  try {
    algebra = &machine_.device.linear_algebra();
  } catch (const Error& missing) {
    return skip(stage.name, RowKind::kLibrary, missing.message());
  }
  Row& row = new_run(stage.name, RowKind::kLibrary, std::nullopt);
  const KernelStage body{.kind = RowKind::kLibrary, .body = [&](Gpu& gpu) { stage.body(gpu, *algebra); }};
  runner_->run_stage(body, {}, stage.check ? stage.check : check_, row);
}

Row& LabRun::skipped(const std::string& name, RowKind kind, Message reason) {
  Row& row = new_run(name, kind, std::nullopt);
  row.reason = std::move(reason);
  return row;
}

void LabRun::skip(const std::string& name, RowKind kind, Message reason) {
  skipped(name, kind, std::move(reason));
}

const vgpu::Card* LabRun::predicted_card() const {
  const std::optional<vgpu::Card>& card = machine_.device.info().card;
  return card && request_.settings.launch.predict ? &*card : nullptr;
}

void LabRun::progress(const Message& what) const { runner_->progress(what); }

void LabRun::note(Message sentence) { result_.notes.push_back(std::move(sentence)); }

Figure& LabRun::figure(Message title, std::vector<std::string> lines, std::vector<std::size_t> marked) {
  return result_.figures.emplace_back(Figure{std::move(title), std::move(lines), std::move(marked), nullptr});
}

}  // namespace cudalab::lab
