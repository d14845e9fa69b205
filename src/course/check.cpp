// Runs a learner's kernel in place of a lab's stage, case by case, and judges the results.
#include "course/check.h"

#include <algorithm>

#include "compile/explain/suspicions.h"
#include "core/files.h"
#include "course/cases/ranges.h"
#include "course/check_formats.h"
#include "course/reasons/first_difference.h"
#include "course/reasons/marked_inputs.h"
#include "course/reasons/program_evidence.h"
#include "course/reasons/quadrature_evidence.h"
#include "course/trials.h"
#include "lab/locate.h"
#include "messages/course.h"
#include "messages/vgpu.h"
#include "report/formats/json.h"
#include "report/pictures/builders.h"
#include "report/text/explanations.h"
#include "report/text/values.h"
#include "vgpu/warp_shape.h"

namespace cudalab::course {
namespace {

using lab::Row;

// If a size is a macro of the kernel, each consecutive size needs a compilation, which takes longer than all
// the runs.
constexpr std::size_t kMostCompiledInARow = 3;

// ---- what is wrong, in sentences ---------------------------------------------------------------------

// Standard output of a program is its result, so only standard error is shown.
std::string printed_by(const Row& row) { return row.program ? row.program->errors : row.printed; }

void miss(CheckPart& part, const Row& row, const Case& on) {
  part.outcome = CheckPart::kMissed;
  part.sentence = row.reason;
  part.on = on;
}

// Whether the hazard is in a kernel of the lab that runs beside the learner's.
bool is_in_lab(const Hazard& hazard, const Row& row) {
  return !row.program && !hazard.where.file.empty() && hazard.where.file != row.source;
}

void miss_by_hazard(CheckPart& part, const Row& row) {
  const Hazard& hazard = row.hazards.front();
  part.sentence = msg::hazard_of_kernel(Code{hazard.kernel}, hazard.what);
  if (!row.program || hazard.kind != HazardKind::kStepLimit)
    part.sentence = msg::hazard_at_thread(std::move(part.sentence), hazard.block.x, hazard.block.y,
                                          hazard.block.z, hazard.thread.x, hazard.thread.y, hazard.thread.z);
  if (!row.program && hazard.kind != HazardKind::kInvalidLaunch && row.spec.block.volume() > 0)
    part.warp = WarpPlace{hazard.block, vgpu::warp_of(row.spec.block, hazard.thread)};
  if (row.hazards.size() > 1)
    part.sentence = msg::clause_and_more(std::move(part.sentence), row.hazards.size() - 1);
  part.advice = hazard.fix;
  if (!hazard.where.file.empty()) part.where = hazard.where;
  part.called_from = hazard.called_from;
  if (hazard.other && !(*hazard.other == hazard.where)) part.other = hazard.other;
  if (!is_in_lab(hazard, row)) return;
  // The compiler makes `labs/LAB/FILE` a path from the current folder.
  part.where->file.erase(0, part.where->file.rfind("/labs/") + 1);
  if (hazard.kind == HazardKind::kUninitialisedRead && !hazard.buffer.empty())
    part.advice = msg::advice_output_of_learner(Code{hazard.kernel}, called(hazard.buffer));
}

// Explains the cost of the line, if the report layer can.
Message cause(const LineAccess* access, const Row& row) {
  if (!access) return {};
  const auto why = access->space == MemorySpace::kShared ? report::explain_shared(*access, row.spec.block.x)
                                                         : report::explain_global(*access, row.spec.block.x);
  return why.value_or(Message());
}

// "mistake: wrong_direction", as in "wrong" of an exercise.
std::string rejection_for(const lab::ProgramFault& fault) {
  switch (fault.kind) {
    case lab::ProgramFault::kMistake: return fmt::format("mistake: {}", report::name_of(fault.mistake));
    case lab::ProgramFault::kUncheckedLaunch: return "unchecked launch";
    case lab::ProgramFault::kEnd: return "exit code";
  }
  return "";
}

// ---- cases for criteria --------------------------------------------------------------------------------

// Whether a learner can know this value: an exercise's case contains it, or it is the lab's default.
bool is_known(const std::pair<std::string, lab::OptionValue>& entry, const Exercise& exercise,
              const lab::Lab& lab) {
  const auto is_own = [&](const Case& options) { return std::ranges::find(options, entry) != options.end(); };
  return option_of(lab, entry.first, Message::verbatim(exercise.name)).on_virtual == entry.second ||
         std::ranges::any_of(exercise.cases, is_own);
}

// Chooses, of several drawn cases, the one with the fewest values that a learner can know. This rejects
// kernels that are tuned to the published sizes.
Case least_known_case(const Ranges& ranges, const Exercise& exercise, const lab::Lab& lab,
                      std::uint64_t seed) {
  constexpr std::uint64_t kDraws = 16;
  const auto known = [&](const Case& options) {
    return std::ranges::count_if(options, [&](const auto& entry) { return is_known(entry, exercise, lab); });
  };
  Case best = draw_case(ranges, seed, exercise.name);
  for (std::uint64_t draw = 1; draw < kDraws; ++draw)
    if (Case other = draw_case(ranges, seed, fmt::format("{} {}", exercise.name, draw));
        known(other) < known(best))
      best = std::move(other);
  return best;
}

// ---- judging -----------------------------------------------------------------------------------------

class Judge {
 public:
  Judge(const Exercise& exercise, const lab::Lab& lab, Trials& trials, const CheckSettings& settings)
      : exercise_(exercise),
        trials_(trials),
        own_cases_(settings.cases),
        drawn_(draw_cases(exercise.ranges, settings.seed, exercise.name)) {
    if (!exercise.is_program) consecutive_ = draw_consecutive(exercise.ranges, settings.seed, exercise.name);
    for (const ExerciseCriterion& each : exercise.criteria)
      cases_of_criteria_.push_back(each.drawn_from.empty()
                                       ? each.judged_on
                                       : least_known_case(each.drawn_from, exercise, lab, settings.seed));
    check_.parts = parts_asked_for(exercise);
  }

