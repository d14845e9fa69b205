// Lists everything that a course must satisfy, and checks each item.
#include "course/author_check.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "compile/compile_kernels.h"
#include "core/files.h"
#include "core/work_budget.h"
#include "course/check.h"
#include "course/exercise.h"
#include "course/ladder.h"
#include "course/learn.h"
#include "course/learner/syllabus.h"
#include "course/plan.h"
#include "course/questions.h"
#include "course/texts/translations.h"
#include "messages/course.h"

namespace cudalab::course {
namespace fs = std::filesystem;
namespace {

using Tasks = std::vector<AuthorTask>;

// ---- kernels -----------------------------------------------------------------------------------------

// A solution may take at most 1/8 of the steps that a check allows, whatever the drawn sizes. A correct
// kernel that is eight times as slow is then not stopped as endless.
constexpr std::uint64_t kRoomForSlowerOnes = 8;

// Uses one thread per kernel, because many kernels are checked in parallel.
ExerciseCheck outcome_of(const Exercise& exercise, const lab::Lab& lab, const fs::path& file,
                         const AuthorSettings& settings) {
  const auto device = device::open_virtual_device({.host_threads = 1});
  const lab::Machine machine{*device, compile::compile_kernels, settings.labs, lab::describe_host()};
  const bool is_solution = file == exercise.solution();
  const std::uint64_t steps = is_solution ? kStepsOfACheck / kRoomForSlowerOnes : kStepsOfACheck;
  return check_exercise(exercise, lab, file, {.seed = settings.seed, .steps = steps, .gives_reasons = false},
                        machine);
}

Message why(const ExerciseCheck& check) {
  for (const CheckPart& part : check.parts)
    if (part.outcome == CheckPart::kMissed)
      return part.on ? msg::rejected_with_case(check.rejected_by, named(*part.on), part.sentence)
                     : msg::rejected_with(check.rejected_by, part.sentence);
  return Message::verbatim(check.rejected_by);
}

Message look_at_starter(const ExerciseCheck& check) {
  return check.passed ? msg::starter_passes() : Message();
}

Message look_at_solution(const ExerciseCheck& check) {
  if (check.passed) return {};
  if (check.rejected_by == kStopped)
    return msg::solution_too_slow(why(check), kRoomForSlowerOnes, check.seed);
  return msg::solution_fails(why(check), check.seed);
}

Message look_at_wrong(const ExerciseCheck& check, const std::string& reason) {
  if (check.passed) return msg::wrong_kernel_passes(reason, check.seed);
  return check.rejected_by == reason ? Message()
                                     : msg::wrong_kernel_rejected_otherwise(reason, why(check), check.seed);
}

void add_kernel(Tasks& tasks, const Exercise& exercise, const lab::Lab& lab, const fs::path& file,
                const AuthorSettings& settings, const std::function<Message(const ExerciseCheck&)>& judge) {
  const std::string subject =
      fmt::format("{}/{}", exercise.name, file.lexically_relative(exercise.folder).generic_string());
  tasks.push_back({subject, [=, &lab] { return judge(outcome_of(exercise, lab, file, settings)); }});
}

void add_kernels(Tasks& tasks, const Exercise& exercise, const lab::Lab& lab,
                 const AuthorSettings& settings) {
  add_kernel(tasks, exercise, lab, exercise.starter(), settings, look_at_starter);
  AuthorSettings with_seed = settings;
  for (std::size_t draw = 0; draw < settings.draws; ++draw, ++with_seed.seed) {
    add_kernel(tasks, exercise, lab, exercise.solution(), with_seed, look_at_solution);
    for (const auto& [name, reason] : exercise.wrong)
      add_kernel(tasks, exercise, lab, exercise.folder / "wrong" / name, with_seed,
                 [reason = reason](const ExerciseCheck& check) { return look_at_wrong(check, reason); });
  }
}

// ---- files -------------------------------------------------------------------------------------------

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  if (nothing_is_at(folder)) return names;
  for (const fs::path& entry : entries_of(folder)) names.insert(entry.filename());
  return names;
}

Message look_at_names(const std::string& place, const std::set<std::string>& there,
                      const std::set<std::string>& wanted) {
  for (const std::string& name : wanted)
    if (!there.contains(name)) return msg::file_missing(fmt::format("{}/{}", place, name));
  for (const std::string& name : there)
    if (!wanted.contains(name)) return msg::file_belongs_to_nothing(fmt::format("{}/{}", place, name));
  return {};
}

Message look_at_files(const Exercise& exercise) {
  std::set<std::string> wanted{"exercise.json", "starter.cu", "solution.cu"};
  if (!exercise.wrong.empty()) wanted.insert("wrong");
  Message stray = look_at_names(exercise.name, names_in(exercise.folder), wanted);
  if (!stray.empty()) return stray;
  if (exercise.wrong.empty()) return msg::exercise_without_wrong_kernels(exercise.name);
  std::set<std::string> wrong;
  for (const auto& [name, reason] : exercise.wrong) wrong.insert(name);
  return look_at_names(exercise.name + "/wrong", names_in(exercise.folder / "wrong"), wrong);
}

bool belongs_to_lab(const fs::path& file) {
  static const std::set<std::string> names{"README.md",    "quiz.json",  "learn.json", "answers.json",
                                           "exercise",     "program",    "zh.po",      "ru.po",
                                           "messages.pot", "ladder.json"};
  static const std::set<std::string> kinds{".cu", ".cuh", ".h", ".cpp"};
  return names.contains(file.filename()) || kinds.contains(file.extension());
}

// Throws Error if the quiz or the walk is missing or damaged.
Message look_at_lab(const AuthorSettings& settings, const lab::Lab& of) {
  const std::string& lab = of.name;
  const fs::path folder = settings.labs / lab;
  if (!is_there(folder / "README.md")) return msg::handout_missing();
  load_quiz(settings.labs, lab);
  load_lesson(settings.labs, of);
  load_answers(settings.labs, lab);
  if (!is_there(settings.expected / (lab + ".json"))) return msg::answer_key_missing(lab);
  if (exercise_folders(settings.labs, lab).empty()) return msg::lab_without_exercise();
  for (const fs::path& entry : entries_of(folder))
    if (!belongs_to_lab(entry)) return msg::file_belongs_to_nothing(entry.filename().string());
  return {};
}

// The name of an exercise must not also be the name of a lab (or its alias), or "all".
Message look_at_name(const std::string& name, const std::vector<std::string>& all,
                     std::span<const lab::Lab> labs) {
  if (std::count(all.begin(), all.end(), name) > 1) return msg::exercise_name_taken();
  for (const lab::Lab& lab : labs)
    if (name == lab.name || name == lab.alias) return msg::exercise_name_is_lab();
  return name == "all" ? msg::exercise_name_all() : Message();
}

bool is_wanted(const AuthorSettings& settings, const std::string& lab, const std::string& exercise) {
  const auto& only = settings.only;
  const auto has = [&only](const std::string& name) {
    return std::find(only.begin(), only.end(), name) != only.end();
  };
  return only.empty() || has(lab) || has(exercise);
}

// ---- the plan of the course --------------------------------------------------------------------------

// The first name in a list of the plan that occurs twice or is unknown, or the first name that the list
// lacks.
Message look_at_list(const std::vector<std::string>& named, const std::set<std::string>& there) {
  std::set<std::string> known;
  for (const std::string& name : named) {
    if (!there.contains(name)) return msg::plan_name_unknown(name);
    if (!known.insert(name).second) return msg::plan_name_twice(name);
  }
  for (const std::string& name : there)
    if (!known.contains(name)) return msg::plan_lacks(name);
  return {};
}

// Reasons that belong to no criterion come from the check itself.
bool is_reason(const std::string& reason, const std::vector<Exercise>& course) {
  if (reason.starts_with("hazard: ") || reason.starts_with("mistake: ")) return true;
  return std::ranges::any_of(course, [&reason](const Exercise& exercise) {
    const auto is_it = [&reason](const auto& one) { return one.second == reason; };
    const auto is_its = [&reason](const ExerciseCriterion& one) { return one.criterion.name == reason; };
    return std::ranges::any_of(exercise.wrong, is_it) || std::ranges::any_of(exercise.criteria, is_its);
  });
}

Message look_at_concepts(const CoursePlan& plan, const std::vector<Exercise>& course) {
  std::set<std::string> used;
  for (const Exercise& exercise : course) used.insert(exercise.concepts.begin(), exercise.concepts.end());
  for (const CourseConcept& one : plan.concepts) {
    if (!used.contains(one.name)) return msg::plan_concept_unused(one.name);
    for (const std::string& reason : one.shown_by)
      if (!is_reason(reason, course)) return msg::plan_reason_unknown(one.name, reason);
  }
  for (const std::string& name : used)
    if (!find_concept(plan, name)) return msg::exercise_concept_unknown(name);
  return {};
}

Message look_at_plan(const AuthorSettings& settings, std::span<const lab::Lab> labs) {
  const CoursePlan plan = load_plan(settings.labs);
  const std::vector<Exercise> course = load_course(settings.labs, labs);
  std::set<std::string> of_labs, of_exercises;
  for (const lab::Lab& lab : labs) of_labs.insert(lab.name);
  for (const Exercise& exercise : course) of_exercises.insert(exercise.name);
  if (Message wrong = look_at_list(names_of_labs(plan), of_labs); !wrong.empty()) return wrong;
  if (Message wrong = look_at_list(plan.exercises, of_exercises); !wrong.empty()) return wrong;
  return look_at_concepts(plan, course);
}

// Throws Error for a page that names a lab or an exercise that does not exist.
Message look_at_path(const AuthorSettings& settings, std::span<const lab::Lab> labs,
                     const std::string& name) {
  syllabus_from(name, read_text(path_file(settings.labs, name)), load_course(settings.labs, labs), labs,
                Message::verbatim(fmt::format("labs/{}/{}.md", kPlanFolder, name)));
  return {};
}

void add_plan(Tasks& tasks, const AuthorSettings& settings, std::span<const lab::Lab> labs) {
  if (nothing_is_at(settings.labs / kPlanFolder)) return;
  const std::string place = fmt::format("labs/{}/", kPlanFolder);
  tasks.push_back({place + "course.json", [=, &settings] { return look_at_plan(settings, labs); }});
  for (const std::string& name : path_names(settings.labs))
    tasks.push_back({place + name + ".md", [=, &settings] { return look_at_path(settings, labs, name); }});
}

// ---- ladders -----------------------------------------------------------------------------------------

bool is_example(const lab::Lab& lab, const std::string& command) {
  return std::find(lab.examples.begin(), lab.examples.end(), command) != lab.examples.end();
}

Message look_at_examples(const Ladder& ladder, const lab::Lab& lab) {
  for (const auto& [command, reason] : ladder.not_run)
    if (!is_example(lab, command)) return msg::ladder_names_no_example(command);
  return {};
}

// Only times matter here, so hazard checks and CPU versions are off.
lab::RunRequest request_for_times(lab::RunRequest request) {
  request.settings.device = device::DeviceChoice::kVirtual;
  request.settings.launch.checks = Checks::kNone;
  request.settings.kernels_only = true;
  request.settings.progress = {};
  request.settings.remark = {};
  return request;
}

// Uses one thread per lab, because many labs run in parallel.
Message look_at_times(const Ladder& ladder, const lab::Lab& lab, const lab::RunRequest& request,
                      const AuthorSettings& settings) {
  const auto device = device::open_virtual_device({.host_threads = 1});
  const lab::Machine machine{*device, compile::compile_kernels, settings.labs, lab::describe_host()};
  const lab::Result result = lab::run_lab(lab, request_for_times(request), machine);
  return contradiction(ladder, predicted_run(result));
}

// Reports the first step that a recorded GPU run contradicts.
Message look_at_recording(const Ladder& ladder, const fs::path& file) {
  const auto document = nlohmann::json::parse(read_text(file), nullptr, false);
  return document.is_object() ? contradiction(ladder, recorded_run(document)) : Message();
}

// "dot.json", "dot-large.json"
bool is_recording_of(const std::string& lab, const fs::path& file) {
  const std::string name = file.filename();
  return file.extension() == ".json" && (name == lab + ".json" || name.starts_with(lab + "-"));
}

void add_recordings(Tasks& tasks, const Ladder& ladder, const lab::Lab& lab, const AuthorSettings& settings) {
  for (const char* gpu : {"h200", "h100"}) {
    const fs::path folder = settings.expected / gpu;
    if (nothing_is_at(folder)) continue;
    for (const fs::path& file : entries_of(folder))
      if (is_recording_of(lab.name, file))
        tasks.push_back({file.lexically_relative(settings.expected.parent_path()),
                         [=] { return look_at_recording(ladder, file); }});
  }
}

void add_ladder(Tasks& tasks, const lab::Lab& lab, const AuthorSettings& settings) {
  const std::string place = fmt::format("labs/{}/ladder.json", lab.name);
  try {
    const Ladder ladder = load_ladder(settings.labs, lab.name);
    tasks.push_back({place, [ladder, &lab] { return look_at_examples(ladder, lab); }});
    for (const std::string& command : lab.examples)
      if (settings.request_of && !ladder.steps.empty() && !ladder.not_run.contains(command))
        tasks.push_back({command, [=, &lab, &settings] {
                           return look_at_times(ladder, lab, settings.request_of(lab, command), settings);
                         }});
    add_recordings(tasks, ladder, lab, settings);
  } catch (const Error& error) {
    tasks.push_back({place, [problem = error.message()] { return problem; }});
  }
}

// ---- translations ------------------------------------------------------------------------------------

constexpr Language kTranslations[]{Language::kChinese, Language::kRussian};

std::vector<TextUnit> units_of(const AuthorSettings& settings, const std::string& what,
                               std::span<const lab::Lab> labs) {
  for (const lab::Lab& lab : labs)
    if (lab.name == what) return units_of_lab(settings.labs, lab);
  if (what == kPlanFolder) return units_of_plan(settings.labs);
  return units_of_messages(settings.help);
}

TranslationState state_of(const AuthorSettings& settings, const std::string& what, Language language,
                          std::span<const lab::Lab> labs) {
  const std::string file =
      translation_file(settings.labs, what, language).lexically_relative(settings.labs.parent_path());
  return state_of(units_of(settings, what, labs), load_translation(settings.labs, what, language),
                  load_glossary(glossary_file(settings.labs)), language, file);
}

Message look_at_translation(const TranslationState& state) {
  if (state.faults.empty()) return {};
  const std::size_t more = state.faults.size() - 1;
  return more == 0 ? state.faults.front() : msg::clause_and_more(state.faults.front(), more);
}

// All labs that were requested and, without a selection, the program's messages.
std::vector<std::string> translated(const AuthorSettings& settings, std::span<const lab::Lab> labs) {
  std::vector<std::string> all;
  if (settings.only.empty()) all.emplace_back(kMessages);
  if (is_wanted(settings, kPlanFolder, "")) all.emplace_back(kPlanFolder);
  for (const lab::Lab& lab : labs)
    if (is_wanted(settings, lab.name, "")) all.push_back(lab.name);
  return all;
}

void add_translations(Tasks& tasks, const AuthorSettings& settings, std::span<const lab::Lab> labs) {
  for (const std::string& what : translated(settings, labs))
    for (const Language language : kTranslations) {
      if (nothing_is_at(translation_file(settings.labs, what, language))) continue;
      tasks.push_back({msg::translation_of(what, name_in(kLanguages, language)).text(), [=, &settings] {
                         return look_at_translation(state_of(settings, what, language, labs));
                       }});
    }
}

// ---- the list of tasks ---------------------------------------------------------------------------------

void add_exercise(Tasks& tasks, const fs::path& folder, const lab::Lab& lab, const AuthorSettings& settings) {
  try {
    const Exercise exercise = load_exercise(folder, lab);
    tasks.push_back({exercise.name, [exercise] { return look_at_files(exercise); }});
    add_kernels(tasks, exercise, lab, settings);
  } catch (const Error& error) {
    tasks.push_back({folder.filename(), [problem = error.message()] { return problem; }});
  }
}

std::vector<std::string> all_names(const AuthorSettings& settings, std::span<const lab::Lab> labs) {
  std::vector<std::string> names;
  for (const lab::Lab& lab : labs)
    for (const fs::path& folder : exercise_folders(settings.labs, lab.name))
      names.push_back(folder.filename());
  return names;
}

Message looked_at(const AuthorTask& task) {
  try {
    return task.look();
  } catch (const Error& error) {
    return error.message();
  } catch (const std::exception& error) {
    return Message::verbatim(error.what());
  }
}

}  // namespace

