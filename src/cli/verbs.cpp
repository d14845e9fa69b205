// THE table of verbs.
#include "cli/verbs.h"

#include "lab/lab.h"

namespace cudalab::cli {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table{
      list_verb(),
      info_verb(),
      cards_verb(),
      doctor_verb(),
      run_verb(),
      exec_verb(),
      start_verb(),
      check_verb(),
      watch_verb(),
      step_verb(),
      hint_verb(),
      progress_verb(),
      reset_verb(),
      solution_verb(),
      learn_verb(),
      quiz_verb(),
      answers_verb(),
      compare_verb(),
      for_staff(grade_verb()),
      for_staff(verify_verb()),
      for_staff(report_verb()),
      for_staff(course_verb()),
      for_staff(author_verb()),
      for_staff(completions_verb()),
      for_staff(man_verb()),
  };
  return table;
}

std::optional<Verb> find_command(std::string_view name) {
  for (const Verb& verb : verbs())
    if (verb.name == name) return verb;
  if (name == kGradeOne) return for_staff(grade_one_verb());
  if (name == kVerifyOne) return for_staff(verify_one_verb());
  if (name == kGradeTask) return for_staff(grade_task_verb());
  if (name == kPrecompile) return for_staff(precompile_verb());
  if (const lab::Lab* lab = lab::find_lab(name)) return lab_verb(*lab);
  return std::nullopt;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  for (const lab::Lab& lab : lab::labs()) {
    names.push_back(lab.name);
    if (!lab.alias.empty()) names.push_back(lab.alias);
  }
  return names;
}

}  // namespace cudalab::cli