  ExerciseCheck verdict() {
    if (exercise_.is_program) look_from_outside();
    const bool sound = judge(exercise_.cases) && judge(own_cases_) && judge_drawn(drawn_, drawn_.size()) &&
                       judge_drawn(consecutive_, kMostCompiledInARow) && judge(cases_of_criteria_);
    if (sound) judge_criteria();
    check_.result = deciding().result;
    check_.passed = check_.rejected_by.empty();
    return std::move(check_);
  }

 private:
  CheckPart& compiles() { return check_.parts[0]; }
  CheckPart& hazards() { return check_.parts[1]; }
  CheckPart& results() { return check_.parts[2]; }

  // The run that showed the first missed part. If all parts are met, a run of a criterion's case or of the
  // last case. It is always one of the judged runs.
  const Trial& deciding() const {
    for (const CheckPart& part : check_.parts)
      if (part.outcome == CheckPart::kMissed && part.on) return trials_.on(*part.on);
    if (check_.parts[0].outcome == CheckPart::kMissed) return trials_.on(exercise_.cases.front());
    return trials_.on(cases_of_criteria_.empty() ? exercise_.cases.back() : cases_of_criteria_.front());
  }

  void look_from_outside() {
    for (const Case& options : all_cases())
      for (const Row& row : trials_.on(options).result.rows) {
        const Message& wrong = row.program ? row.program->wrong_outside : row.reason;
        if (!wrong.empty()) {
          check_.wrong_outside = msg::wrong_with_case(named(options), wrong);
          return;
        }
      }
  }

  std::vector<Case> all_cases() const {
    std::vector<Case> all = exercise_.cases;
    for (const auto* more : {&own_cases_, &drawn_}) all.insert(all.end(), more->begin(), more->end());
    return all;
  }

  // Stops at the first failing case, and reports the smallest case that fails in the same way. Cases of
  // programs are not shrunk, because each run takes too long. Ends early after `most_compiled` compilations.
  bool judge_drawn(const std::vector<Case>& drawn, std::size_t most_compiled) {
    const std::size_t before = trials_.compiled();
    for (const Case& options : drawn) {
      if (trials_.compiled() - before >= most_compiled) return true;
      const Fault fault = trials_.worst_on(options);
      if (fault == Fault::kNone) continue;
      const bool can_shrink = !exercise_.is_program && fault != Fault::kStopped;
      const auto fails_alike = [&](const Case& smaller) { return trials_.worst_on(smaller) == fault; };
      return judge({can_shrink ? smallest(options, exercise_.ranges, fails_alike) : options});
    }
    return true;
  }

