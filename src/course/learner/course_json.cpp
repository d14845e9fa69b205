// Writes the document of `cudalab list --json`.
#include "course/learner/course_json.h"

#include <nlohmann/json.hpp>

#include "course/learner/standing.h"

namespace cudalab::course {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered labs_json(std::span<const lab::Lab> labs, const CoursePlan& plan) {
  Ordered list = Ordered::array();
  for (const lab::Lab& lab : labs)
    list.push_back({{"name", lab.name},
                    {"title", lab.title},
                    {"teaches", lab.teaches},
                    {"minutes", minutes_of_lab(plan, lab.name)}});
  return list;
}

Ordered concepts_json(std::span<const Standing> standings) {
  Ordered list = Ordered::array();
  for (const Standing& one : standings)
    list.push_back({{"name", one.about->name},
                    {"title", one.about->title},
                    {"exercises", one.exercises},
                    {"passed", one.passed},
                    {"mistakes", one.mistakes},
                    {"hints", one.hints},
                    {"practise_again", one.weak_in != nullptr}});
  return list;
}

Ordered progress_json(const Progress& progress) {
  return {{"started", progress.started}, {"passed", progress.passed}, {"gave_up", progress.gave_up},
          {"checks", progress.checks},   {"hints", progress.hints},   {"mistakes", progress.mistakes}};
}

Ordered exercise_json(const Exercise& exercise, const Workspace& workspace) {
  Ordered json{{"name", exercise.name},       {"lab", exercise.lab},
               {"title", exercise.title},     {"difficulty", exercise.difficulty},
               {"minutes", exercise.minutes}, {"concepts", exercise.concepts}};
  if (const auto found = workspace.exercises.find(exercise.name); found != workspace.exercises.end())
    json["progress"] = progress_json(found->second);
  return json;
}

}  // namespace

std::string course_json_text(std::span<const Exercise> course, std::span<const lab::Lab> labs,
                             const CoursePlan& plan, const Workspace& workspace, const report::Tool& tool) {
  Ordered exercises = Ordered::array();
  for (const Exercise& exercise : course) exercises.push_back(exercise_json(exercise, workspace));
  const NextStep next = next_step(course, workspace, plan);
  const Ordered document{{"schema", "cudalab.course/1"},
                         {"tool", {{"version", tool.version}, {"commit", tool.commit}}},
                         {"path", workspace.path ? Ordered(workspace.path->name) : Ordered()},
                         {"next", next.exercise ? Ordered(next.exercise->name) : Ordered()},
                         {"labs", labs_json(labs, plan)},
                         {"concepts", concepts_json(standings(course, workspace, plan))},
                         {"exercises", std::move(exercises)}};
  return document.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace cudalab::course