std::vector<AuthorTask> author_tasks(const AuthorSettings& settings, std::span<const lab::Lab> labs) {
  Tasks tasks;
  const std::vector<std::string> names = all_names(settings, labs);
  for (const lab::Lab& lab : labs) {
    if (is_wanted(settings, lab.name, ""))
      tasks.push_back({"labs/" + lab.name, [&settings, &lab] { return look_at_lab(settings, lab); }});
    if (is_wanted(settings, lab.name, "")) add_ladder(tasks, lab, settings);
    for (const fs::path& folder : exercise_folders(settings.labs, lab.name)) {
      const std::string name = folder.filename();
      if (!is_wanted(settings, lab.name, name)) continue;
      tasks.push_back({name, [=] { return look_at_name(name, names, labs); }});
      add_exercise(tasks, folder, lab, settings);
    }
  }
  if (is_wanted(settings, kPlanFolder, "")) add_plan(tasks, settings, labs);
  add_translations(tasks, settings, labs);
  if (tasks.empty()) throw usage_error(msg::author_subject_unknown(settings.only.front()));
  return tasks;
}

std::vector<Message> translation_lacks(const AuthorSettings& settings, std::span<const lab::Lab> labs) {
  std::vector<Message> lacks;
  for (const std::string& what : translated(settings, labs))
    for (const Language language : kTranslations) {
      Message lack = lack_of(what, state_of(settings, what, language, labs), language);
      if (!lack.empty()) lacks.push_back(std::move(lack));
    }
  return lacks;
}

void run_tasks(std::span<const AuthorTask> tasks, unsigned jobs,
               const std::function<void(const AuthorTask&, const Message&)>& done) {
  std::atomic<std::size_t> next = 0;
  std::mutex one_at_a_time;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      const Message problem = looked_at(tasks[i]);
      const std::lock_guard lock(one_at_a_time);
      done(tasks[i], problem);
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < jobs; ++i) threads.push_back(further_thread(work));
  work();
}

}  // namespace cudalab::course