  // A hazard in any case takes precedence over a wrong result in another, because it is usually the cause.
  bool judge(const std::vector<Case>& cases) {
    const Trial* wrong = nullptr;
    for (const Case& options : cases) {
      const Trial& trial = trials_.on(options);
      for (const Row& row : trial.result.rows) {
        const Fault fault = fault_of(row);
        if (fault == Fault::kWrongResult && !wrong) wrong = &trial;
        if (fault == Fault::kNone || fault == Fault::kWrongResult) continue;
        reject_for(fault, row, trial.on);
        return false;
      }
    }
    compiles().outcome = hazards().outcome = CheckPart::kMet;
    if (!wrong)
      results().outcome = CheckPart::kMet;
    else
      reject_for_result(*wrong);
    return !wrong;
  }

  void reject_for(Fault fault, const Row& row, const Case& on) {
    check_.printed = printed_by(row);
    check_.warnings = row.warnings;
    const bool compiled = fault != Fault::kDoesNotCompile;
    CheckPart& part = compiled ? hazards() : compiles();
    if (compiled) compiles().outcome = CheckPart::kMet;
    miss(part, row, on);
    if (fault == Fault::kHost) return reject_for_mistake(*row.program->fault, part);
    if (compiled) return reject_for_hazard(fault, row, on);
    check_.rejected_by = kDoesNotCompile;
    part.on.reset();
    part.diagnosis = row.diagnosis;
    if (!row.diagnosis || row.diagnosis->where.file != row.source || row.diagnosis->where.line <= 0) return;
    part.where = row.diagnosis->where;
    part.sentence = row.diagnosis->with_kind();
  }

  void reject_for_mistake(const lab::ProgramFault& fault, CheckPart& part) {
    part.sentence = fault.what;
    part.advice = fault.fix;
    if (!fault.where.file.empty()) part.where = fault.where;
    check_.rejected_by = rejection_for(fault);
  }

  void reject_for_hazard(Fault fault, const Row& row, const Case& on) {
    miss_by_hazard(hazards(), row);
    check_.rejected_by = fmt::format("hazard: {}", report::name_of(row.hazards.front().kind));
    results().outcome = CheckPart::kNotReached;  // an earlier case without a hazard may have met it
    // If the kernel ran to its end, its wrong results are shown, too: they may be a consequence.
    if (row.check && row.check->mismatches > 0) {
      results().outcome = CheckPart::kMissed;
      results().sentence = lab::describe(*row.check);
      results().on = on;
    }
    if (fault != Fault::kStopped) return;
    check_.rejected_by = kStopped;
    hazards().advice = msg::advice_endless_loop();
  }

  void reject_for_result(const Trial& trial) {
    const auto& rows = trial.result.rows;
    const auto wrong = std::find_if(rows.begin(), rows.end(),
                                    [](const Row& row) { return fault_of(row) == Fault::kWrongResult; });
    miss(results(), *wrong, trial.on);
    results().pictures = report::matrix_pictures(*wrong);
    check_.rejected_by = "wrong result";
    check_.printed = printed_by(*wrong);
    check_.warnings = wrong->warnings;
  }

  void judge_criteria() {
    for (std::size_t i = 0; i < exercise_.criteria.size(); ++i) {
      const ExerciseCriterion& each = exercise_.criteria[i];
      const Trial& trial = trials_.on(cases_of_criteria_[i]);
      check_.judged.push_back({trial.first(), trial.result.options});
      Assessment assessment = assess(each.criterion, trial.first(), trial.result.options);
      for (const Matter& matter : kMatters)
        if (each.matters == matter.what && assessment.outcome == Assessment::kMet)
          assessment = assess_what_matters(matter, each.criterion, trial, std::move(assessment));
      CheckPart& part = check_.parts[i + 3];
      if (assessment.outcome == Assessment::kMet)
        meet_criterion(part, each.criterion, trial.first());
      else
        miss_criterion(part, each.criterion, assessment, trial);
    }
  }

  // Notes that the number of registers is unknown, so occupancy and time are upper and lower bounds.
  void meet_criterion(CheckPart& part, const Criterion& criterion, const Row& row) const {
    part.outcome = CheckPart::kMet;
    const std::string& value = criterion.value.text;
    const bool needs_registers = value.starts_with("occupancy/") || value.starts_with("predicted_");
    const bool has_occupancy = row.prediction && row.prediction->occupancy.most_warps > 0;
    if (needs_registers && has_occupancy && !row.prediction->occupancy.registers)
      part.advice = msg::advice_registers_unknown();
  }

