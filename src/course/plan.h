// The plan of the course, labs/course/course.json: the order of labs and exercises, and the concepts that
// they teach.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"

namespace cudalab::course {

struct PlannedLab {
  std::string name;
  int minutes = 0;  // that its handout, walk and quiz take together
};

// A concept that exercises teach, and the mistakes that show that a learner does not understand it yet.
struct CourseConcept {
  std::string name;   // "bank-conflicts"
  std::string title;  // "bank conflicts", for learners
  // Reasons for which checks reject a kernel ("hazard: shared_race", a criterion's name). Any other reason
  // counts for the main concept of the exercise.
  std::vector<std::string> shown_by;
};

struct CoursePlan {
  std::vector<PlannedLab> labs;        // in the order of the course
  std::vector<std::string> exercises;  // names, in the order of the course
  std::vector<CourseConcept> concepts;
};

// The folder in labs/ that contains the plan, the paths and their translations. It is not a lab.
inline constexpr const char* kPlanFolder = "course";

// Throws Error(kUsage) that names `place`.
CoursePlan plan_from(const nlohmann::json& text, const Message& place);

// The plan of these labs; an empty one if they have none.
CoursePlan load_plan(const std::filesystem::path& labs);

// The names of the paths through the course, labs/course/NAME.md, sorted.
std::vector<std::string> path_names(const std::filesystem::path& labs);
std::filesystem::path path_file(const std::filesystem::path& labs, const std::string& name);

std::vector<std::string> names_of_labs(const CoursePlan& plan);
// 0 for a lab that the plan does not name.
int minutes_of_lab(const CoursePlan& plan, std::string_view lab);
// Null if there is no concept of that name.
const CourseConcept* find_concept(const CoursePlan& plan, std::string_view name);

}  // namespace cudalab::course
