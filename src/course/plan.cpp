// Reads the plan of the course.
#include "course/plan.h"

#include <algorithm>

#include "core/error.h"
#include "core/files.h"
#include "messages/course.h"

namespace cudalab::course {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

PlannedLab lab_from(const Json& text) { return {text.at("name"), text.at("minutes")}; }

CourseConcept concept_from(const Json& text) {
  return {text.at("name"), text.at("title"), text.at("shown_by").get<std::vector<std::string>>()};
}

}  // namespace

CoursePlan plan_from(const Json& text, const Message& place) {
  try {
    CoursePlan plan;
    for (const Json& lab : text.at("labs")) plan.labs.push_back(lab_from(lab));
    plan.exercises = text.at("exercises").get<std::vector<std::string>>();
    for (const Json& one : text.at("concepts")) plan.concepts.push_back(concept_from(one));
    return plan;
  } catch (const Json::exception&) {
    throw usage_error(msg::plan_malformed(place));
  }
}

CoursePlan load_plan(const fs::path& labs) {
  const fs::path file = labs / kPlanFolder / "course.json";
  if (nothing_is_at(file)) return {};
  const Message place = Message::verbatim("labs/course/course.json");
  const Json text = Json::parse(read_text(file), nullptr, false);
  if (text.is_discarded()) throw usage_error(msg::file_no_json(place));
  return plan_from(text, place);
}

std::vector<std::string> path_names(const fs::path& labs) {
  std::vector<std::string> names;
  const fs::path folder = labs / kPlanFolder;
  if (nothing_is_at(folder)) return names;
  for (const fs::path& file : entries_of(folder))
    if (file.extension() == ".md") names.push_back(file.stem());
  std::ranges::sort(names);
  return names;
}

fs::path path_file(const fs::path& labs, const std::string& name) {
  return labs / kPlanFolder / (name + ".md");
}

std::vector<std::string> names_of_labs(const CoursePlan& plan) {
  std::vector<std::string> names;
  for (const PlannedLab& lab : plan.labs) names.push_back(lab.name);
  return names;
}

int minutes_of_lab(const CoursePlan& plan, std::string_view lab) {
  const auto found = std::ranges::find(plan.labs, lab, &PlannedLab::name);
  return found == plan.labs.end() ? 0 : found->minutes;
}

const CourseConcept* find_concept(const CoursePlan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.concepts, name, &CourseConcept::name);
  return found == plan.concepts.end() ? nullptr : &*found;
}

}  // namespace cudalab::course