  // Statements that do not affect the results do not count towards the criterion.
  Assessment assess_what_matters(const Matter& matter, const Criterion& criterion, const Trial& trial,
                                 Assessment met) {
    if (trials_.are_right_without(matter, trial.on))
      return {.outcome = Assessment::kMissed, .sentence = without_effect(matter), .about = matter.counter};
    const std::vector<bool> idle = trials_.idle_ones(matter, trial.on);
    if (std::ranges::count(idle, true) == 0) return met;
    ProcessorBudget budget(ProcessorBudget::kAnyTime, kStepsOfACheck);
    const lab::Result run = trials_.run_without(matter, idle, trial.on, budget);
    Assessment without = assess(criterion, run.rows.front(), run.options);
    if (without.outcome != Assessment::kMet) without.sentence = does_not_count(matter, without.sentence);
    return without;
  }

  static Message does_not_count(const Matter& matter, Message what) {
    return matter.what == ExerciseCriterion::kExchanges ? msg::exchanges_do_not_count(std::move(what))
                                                        : msg::shared_loads_do_not_count(std::move(what));
  }

  static Message without_effect(const Matter& matter) {
    return matter.what == ExerciseCriterion::kExchanges ? msg::exchanges_have_no_effect()
                                                        : msg::shared_loads_have_no_effect();
  }

  void miss_criterion(CheckPart& part, const Criterion& criterion, const Assessment& assessment,
                      const Trial& trial) {
    miss(part, trial.first(), trial.on);
    part.sentence = assessment.sentence;
    const LineAccess* access = worst_counted(criterion.value.text, trial.first().accesses);
    part.advice = cause(access, trial.first());
    if (access) part.where = access->where;
    auto picture = picture_for(assessment.about, trial.first());
    if (!picture) picture = picture_for(criterion.value.text, trial.first());
    if (picture) part.pictures = {std::move(*picture)};
    if (check_.rejected_by.empty()) check_.rejected_by = criterion.name;
  }

