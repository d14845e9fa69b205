// Runs a kernel in the place of a lab's stage, case after case, and judges what came out.
#include "course/check.h"

#include <algorithm>

#include "core/files.h"
#include "course/cases/ranges.h"
#include "course/check_formats.h"
#include "course/reasons/program_evidence.h"
#include "course/trials.h"
#include "lab/locate.h"
#include "messages/course.h"
#include "report/formats/json.h"
#include "report/pictures/builders.h"
#include "report/text/explanations.h"
#include "report/text/values.h"
#include "vgpu/warp_shape.h"

namespace cudalab::course {
namespace {

using lab::Row;

// Where a size is a macro of the kernel, each size in a row wants the compiler, which takes longer than all
// runs.
constexpr std::size_t kMostCompiledInARow = 3;

// ---- what is wrong, in sentences ---------------------------------------------------------------------

// A program's standard output is its result; what it says besides stands on standard error.
std::string printed_by(const Row& row) { return row.program ? row.program->errors : row.printed; }

void miss(CheckPart& part, const Row& row, const Case& on) {
  part.outcome = CheckPart::kMissed;
  part.sentence = row.reason;
  part.on = on;
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
  if (hazard.other && !(*hazard.other == hazard.where)) part.other = hazard.other;
}

// Why the line costs what it costs, where the report can tell.
Message cause(const LineAccess* access, const Row& row) {
  if (!access) return {};
  const auto why = access->space == MemorySpace::kShared ? report::explain_shared(*access, row.spec.block.x)
                                                         : report::explain_global(*access, row.spec.block.x);
  return why.value_or(Message());
}

// "mistake: wrong_direction", as an exercise's "wrong" says it.
std::string rejection_for(const lab::ProgramFault& fault) {
  switch (fault.kind) {
    case lab::ProgramFault::kMistake: return fmt::format("mistake: {}", report::name_of(fault.mistake));
    case lab::ProgramFault::kUncheckedLaunch: return "unchecked launch";
    case lab::ProgramFault::kEnd: return "exit code";
  }
  return "";
}

// ---- what a criterion is judged on ---------------------------------------------------------------------

// Whether the exercise's own cases hold the value, or the lab has it where a case says nothing.
bool is_known(const std::pair<std::string, lab::OptionValue>& entry, const Exercise& exercise,
              const lab::Lab& lab) {
  const auto is_own = [&](const Case& options) { return std::ranges::find(options, entry) != options.end(); };
  return option_of(lab, entry.first, Message::verbatim(exercise.name)).on_virtual == entry.second ||
         std::ranges::any_of(exercise.cases, is_own);
}

// Who is good at the sizes that everybody can read is judged at others, as far as there are others: of
// several draws, at the one with the fewest of them.
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

  // The run that showed what was missed first; of who passed the one that asks most. Always one that was
  // judged.
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

  // What fails is told by the smallest case that fails in the same way. A program takes too long for that.
  // Not more of them than make the compiler work so many times.
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

