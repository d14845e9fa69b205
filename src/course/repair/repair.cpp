// Tries each edit on the failing case, reduced in size if the kernel still fails there. An edit that passes
// there runs the whole check.
#include "course/repair/repair.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "compile/compile_kernels.h"
#include "core/files.h"
#include "core/processes/interruption.h"
#include "course/repair/edit_in_words.h"
#include "course/repair/kernel_batch.h"
#include "course/trials.h"
#include "lab/locate.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kVariantsPerBatch = 24;
constexpr double kSecondsAfterSuccess = 1;
// Limits of a variant, in warp instructions: a multiple of what the learner's kernel takes. Without a limit,
// variants that never end would take most of the time.
constexpr std::uint64_t kStepsOfAVariant = 20'000'000, kTimesTheKernels = 16, kFewSteps = 100'000;
constexpr std::uint64_t kStepsOfASize = 2'000'000;  // for the learner's kernel with reduced sizes

class Search {
 public:
  Search(const Exercise& exercise, const lab::Lab& lab, const fs::path& file, const CheckSettings& settings,
         const RepairSettings& search)
      : exercise_(exercise),
        lab_(lab),
        file_(file),
        settings_(settings),
        search_(search),
        source_(read_text(file)) {
    settings_.progress = settings_.remark = {};
    settings_.gives_reasons = false;
    quick_ = settings_;
    quick_.steps = kStepsOfAVariant;
    edits_ = edits_of(source_);
  }

  std::optional<Repair> run(const Case& failing) {
    take_quick_case(failing);
    make_batches();
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < search_.threads; ++i) threads.push_back(further_thread([this] { work(); }));
    work();
    threads.clear();  // joins them
    return found();
  }

 private:
  // Halves the sizes of the failing case as long as the kernel takes many steps and its results stay wrong.
  // Very small cases would be misleading: more edits pass them that then fail the whole check.
  void take_quick_case(const Case& failing) {
    const auto device = device::open_device(device::DeviceChoice::kVirtual, settings_.card);
    const lab::Machine machine{*device, compile::compile_kernels, lab::labs_directory(),
                               lab::describe_host()};
    CheckSettings few = quick_;
    few.steps = kStepsOfASize;
    const auto run = [&](const Case& options) {  // each with the full limit in steps
      Trials trials(exercise_, lab_, file_, within_time(few), machine);
      const Trial& trial = trials.on(options);
      return std::pair(fault_of(trial.first()), steps_of(trial));
    };
    failing_ = failing;
    std::uint64_t steps = run(failing_).second;
    for (const Range& range : exercise_.ranges.ranges) {
      Case smaller = failing_;
      while (steps > kFewSteps && !is_over() && halve(smaller, range)) {
        if (!is_within(smaller, exercise_.ranges)) continue;
        const auto [fault, its_steps] = run(smaller);
        if (fault == Fault::kNone) break;
        if (fault != Fault::kWrongResult) continue;  // for example, too many steps
        failing_ = smaller;
        steps = its_steps;
      }
    }
    quick_.steps = std::min(kStepsOfAVariant, kFewSteps + kTimesTheKernels * steps);
  }
  // In warp instructions. Returns kStepsOfAVariant if the number is unknown, as for a stopped kernel.
  static std::uint64_t steps_of(const Trial& trial) {
    double steps = 0;
    for (const lab::Row& row : trial.result.rows) {
      if (!row.counters || fault_of(row) == Fault::kStopped) return kStepsOfAVariant;
      steps += row.counters->value_or_zero(Counter::kWarpInstructions);
    }
    return static_cast<std::uint64_t>(steps);
  }
  // Returns false if the option is not a number of the case or already has its smallest value.
  static bool halve(Case& options, const Range& range) {
    const std::optional<std::int64_t> value = number_in(options, range.option);
    if (!value || range.is_compiled || !range.one_of.empty()) return false;
    std::int64_t half = std::min(*value / 2, range.most);
    half -= half % range.multiple_of;
    if (half < range.least || half == *value) return false;
    for (auto& [name, now] : options)
      if (name == range.option) now = half;
    return true;
  }

  void make_batches() {
    for (std::size_t first = 0; first < edits_.size(); first += kVariantsPerBatch) {
      std::vector<std::string> sources;
      for (std::size_t i = first; i < std::min(first + kVariantsPerBatch, edits_.size()); ++i)
        sources.push_back(edited(source_, edits_[i]));
      batches_.push_back(std::make_unique<KernelBatch>(std::move(sources), compile::compile_kernels));
    }
  }

  // The search ends soon after the first success: other lines may also work, but the first is the most
  // plausible.
  bool is_over() const {
    const std::chrono::duration<double> since_begin = Clock::now() - begin_;
    return since_begin > search_.limit || since_begin.count() > stop_at_;
  }
  // Limits launches to the time that is left for the search.
  CheckSettings within_time(CheckSettings settings) const {
    constexpr double kLeast = 0.01;  // 0 would mean no limit
    const std::chrono::duration<double> left = search_.limit - (Clock::now() - begin_);
    settings.processor_seconds = std::max(left.count(), kLeast);
    return settings;
  }

  // Each thread takes whole batches, because a batch is one compilation.
  void work() {
    const TemporaryFolder folder("cudalab-variant-");
    const fs::path file = folder.path() / file_.filename();
    const auto device = device::open_device(device::DeviceChoice::kVirtual, settings_.card);
    for (std::size_t batch = next_++; batch < batches_.size() && !is_over(); batch = next_++)
      for (std::size_t i = batch * kVariantsPerBatch;
           i < std::min((batch + 1) * kVariantsPerBatch, edits_.size()) && !is_over(); ++i)
        try {
          try_edit(i, file, *device);
        } catch (const Error&) {
          // an edit that cannot run is not a repair
        }
  }

  void try_edit(std::size_t number, const fs::path& file, device::Device& device) {
    std::ofstream(file, std::ios::binary) << edited(source_, edits_[number]);
    KernelBatch& batch = *batches_[number / kVariantsPerBatch];
    const auto compile = [&](const compile::CompileRequest& request) {
      auto made = batch.compiled(number % kVariantsPerBatch, request);
      if (!made) throw usage_error(Message::verbatim("does not compile"));
      return *std::move(made);
    };
    const lab::Machine batched{device, compile, lab::labs_directory(), lab::describe_host()};
    Trials trials(exercise_, lab_, file, quick_, batched);
    const bool passes_there = trials.worst_on(failing_) == Fault::kNone;
    report_progress();
    if (!passes_there) return;
    const lab::Machine machine{device, compile::compile_kernels, lab::labs_directory(), lab::describe_host()};
    if (check_exercise(exercise_, lab_, file, within_time(settings_), machine).passed) add(number);
  }

  void report_progress() {
    const std::lock_guard lock(mutex_);
    ++tried_;
    if (search_.progress) search_.progress(tried_, edits_.size());
  }
  void add(std::size_t number) {
    const std::lock_guard lock(mutex_);
    found_.push_back(number);
    const std::chrono::duration<double> since_begin = Clock::now() - begin_;
    if (found_.size() == 1) stop_at_ = since_begin.count() + kSecondsAfterSuccess;
  }

  std::optional<Repair> found() {
    if (found_.empty()) return std::nullopt;
    std::ranges::sort(found_);
    const Edit& best = edits_[found_.front()];
    Repair repair{.where = {file_.string(), best.line}, .kind = best.kind, .tried = tried_, .edit = best};
    for (const std::size_t number : found_)
      if (const int line = edits_[number].line;
          line != best.line && std::ranges::find(repair.other_lines, line) == repair.other_lines.end())
        repair.other_lines.push_back(line);
    return repair;
  }

  const Exercise& exercise_;
  const lab::Lab& lab_;
  fs::path file_;
  CheckSettings settings_, quick_;
  const RepairSettings& search_;
  std::string source_;
  std::vector<Edit> edits_;
  std::vector<std::unique_ptr<KernelBatch>> batches_;
  Case failing_;
  Clock::time_point begin_ = Clock::now();
  std::atomic<std::size_t> next_ = 0;
  std::atomic<double> stop_at_ = std::numeric_limits<double>::infinity();
  std::mutex mutex_;
  std::size_t tried_ = 0;
  std::vector<std::size_t> found_;
};