  const Exercise& exercise_;
  Trials& trials_;
  std::vector<Case> own_cases_, drawn_, consecutive_, cases_of_criteria_;
  ExerciseCheck check_;
};

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
                                   const Case& on, const Message& said) {
  if (!has_log(row)) return {};
  const Row found = trials.run_with_uses(on), wanted = solution.run_with_uses(on);
  if (!has_log(found) || !has_log(wanted)) return notes_of(row.program->log, said);
  return reasons_of_program({found.program->log, found.program->output_bytes}, wanted.program->log, said);
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

std::vector<Reason> reasons_of_wrong_results(const Exercise& exercise, Trials& trials, const Trials& solution,
                                             const Case& shown, const Message& said) {
  if (exercise.quadrature) {
    if (auto reasons = reasons_of(trials.uses_on(shown), solution.uses_on(shown)); !reasons.empty())
      return reasons;
    return reasons_of_integral(*exercise.quadrature, trials, shown);
  }
  const Case on = telling_case(shown, exercise, trials);
  const auto in_case = [&shown](const Case& options, std::vector<Reason> reasons) {
    if (options != shown)
      for (Reason& reason : reasons) reason.what = msg::part_with_case(reason.what, named(options));
    return reasons;
  };
  if (exercise.is_program)
    return in_case(on, reasons_of_run(trials.on(on).first(), trials, solution, on, said));
  if (auto reasons = reasons_of(trials.uses_on(on), solution.uses_on(on)); !reasons.empty())
    return in_case(on, std::move(reasons));
  // The smallest case first: a large one has more accesses than a history holds.
  std::vector<const Case*> cases{&shown};
  if (on != shown) cases.push_back(&on);
  for (const Case* options : cases)
    if (auto reason = first_difference_on(*options, trials, solution)) {
      const bool is_certain = !may_be_other_order(*reason);
      std::vector<Reason> difference = in_case(*options, {*std::move(reason)});
      const auto& check = trials.on(on).first().check;
      if (!check || check->compared != 1) return difference;
      // The terms of a sum say what is wrong, the difference says where.
      auto terms = reasons_of_marked_inputs(trials, solution, on);
      const auto named = std::ranges::find_if(terms, names_terms);
      if (named == terms.end()) return difference;
      if (!is_certain) return in_case(on, std::move(terms));
      difference.insert(difference.begin(), in_case(on, {*named}).front());
      return difference;
    }
  if (auto reasons = reasons_of_marked_inputs(trials, solution, on); !reasons.empty())
    return in_case(on, std::move(reasons));
  return on == shown ? std::vector<Reason>() : in_case(on, patterns_on(on, trials));
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
void put_suspicions_first(std::vector<Reason>& reasons, const std::filesystem::path& file) {
  std::vector<Reason> all;
  for (const compile::Diagnosis& one : compile::suspicions_in(read_text(file), "", file.string()))
    all.push_back({one.instead.empty() ? one.advice : one.instead, one.where});
  std::ranges::move(reasons, std::back_inserter(all));
  if (all.size() > kMostReasons) all.resize(kMostReasons);
  reasons = std::move(all);
}

// Adds reasons if the kernel or program ran to its end and failed.
void add_reasons_of_run(ExerciseCheck& check, const Exercise& exercise, const lab::Lab& lab, Trials& trials,
                        const CheckSettings& settings, const lab::Machine& machine) {
  const auto wrong = std::ranges::find(check.parts, CheckPart::kMissed, &CheckPart::outcome);
  if (wrong == check.parts.end() || !wrong->on) return;
  if (wrong->name != "right results") {
    const Row& row = trials.on(*wrong->on).first();
    if (has_log(row)) wrong->reasons = notes_of(row.program->log, wrong->sentence);
    if (exercise.is_program || wrong->name != "no hazards" || row.hazards.empty()) return;
  }
  try {
    const Trials solution(exercise, lab, exercise.solution(), settings, machine);
    if (wrong->name == "no hazards") {
      advise_one_writer(*wrong, trials.on(*wrong->on).first().hazards.front(), solution);
      wrong->reasons = reasons_beside_hazard(exercise, trials, solution, *wrong->on);
      return;
    }
    wrong->reasons = reasons_of_wrong_results(exercise, trials, solution, *wrong->on, wrong->sentence);
  } catch (const Error&) {
    // Without the solution or a compiler for it, there is nothing to compare with.
  }
}

void add_reasons(ExerciseCheck& check, const Exercise& exercise, const lab::Lab& lab, Trials& trials,
                 const std::filesystem::path& file, const CheckSettings& settings,
                 const lab::Machine& machine) {
  add_reasons_of_run(check, exercise, lab, trials, settings, machine);
  const auto wrong = std::ranges::find(check.parts, CheckPart::kMissed, &CheckPart::outcome);
  if (wrong != check.parts.end() && wrong->on) put_suspicions_first(wrong->reasons, file);
}

// The names of the fixed parts in documents, and the messages that name them on screens.
struct PartName {
  std::string_view name;
  Message (*shown)();
};
constexpr PartName kPartNames[]{{"compiles", msg::check_compiles},
                                {"no hazards", msg::check_no_hazards},
                                {"no mistakes", msg::check_no_mistakes},
                                {"right results", msg::check_right_results}};

}  // namespace

std::string name_of(const CheckPart& part, const Wording& wording) {
  const auto known = std::ranges::find(kPartNames, part.name, &PartName::name);
  return known == std::end(kPartNames) ? wording.text(part.name) : wording.say(known->shown());
}

std::vector<CheckPart> parts_asked_for(const Exercise& exercise) {
  std::vector<CheckPart> parts{
      {"compiles"}, {exercise.is_program ? "no mistakes" : "no hazards"}, {"right results"}};
  for (const ExerciseCriterion& each : exercise.criteria) parts.push_back({each.criterion.name});
  return parts;
}

ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings, const lab::Machine& machine) {
  Trials trials(exercise, lab, file, settings, machine);
  ExerciseCheck check = Judge(exercise, lab, trials, settings).verdict();
  check.seed = settings.seed;
  if (settings.gives_reasons) add_reasons(check, exercise, lab, trials, file, settings, machine);
  return check;
}

ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings) {
  read_text(file);  // fails at once if the path is wrong
  const auto device = device::open_device(device::DeviceChoice::kVirtual, settings.card);
  return check_exercise(exercise, lab, file, settings,
                        {*device, compile::compile_kernels, lab::labs_directory(), lab::describe_host()});
}

}  // namespace cudalab::course
