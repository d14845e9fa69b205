// Derives standings and the next step from the progress file.
#include "course/learner/standing.h"

#include <algorithm>

#include "course/check.h"

namespace cudalab::course {
namespace {

// The concept that a check's reason shows a lack of; empty if it shows none.
std::string_view concept_of(const std::string& reason, const Exercise& exercise, const CoursePlan& plan) {
  if (reason == kDoesNotCompile) return "";
  for (const CourseConcept& one : plan.concepts)
    if (std::ranges::find(one.shown_by, reason) != one.shown_by.end()) return one.name;
  return exercise.concepts.front();
}

bool practises(const Exercise& exercise, std::string_view name) {
  return std::ranges::find(exercise.concepts, name) != exercise.concepts.end();
}

struct Effort {
  int mistakes = 0, hints = 0, trouble = 0;
};

// The mistakes and hints of an exercise that concern one concept.
Effort effort_for(const Exercise& exercise, const Progress& progress, const CourseConcept& about,
                  const CoursePlan& plan) {
  Effort effort;
  for (const auto& [reason, count] : progress.mistakes) {
    if (concept_of(reason, exercise, plan) != about.name) continue;
    effort.mistakes += count;
    effort.trouble += std::min(count, kMostRepeats);
  }
  if (exercise.concepts.front() != about.name) return effort;
  effort.hints = static_cast<int>(progress.hints);
  const bool gave_up = progress.passed.empty() && !progress.gave_up.empty();
  effort.trouble += gave_up ? static_cast<int>(kHints) : effort.hints;
  return effort;
}

bool is_begun(const Progress& progress) { return progress.checks > 0 || !progress.gave_up.empty(); }

const std::string& date_done(const Progress& progress) {
  return progress.passed.empty() ? progress.gave_up : progress.passed;
}

Standing standing_with(const CourseConcept& about, std::span<const Exercise> course,
                       const Workspace& workspace, const CoursePlan& plan) {
  Standing standing{.about = &about};
  std::string last;
  for (const Exercise& exercise : course) {
    const bool is_practised = practises(exercise, about.name);
    standing.exercises += is_practised;
    const auto found = workspace.exercises.find(exercise.name);
    if (found == workspace.exercises.end()) continue;
    const Progress& progress = found->second;
    standing.passed += is_practised && !progress.passed.empty();
    standing.is_begun |= is_practised && is_begun(progress);
    const Effort effort = effort_for(exercise, progress, about, plan);
    standing.mistakes += effort.mistakes;
    standing.hints += effort.hints;
    const bool needed_it = is_practised || effort.trouble > 0;
    if (!needed_it || !workspace.is_done(exercise.name) || date_done(progress) < last) continue;
    last = date_done(progress);
    const bool is_weak = effort.trouble >= kWeakFrom;
    standing.weak_in = is_weak ? &exercise : nullptr;
    standing.trouble = is_weak ? effort.trouble : 0;
  }
  return standing;
}

// The exercise that was checked last, if it is still open.
const Exercise* exercise_at_hand(std::span<const Exercise> course, const Workspace& workspace) {
  const Exercise* at_hand = nullptr;
  std::string last;
  for (const Exercise& exercise : course) {
    if (!is_open(workspace, exercise)) continue;
    const Progress& progress = workspace.exercises.at(exercise.name);
    if (progress.checks == 0 || (at_hand && progress.checked <= last)) continue;
    at_hand = &exercise;
    last = progress.checked;
  }
  return at_hand;
}

bool is_known(const std::string& name, std::span<const Standing> all) {
  return std::ranges::any_of(all,
                             [&](const Standing& one) { return one.about->name == name && one.is_begun; });
}

// The first open exercise that practises this concept, and apart from it only concepts that the learner has
// met.
const Exercise* practice_of(const Standing& weak, std::span<const Exercise> course,
                            const Workspace& workspace, std::span<const Standing> all) {
  for (const Exercise& exercise : course) {
    const bool is_new = std::ranges::any_of(exercise.concepts, [&](const std::string& name) {
      return name != weak.about->name && !is_known(name, all);
    });
    if (is_open(workspace, exercise) && practises(exercise, weak.about->name) && !is_new) return &exercise;
  }
  return nullptr;
}

// An exercise for the weakest concept that an open exercise practises.
NextStep practice(std::span<const Exercise> course, const Workspace& workspace,
                  std::span<const Standing> all) {
  std::vector<Standing> weak(all.begin(), all.end());
  std::erase_if(weak, [](const Standing& one) { return !one.weak_in; });
  std::ranges::stable_sort(weak, std::ranges::greater{}, &Standing::trouble);
  for (const Standing& one : weak)
    if (const Exercise* exercise = practice_of(one, course, workspace, all))
      return {.why = NextStep::kPractise, .exercise = exercise, .practises = one};
  return {};
}

bool is_new_lab(const std::string& lab, std::span<const Exercise> course, const Workspace& workspace) {
  if (workspace.quizzes.contains(lab)) return false;
  return std::ranges::none_of(course, [&](const Exercise& exercise) {
    const auto found = workspace.exercises.find(exercise.name);
    return exercise.lab == lab && found != workspace.exercises.end() && is_begun(found->second);
  });
}

}  // namespace

std::vector<Standing> standings(std::span<const Exercise> course, const Workspace& workspace,
                                const CoursePlan& plan) {
  std::vector<Standing> all;
  for (const CourseConcept& one : plan.concepts) all.push_back(standing_with(one, course, workspace, plan));
  return all;
}

NextStep next_step(std::span<const Exercise> course, const Workspace& workspace, const CoursePlan& plan) {
  if (const Exercise* at_hand = exercise_at_hand(course, workspace))
    return {.why = NextStep::kContinue, .exercise = at_hand};
  if (NextStep step = practice(course, workspace, standings(course, workspace, plan)); step.exercise)
    return step;
  for (const Exercise& exercise : course)
    if (is_open(workspace, exercise))
      return {.why = NextStep::kInOrder,
              .exercise = &exercise,
              .is_first_of_lab = is_new_lab(exercise.lab, course, workspace)};
  return {};
}

}  // namespace cudalab::course