// The first failing case; empty if the kernel passed or did not compile.
std::optional<Case> failing_case(const ExerciseCheck& check) {
  for (const CheckPart& part : check.parts)
    if (part.outcome == CheckPart::kMissed && part.on) return part.on;
  return std::nullopt;
}

}  // namespace

std::optional<Repair> find_repair(const Exercise& exercise, const lab::Lab& lab, const fs::path& file,
                                  const ExerciseCheck& check, const CheckSettings& settings,
                                  const RepairSettings& search) {
  const std::optional<Case> failing = failing_case(check);
  if (exercise.is_program || !failing || search.limit.count() <= 0) return std::nullopt;
  return Search(exercise, lab, file, settings, search).run(*failing);
}

Message describe(const Repair& repair) {
  const auto place = [&repair]() -> Message {
    switch (repair.kind) {
      case EditKind::kComparison: return msg::repair_comparison();
      case EditKind::kIndex:
      case EditKind::kVariable: return msg::repair_index();
      case EditKind::kUpdate: return msg::repair_update();
      case EditKind::kBarrier: return msg::repair_barrier();
      case EditKind::kConstant: return msg::repair_constant();
      case EditKind::kOperator: return msg::repair_operator();
      case EditKind::kGuard: return msg::repair_guard();
      case EditKind::kFunction: return msg::repair_function();
      case EditKind::kType: return msg::repair_type();
      case EditKind::kStatement: break;
    }
    return msg::repair_statement();
  };
  if (repair.other_lines.empty()) return msg::repair_found(repair.where.line, place());
  return msg::repair_found_elsewhere(repair.where.line, place(), repair.other_lines.front());
}

Message describe_edit(const Repair& repair, std::string_view source) {
  const Edit& edit = repair.edit;
  const int line = repair.where.line;
  if (!edit.second_text.empty())  // a moved barrier: the replacement that is not ";" is at the new place
    return edit.text == ";" ? msg::repair_move_down(line, line_at(source, edit.second_begin))
                            : msg::repair_move_up(line, line_at(source, edit.begin));
  const EditInWords words = edit_in_words(source, edit);
  const Code before{words.before}, after{words.after};
  if (words.is_added) return msg::repair_add(line, after, before);
  return words.after.empty() ? msg::repair_remove(line, before) : msg::repair_write(line, after, before);
}

}  // namespace cudalab::course
