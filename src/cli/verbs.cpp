// The table of verbs: looks up commands by name, and lists all commands with their options.
#include "cli/verbs.h"

#include <algorithm>

#include "cli/learner.h"
#include "cli/options/shared_options.h"
#include "lab/lab.h"
#include "vgpu/card.h"

namespace cudalab::cli {
namespace {

std::vector<std::string> parted(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> lab_names() {
  std::vector<std::string> names;
  for (const lab::Lab& lab : lab::labs()) names.push_back(lab.name);
  return names;
}

std::vector<std::string> exercise_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const course::Exercise& exercise : load_whole_course({})) found.push_back(exercise.name);
    return found;
  }();
  return names;
}

std::vector<std::string> labs_and_exercises() {
  std::vector<std::string> names = lab_names();
  const std::vector<std::string> exercises = exercise_names();
  names.insert(names.end(), exercises.begin(), exercises.end());
  return names;
}

std::vector<std::string> card_names() {
  std::vector<std::string> names;
  for (const vgpu::Card& card : vgpu::cards()) names.push_back(card.id);
  return names;
}

// The words that may stand for a placeholder.
struct Meaning {
  std::string_view name;
  std::vector<std::string> (*words)();
};
constexpr Meaning kMeanings[]{{"LAB", lab_names},           {"EXERCISE", exercise_names},
                              {"WHAT", labs_and_exercises}, {"--exercise", exercise_names},
                              {"--card", card_names},       {"--show", names_of_pictures}};

bool names_a_stage(const Option& option) { return option.name == "--stage" || option.name == "--as"; }

}  // namespace

Options Command::options() const {
  Options shown = declaration.options;
  std::erase_if(shown, [](const Option& option) { return option.group.empty(); });
  return shown;
}

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const Verb& verb : verbs()) commands.push_back({verb, false, verb.declare()});
  for (const lab::Lab& lab : lab::labs()) {
    const Verb verb = lab_verb(lab);
    commands.push_back({verb, true, verb.declare()});
  }
  return commands;
}

std::vector<std::string> words_for(const Command& command, const Option& option) {
  if (command.is_lab && names_a_stage(option)) return lab::find_lab(command.verb.name)->stages;
  const auto meaning = std::ranges::find(kMeanings, option.name, &Meaning::name);
  if (meaning != std::end(kMeanings)) return meaning->words();
  if (option.placeholder.find('|') == std::string::npos) return {};
  return parted(std::string_view(option.placeholder).substr(1), '|');  // " auto|gpu|virtual"
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table{
      list_verb(),
      info_verb(),
      cards_verb(),
      doctor_verb(),
      run_verb(),
      exec_verb(),
      cc_verb(),
      start_verb(),
      check_verb(),
      watch_verb(),
      serve_verb(),
      step_verb(),
      debug_adapter_verb(),
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
