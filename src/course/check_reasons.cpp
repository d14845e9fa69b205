// Finds reasons for a failed check by comparing runs of the learner's file with runs of the solution.
#include "course/check_reasons.h"

#include <algorithm>
#include <iterator>

#include "compile/explain/suspicions.h"
#include "core/files.h"
#include "course/judge.h"
#include "course/reasons/first_difference.h"
#include "course/reasons/marked_inputs.h"
#include "course/reasons/program_evidence.h"
#include "course/reasons/quadrature_evidence.h"
#include "course/reasons/texture_evidence.h"
#include "messages/course.h"
#include "messages/vgpu.h"

namespace cudalab::course {
namespace {

using lab::Row;
namespace fs = std::filesystem;

// Runs with inputs that turn sums into counts.
std::vector<Reason> reasons_of_marked_inputs(Trials& trials, const Trials& solution, const Case& on) {
  std::vector<Reason> reasons;
  const lab::MarkedInputs ones;
  const std::optional<lab::Check> solved = solution.check_of_marks(on, ones),
                                  check = trials.check_of_marks(on, ones);
  if (!solved || solved->mismatches > 0 || !check) return reasons;
  const Row& row = trials.on(on).first();
  const bool is_explained = !row.check->patterns.empty();
  if (check->mismatches == 0 && is_explained) return reasons;
  const std::optional<Reason> count = reason_of_ones(*check);
  if (check->mismatches == 0)
    if (const auto rounding = reason_of_rounding(*row.check)) return {*rounding};
  if (count) reasons.push_back(*count);
  const auto sums = numbers_of(*check);
  if (check->mismatches == 0 || !sums) return reasons;
  const AskForMarks ask = [&](const lab::MarkedInputs& marks) { return trials.check_of_marks(on, marks); };
  auto elements = reason_of_first_sum(ask, sums->expected, row.spec.block.volume());
  if (!elements && count && check->compared == 1)
    elements = reason_of_first_term(ask, static_cast<std::size_t>(sums->expected));
  if (elements) reasons.push_back(*std::move(elements));
  return reasons;
}

// Whether a reason names whole classes of elements that a sum lacks or contains too often.
bool names_terms(const Reason& reason) {
  const std::string_view id = reason.what.id();
  return id == "evidence_lost_terms" || id == "evidence_repeated_terms";
}

// Several orders of adding are right, so another element or lane than the solution's may be no mistake.
bool may_be_other_order(const Reason& reason) {
  const std::string_view id = reason.what.id();
  return id == "difference_loaded" || id == "difference_lane";
}

// The failing case with the largest sizes. Small cases say little: with one element or without work, most
// kernels behave alike.
Case telling_case(const Case& on, const Exercise& exercise, Trials& trials) {
  const auto size = [](const Case& options) {
    std::int64_t sum = 0;
    for (const auto& [name, value] : options)
      if (const auto* number = std::get_if<std::int64_t>(&value)) sum += *number;
    return sum;
  };
  const auto is_wrong = [&trials](const Case& options) {
    const std::optional<lab::Check>& check = trials.on(options).first().check;
    return check && check->mismatches > 0;
  };
  Case best = on;
  for (const Case& options : exercise.cases)
    if (size(options) > size(best) && is_wrong(options)) best = options;
  return best;
}

// A program that never called CUDA has no log to compare.
bool has_log(const Row& row) { return row.program && row.program->log.start.has_value(); }

// Finds reasons for the wrong results of a program, other than `said`.
std::vector<Reason> reasons_of_run(const Row& row, const Trials& trials, const Trials& solution,
                                   const Case& on, const AskForKernel& ask, const Message& said) {
  if (!has_log(row)) return {};
  const Row found = trials.run_with_uses(on), wanted = solution.run_with_uses(on);
  if (!has_log(found) || !has_log(wanted)) return notes_of(row.program->log, said);
  return reasons_of_program({found.program->log, found.program->output_bytes}, wanted.program->log, ask,
                            said);
}

// The patterns of the wrong elements in this case, as reasons. The check's sentence may be about another
// case.
std::vector<Reason> patterns_on(const Case& on, Trials& trials) {
  std::vector<Reason> reasons;
  if (const std::optional<lab::Check>& check = trials.on(on).first().check)
    for (const Message& pattern : check->patterns) reasons.push_back({pattern});
  return reasons;
}

Case with_value(Case options, const std::string& name, const lab::OptionValue& value) {
  std::erase_if(options, [&name](const auto& entry) { return entry.first == name; });
  options.emplace_back(name, value);
  return options;
}

// A kernel that integrates reads little or nothing, so its accesses say nothing about its mistake.
std::vector<Reason> reasons_of_integral(const QuadratureOptions& names, const Trials& trials,
                                        const Case& shown) {
  const AskForIntegral ask = [&](const QuadratureProbe& probe) -> std::optional<QuadratureAnswer> {
    Case options = with_value(shown, names.integrand, probe.integrand);
    options = with_value(std::move(options), names.from, probe.from);
    options = with_value(std::move(options), names.to, probe.to);
    options = with_value(std::move(options), names.strips, probe.strips);
    const std::optional<Row> row = trials.result_on(options);
    if (!row || !row->check) return std::nullopt;
    QuadratureAnswer answer{.threads = row->spec.grid.volume() * row->spec.block.volume()};
    if (row->check->mismatches == 0) return answer;
    const auto numbers = numbers_of(*row->check);
    if (!numbers) return std::nullopt;
    return QuadratureAnswer{false, numbers->found, numbers->expected, answer.threads};
  };
  const auto reason = reason_of_quadrature(ask, number_in(shown, names.strips).value_or(1));
  return reason ? std::vector{*reason} : std::vector<Reason>();
}

std::optional<Reason> first_difference_on(const Case& on, const Trials& trials, const Trials& solution) {
  const TraceWarp trace = [&](std::uint32_t launch, Dim3 block,
                              std::uint32_t warp) -> std::optional<WarpPair> {
    const vgpu::TraceRequest wanted{.block = block, .warp = warp};
    auto own = trials.trace_on(on, launch, wanted), solved = solution.trace_on(on, launch, wanted);
    if (!own || !solved) return std::nullopt;
    return WarpPair{*std::move(own), *std::move(solved)};
  };
  return first_difference(trials.history_on(on), solution.history_on(on), trace);
}

// How the kernel's uses of buffers and textures differ from the solution's.
std::vector<Reason> reasons_of_uses(const Row& found, const Row& wanted) {
  if (!found.recording || !wanted.recording) return {};
  std::vector<Reason> reasons = reasons_of(found.recording->uses, wanted.recording->uses);
  if (reasons.empty()) reasons = reasons_of_textures(found.recording->textures, wanted.recording->textures);
  return reasons;
}

// Puts the case into reasons that are about another case than the one that is shown.
std::vector<Reason> in_case(const Case& on, const Case& shown, std::vector<Reason> reasons) {
  if (on != shown)
    for (Reason& reason : reasons)
      if (reason.what.id() != "part_with_case") reason.what = msg::part_with_case(reason.what, named(on));
  return reasons;
}

std::vector<Reason> reasons_of_wrong_results(const Exercise& exercise, Trials& trials, const Trials& solution,
                                             const Case& shown) {
  if (exercise.quadrature) {
    if (auto reasons = reasons_of(trials.uses_on(shown), solution.uses_on(shown)); !reasons.empty())
      return reasons;
    return reasons_of_integral(*exercise.quadrature, trials, shown);
  }
  const Case on = telling_case(shown, exercise, trials);
  if (auto reasons = reasons_of_uses(trials.run_with_uses(on), solution.run_with_uses(on)); !reasons.empty())
    return in_case(on, shown, std::move(reasons));
  // The smallest case first: a large one has more accesses than a history holds.
  std::vector<const Case*> cases{&shown};
  if (on != shown) cases.push_back(&on);
  for (const Case* options : cases)
    if (auto reason = first_difference_on(*options, trials, solution)) {
      const bool is_certain = !may_be_other_order(*reason);
      std::vector<Reason> difference = in_case(*options, shown, {*std::move(reason)});
      const auto& check = trials.on(on).first().check;
      if (!check || check->compared != 1) return difference;
      // The terms of a sum say what is wrong, the difference says where.
      auto terms = reasons_of_marked_inputs(trials, solution, on);
      const auto named = std::ranges::find_if(terms, names_terms);
      if (named == terms.end()) return difference;
      if (!is_certain) return in_case(on, shown, std::move(terms));
      difference.insert(difference.begin(), in_case(on, shown, {*named}).front());
      return difference;
    }
  if (auto reasons = reasons_of_marked_inputs(trials, solution, on); !reasons.empty())
    return in_case(on, shown, std::move(reasons));
  return on == shown ? std::vector<Reason>() : in_case(on, shown, patterns_on(on, trials));
}

// Whether a wrong index may cause the hazard: the results show it, too.
bool may_be_wrong_index(const Hazard& hazard) {
  return hazard.kind == HazardKind::kUninitialisedRead || hazard.kind == HazardKind::kOutOfBounds ||
         hazard.pair == RacePair::kWriters || hazard.what.id() == "race_two_writers";
}

// The exercise's cases in which the kernel is wrong without a hazard, then the case of the hazard if the
// kernel ran to its end there.
std::vector<Case> wrong_cases(const Exercise& exercise, Trials& trials, const Case& on) {
  std::vector<Case> cases;
  for (const Case& options : exercise.cases)
    if (fault_of(trials.on(options).first()) == Fault::kWrongResult) cases.push_back(options);
  const Row& row = trials.on(on).first();
  const bool is_wrong = row.check && row.check->mismatches > 0;
  if (is_wrong && row.hazards.front().cuda_error.empty()) cases.push_back(on);
  return cases;
}

// Where the first wrong value of a kernel with a hazard comes from.
std::vector<Reason> reasons_beside_hazard(const Exercise& exercise, Trials& trials, const Trials& solution,
                                          const Case& on) {
  if (!may_be_wrong_index(trials.on(on).first().hazards.front())) return {};
  for (const Case& options : wrong_cases(exercise, trials, on))
    if (auto reason = first_difference_on(options, trials, solution)) {
      if (options != on) reason->what = msg::part_with_case(reason->what, named(options));
      return {*std::move(reason)};
    }
  const Row& row = trials.on(on).first();
  if (is_in_lab(row.hazards.front(), row)) return reasons_of(trials.uses_on(on), solution.uses_on(on));
  return {};
}

// If the solution stores each element of the buffer at most once, a barrier between two writes is no remedy.
void advise_one_writer(CheckPart& part, const Hazard& hazard, const Trials& solution) {
  if (hazard.what.id() != "race_two_writers") return;
  for (const BufferUse& use : solution.uses_on(*part.on)) {
    const bool is_once = std::ranges::all_of(use.stores, [](std::uint32_t stores) { return stores <= 1; });
    if (use.name == hazard.buffer && use.space == MemorySpace::kGlobal && is_once)
      part.advice = msg::advice_one_writer();
  }
}

// Puts what the source shows by itself before the reasons from the run.
void put_suspicions_first(std::vector<Reason>& reasons, const fs::path& file) {
  std::vector<Reason> all;
  for (const compile::Diagnosis& one : compile::suspicions_in(read_text(file), "", file.string()))
    all.push_back({one.instead.empty() ? one.advice : one.instead, one.where});
  std::ranges::move(reasons, std::back_inserter(all));
  if (all.size() > kMostReasons) all.resize(kMostReasons);
  reasons = std::move(all);
}

// A hazard that refuses the launch: the arguments or the shape do not fit the lab's launch.
bool is_refused(Trials& trials, const CheckPart& wrong) {
  if (!wrong.on) return true;
  const auto& hazards = trials.on(*wrong.on).first().hazards;
  return !hazards.empty() && hazards.front().kind == HazardKind::kInvalidLaunch;
}

Message in_words(const CheckPart& wrong) {
  return wrong.advice.empty() ? wrong.sentence : msg::reason_with_advice(wrong.sentence, wrong.advice);
}

// A failed check and how it was made.
struct FailedCheck {
  const Exercise& exercise;
  const lab::Lab& lab;
  Trials& trials;
  const fs::path& file;
  const CheckSettings& settings;
  const lab::Machine& machine;
};

void add_reasons_of_run(ExerciseCheck& check, const FailedCheck& failed);

// Whether a requirement is about copies and kernels that run at the same time.
bool counts_overlap(const Exercise& exercise, const std::string& name) {
  return std::ranges::any_of(exercise.criteria, [&](const ExerciseCriterion& each) {
    return each.criterion.name == name && each.criterion.value.text == "extra/overlap";
  });
}

// What is wrong with the kernel of a program, in launches by the lab.
KernelAlone kernel_alone_of(const FailedCheck& program) {
  if (program.exercise.kernel_stage.empty()) return {};
  const Exercise exercise = kernel_alone(program.exercise);
  Trials trials(exercise, program.lab, program.file, program.settings, program.machine);
  ExerciseCheck check = judge(exercise, program.lab, trials, program.settings);
  const auto wrong = std::ranges::find(check.parts, CheckPart::kMissed, &CheckPart::outcome);
  if (wrong == check.parts.end()) return {KernelAlone::kRight};
  // The kernel may have other parameters than the lab's.
  if (check.rejected_by == kDoesNotCompile || check.rejected_by == kStopped || is_refused(trials, *wrong))
    return {};
  add_reasons_of_run(check, {exercise, program.lab, trials, program.file, program.settings, program.machine});
  if (!wrong->reasons.empty()) return {KernelAlone::kWrong, wrong->reasons};
  return {KernelAlone::kWrong, {{in_words(*wrong), wrong->where}}};
}

// Adds reasons if the kernel or program ran to its end and failed.
void add_reasons_of_run(ExerciseCheck& check, const FailedCheck& failed) {
  const auto wrong = std::ranges::find(check.parts, CheckPart::kMissed, &CheckPart::outcome);
  if (wrong == check.parts.end() || !wrong->on) return;
  const auto& [exercise, lab, trials, file, settings, machine] = failed;
  const Case& shown = *wrong->on;
  if (wrong->name != "right results") {
    const Row& row = trials.on(shown).first();
    if (has_log(row))
      std::ranges::move(notes_of(row.program->log, wrong->sentence), std::back_inserter(wrong->reasons));
    if (has_log(row) && counts_overlap(exercise, wrong->name))
      std::ranges::move(reasons_without_overlap(trials.run_with_uses(shown).program->log),
                        std::back_inserter(wrong->reasons));
    if (exercise.is_program || wrong->name != "no hazards" || row.hazards.empty()) return;
  }
  try {
    const Trials solution(exercise, lab, exercise.solution(), settings, machine);
    if (wrong->name == "no hazards") {
      advise_one_writer(*wrong, trials.on(shown).first().hazards.front(), solution);
      wrong->reasons = reasons_beside_hazard(exercise, trials, solution, shown);
    } else if (exercise.is_program) {
      const Case on = telling_case(shown, exercise, trials);
      const AskForKernel ask = [&failed] { return kernel_alone_of(failed); };
      wrong->reasons = in_case(
          on, shown, reasons_of_run(trials.on(on).first(), trials, solution, on, ask, wrong->sentence));
    } else {
      wrong->reasons = reasons_of_wrong_results(exercise, trials, solution, shown);
    }
  } catch (const Error&) {
    // Without the solution or a compiler for it, there is nothing to compare with.
  }
}

}  // namespace

void add_reasons(ExerciseCheck& check, const Exercise& exercise, const lab::Lab& lab, Trials& trials,
                 const fs::path& file, const CheckSettings& settings, const lab::Machine& machine) {
  add_reasons_of_run(check, {exercise, lab, trials, file, settings, machine});
  const auto wrong = std::ranges::find(check.parts, CheckPart::kMissed, &CheckPart::outcome);
  if (wrong != check.parts.end() && wrong->on) put_suspicions_first(wrong->reasons, file);
}

}  // namespace cudalab::course
