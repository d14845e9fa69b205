// Judges a learner's file case by case.
#include "course/judge.h"

#include <algorithm>

#include "course/cases/ranges.h"
#include "course/check_formats.h"
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
      Assessment assessment = assess_run(each.criterion, trial.result, trial.on);
      if (each.has_matter() && assessment.outcome == Assessment::kMet)
        assessment = assess_flow(each, trial, std::move(assessment));
      CheckPart& part = check_.parts[i + 3];
      if (assessment.outcome == Assessment::kMet)
        meet_criterion(part, each.criterion, trial.first());
      else
        miss_criterion(part, each, assessment, trial);
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

  Assessment assess_run(const Criterion& criterion, const lab::Result& run, const Case& on) {
    return assess(criterion, run.rows.front(), run.options,
                  [&]() -> const Row& { return trials_.of_solution(on).first(); });
  }

  // Statements that carry nothing from the inputs to the outputs do not count towards the criterion.
  Assessment assess_flow(const ExerciseCriterion& each, const Trial& trial, Assessment met) {
    const vgpu::DataFlow& flow = trials_.flow_on(each.matters, each.matters_on.value_or(trial.on));
    if (!flow.together.is_mostly_carried())
      return {.outcome = Assessment::kMissed,
              .sentence = carries_nothing(each.matters),
              .about = each.matters.exchanges ? "counters/ptx_lane_exchanges"
                                              : "counters/ptx_shared_load_requests"};
    if (each.matters_on) return met;  // statements that are idle in that case may carry data in this one
    std::vector<bool> idle;
    for (const vgpu::FlowShare& share : flow.by_statement) idle.push_back(share.carried == 0);
    if (std::ranges::count(idle, true) == 0) return met;
    const lab::Result run = trials_.run_without(each.matters, idle, trial.on);
    Assessment without = assess_run(each.criterion, run, trial.on);
    if (without.outcome != Assessment::kMet)
      without.sentence = does_not_count(each.matters, std::move(without.sentence));
    return without;
  }

  static Message does_not_count(ptx::Carriers carriers, Message what) {
    return carriers.exchanges ? msg::exchanges_do_not_count(std::move(what))
                              : msg::shared_loads_do_not_count(std::move(what));
  }

  static Message carries_nothing(ptx::Carriers carriers) {
    if (carriers.exchanges && carriers.shared_loads) return msg::threads_share_nothing();
    return carriers.exchanges ? msg::exchanges_have_no_effect() : msg::shared_loads_have_no_effect();
  }

  // What a printed number says about its mistake. A right one is about as large as what it is compared with.
  static std::vector<Reason> reasons_of_printed(double share) {
    constexpr double kUnit = 1000, kNear = 4;
    if (share < 0) return {{msg::evidence_printed_negative()}};
    if (share == 0) return {{msg::evidence_printed_zero()}};
    for (double factor = kUnit; factor <= kUnit * kUnit; factor *= kUnit) {
      if (share > factor / kNear && share < factor * kNear) return {{msg::evidence_printed_large(factor)}};
      if (share > 1 / factor / kNear && share < kNear / factor)
        return {{msg::evidence_printed_small(factor)}};
    }
    return {};
  }

  void miss_criterion(CheckPart& part, const ExerciseCriterion& missed, const Assessment& assessment,
                      const Trial& trial) {
    const Criterion& criterion = missed.criterion;
    miss(part, trial.first(), trial.on);
    part.sentence = assessment.sentence;
    if (missed.is_seen_outside && assessment.value) part.reasons = reasons_of_printed(*assessment.value);
    if (missed.is_seen_outside && !assessment.value) part.sentence = msg::nothing_printed();
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

}  // namespace

ExerciseCheck judge(const Exercise& exercise, const lab::Lab& lab, Trials& trials,
                    const CheckSettings& settings) {
  return Judge(exercise, lab, trials, settings).verdict();
}

}  // namespace cudalab::course