  // A hazard in any case comes before a wrong result in another: it is usually the cause.
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
    results().outcome = CheckPart::kNotReached;  // earlier cases without a hazard may have met it
    if (row.check &&
        row.check->mismatches > 0) {  // it ran to its end: whether that came of it, it helps to know
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

  // As many warps, and as little time, as any number of registers allows.
  void meet_criterion(CheckPart& part, const Criterion& criterion, const Row& row) const {
    part.outcome = CheckPart::kMet;
    const std::string& value = criterion.value.text;
    const bool needs_registers = value.starts_with("occupancy/") || value.starts_with("predicted_");
    const bool has_occupancy = row.prediction && row.prediction->occupancy.most_warps > 0;
    if (needs_registers && has_occupancy && !row.prediction->occupancy.registers)
      part.advice = msg::advice_registers_unknown();
  }

  // What changes nothing does not count.
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

// Which elements a single sum lacks or has too often: first by their place in groups of 32, as a warp's lanes
// read them, then by the group.
std::optional<Reason> reason_of_marks(const Trials& trials, const Case& on) {
  constexpr std::size_t kClasses = 32;
  for (const std::size_t width : {std::size_t{1}, kClasses}) {
    std::vector<lab::Check> checks;
    for (std::size_t marked = 0; marked < kClasses; ++marked) {
      auto check = trials.check_of_marks(on, {width, kClasses, marked});
      if (!check) return std::nullopt;
      checks.push_back(*std::move(check));
    }
    if (auto reason = reason_of_classes(checks, width)) return reason;
  }
  return std::nullopt;
}

// Runs the kernel again, in the case that showed the wrong result, and compares it with the solution.
std::vector<Reason> find_reasons(Trials& trials, const Trials& solution, const Case& on) {
  std::vector<Reason> reasons = reasons_of(trials.uses_on(on), solution.uses_on(on));
  if (!reasons.empty()) return reasons;
  const lab::MarkedInputs ones;
  const std::optional<lab::Check> solved = solution.check_of_marks(on, ones),
                                  check = trials.check_of_marks(on, ones);
  if (!solved || solved->mismatches > 0 || !check) return reasons;
  const bool is_explained = !trials.on(on).first().check->patterns.empty();
  if (check->mismatches == 0 && is_explained) return reasons;
  if (const std::optional<Reason> reason = reason_of_ones(*check)) reasons.push_back(*reason);
  if (check->mismatches > 0 && check->compared == 1)
    if (const std::optional<Reason> reason = reason_of_marks(trials, on)) reasons.push_back(*reason);
  return reasons;
}

// Of the cases with wrong results the one with the largest sizes says most: with one element, or without
// work, every kernel does the same.
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

// Why a program's results are wrong, other than what `said` says already.
std::vector<Reason> reasons_of(const Row& row, const Trials& trials, const Trials& solution, const Case& on,
                               const Message& said) {
  if (!has_log(row)) return {};
  const Row found = trials.run_with_uses(on), wanted = solution.run_with_uses(on);
  if (!has_log(found) || !has_log(wanted)) return notes_of(row.program->log, said);
  return reasons_of_program({found.program->log, found.program->output_bytes}, wanted.program->log, said);
}

// The patterns of a case's wrong elements, as reasons: the check's sentence is about another case.
std::vector<Reason> patterns_on(const Case& on, Trials& trials) {
  std::vector<Reason> reasons;
  if (const std::optional<lab::Check>& check = trials.on(on).first().check)
    for (const Message& pattern : check->patterns) reasons.push_back({pattern});
  return reasons;
}

std::vector<Reason> reasons_of_wrong_results(const Exercise& exercise, Trials& trials, const Trials& solution,
                                             const Case& shown, const Message& said) {
  const Case on = telling_case(shown, exercise, trials);
  std::vector<Reason> reasons = exercise.is_program
                                    ? reasons_of(trials.on(on).first(), trials, solution, on, said)
                                    : find_reasons(trials, solution, on);
  if (on == shown) return reasons;
  if (reasons.empty()) reasons = patterns_on(on, trials);
  for (Reason& reason : reasons) reason.what = msg::part_with_case(reason.what, named(on));
  return reasons;
}

// For a kernel or program that runs to its end and fails.
void add_reasons(ExerciseCheck& check, const Exercise& exercise, const lab::Lab& lab, Trials& trials,
                 const CheckSettings& settings, const lab::Machine& machine) {
  const auto wrong = std::ranges::find(check.parts, CheckPart::kMissed, &CheckPart::outcome);
  if (wrong == check.parts.end() || !wrong->on) return;
  if (wrong->name != "right results") {
    const Row& row = trials.on(*wrong->on).first();
    if (has_log(row)) wrong->reasons = notes_of(row.program->log, wrong->sentence);
    return;
  }
  try {
    const Trials solution(exercise, lab, exercise.solution(), settings, machine);
    wrong->reasons = reasons_of_wrong_results(exercise, trials, solution, *wrong->on, wrong->sentence);
  } catch (const Error&) {
    // Without the solution, or a compiler for it, there is nothing to compare with.
  }
}

// The parts of every check: their names in documents, and the messages that name them on screens.
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
  if (settings.gives_reasons) add_reasons(check, exercise, lab, trials, settings, machine);
  return check;
}

ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings) {
  read_text(file);  // a wrong path is better known at once
  const auto device = device::open_device(device::DeviceChoice::kVirtual, settings.card);
  return check_exercise(exercise, lab, file, settings,
                        {*device, compile::compile_kernels, lab::labs_directory(), lab::describe_host()});
}

}  // namespace cudalab::course
