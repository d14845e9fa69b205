// Tries each edit on the failing case, reduced in size if the kernel still fails there. An edit that passes
// there runs the whole check.
#include "course/repair/repair.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>

#include "compile/compile_kernels.h"
#include "core/files.h"
#include "core/processes/interruption.h"
#include "course/repair/edit_in_words.h"
#include "course/repair/edit_search.h"
#include "course/trials.h"
#include "lab/locate.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

namespace fs = std::filesystem;

// Limits of a variant, in warp instructions: a multiple of what the learner's kernel takes. Without a limit,
// variants that never end would take most of the time.
constexpr std::uint64_t kStepsOfAVariant = 20'000'000, kTimesTheKernels = 16, kFewSteps = 100'000;
constexpr std::uint64_t kStepsOfASize = 2'000'000;  // for the learner's kernel with reduced sizes

// The sizes and limits with which an edit is tried first.
class QuickCase {
 public:
  // Halves the sizes of the failing case as long as the kernel takes many steps and its results stay wrong.
  // Very small cases would be misleading: more edits pass them that then fail the whole check.
  QuickCase(const Exercise& exercise, const lab::Lab& lab, const fs::path& file,
            const CheckSettings& settings, const EditSearch& search, const Case& failing)
      : options(failing), limits(settings) {
    const auto device = device::open_device(device::DeviceChoice::kVirtual, settings.card);
    const lab::Machine machine{*device, compile::compile_kernels, lab::labs_directory(),
                               lab::describe_host()};
    limits.steps = kStepsOfASize;
    const auto run = [&](const Case& sizes) {  // each with the full limit in steps
      CheckSettings few = limits;
      few.processor_seconds = search.seconds_left();
      Trials trials(exercise, lab, file, few, machine);
      const Trial& trial = trials.on(sizes);
      return std::pair(fault_of(trial.first()), steps_of(trial));
    };
    std::uint64_t steps = run(options).second;
    for (const Range& range : exercise.ranges.ranges) {
      Case smaller = options;
      while (steps > kFewSteps && !search.is_over() && halve(smaller, range)) {
        if (!is_within(smaller, exercise.ranges)) continue;
        const auto [fault, its_steps] = run(smaller);
        if (fault == Fault::kNone) break;
        if (fault != Fault::kWrongResult) continue;  // for example, too many steps
        options = smaller;
        steps = its_steps;
      }
    }
    limits.steps = std::min(kStepsOfAVariant, kFewSteps + kTimesTheKernels * steps);
  }

  Case options;
  CheckSettings limits;

 private:
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
};

// Checks variants of the file, one at a time.
class VariantsOfKernel {
 public:
  VariantsOfKernel(const Exercise& exercise, const lab::Lab& lab, const fs::path& file,
                   const CheckSettings& settings, const QuickCase& quick, EditSearch& edits)
      : exercise_(exercise),
        lab_(lab),
        settings_(settings),
        quick_(quick),
        edits_(edits),
        file_(folder_.path() / file.filename()),
        device_(device::open_device(device::DeviceChoice::kVirtual, settings.card)) {}

  bool passes(std::size_t number) {
    std::ofstream(file_, std::ios::binary) << edits_.variant(number);
    const auto compile = [&](const compile::CompileRequest& request) {
      return edits_.compiled(number, request);
    };
    const lab::Machine batched{*device_, compile, lab::labs_directory(), lab::describe_host()};
    Trials trials(exercise_, lab_, file_, quick_.limits, batched);
    if (trials.worst_on(quick_.options) != Fault::kNone) return false;
    const lab::Machine machine{*device_, compile::compile_kernels, lab::labs_directory(),
                               lab::describe_host()};
    settings_.processor_seconds = edits_.seconds_left();
    return check_exercise(exercise_, lab_, file_, settings_, machine).passed;
  }

 private:
  const Exercise& exercise_;
  const lab::Lab& lab_;
  CheckSettings settings_;
  const QuickCase& quick_;
  EditSearch& edits_;
  TemporaryFolder folder_{"cudalab-variant-"};
  fs::path file_;
  std::unique_ptr<device::Device> device_;
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
  CheckSettings plain = settings;
  plain.progress = plain.remark = {};
  plain.gives_reasons = false;
  EditSearch edits(file, read_text(file), search);
  const QuickCase quick(exercise, lab, file, plain, edits, *failing);
  return edits.run([&]() -> EditSearch::Try {
    const auto variants = std::make_shared<VariantsOfKernel>(exercise, lab, file, plain, quick, edits);
    return [variants](std::size_t number) { return variants->passes(number); };
  });
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
