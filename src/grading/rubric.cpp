// Reads rubrics from answer keys.
#include "grading/rubric.h"

#include <fmt/format.h>

#include <set>

#include "core/error.h"
#include "core/files.h"
#include "lab/locate.h"
#include "messages/grading.h"

namespace cudalab::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const Json& required(const Json& object, const char* key, std::string_view place) {
  auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) throw usage_error(msg::rubric_key_missing(place, key));
  return *found;
}

bool identifies_by_file(const Json& rubric, std::string_view place) {
  std::string by = rubric.value("identifies", Json("student")).dump();
  if (by != "\"student\"" && by != "\"file\"") throw usage_error(msg::rubric_identifies_wrong(place, by));
  return by == "\"file\"";
}

std::vector<course::Criterion> criteria_of(const Json& rubric, std::string_view place) {
  std::vector<course::Criterion> criteria;
  std::set<std::string> names;
  const Json list = rubric.value("criteria", Json::array());
  if (!list.is_array()) throw usage_error(msg::rubric_criteria_not_list(place));
  for (const Json& text : list) {
    criteria.push_back(course::criterion_from(text, Message::verbatim(std::string(place))));
    if (!names.insert(criteria.back().name).second)
      throw usage_error(msg::rubric_criterion_twice(place, criteria.back().name));
  }
  return criteria;
}

double points_above_0(const Json& points, std::string_view name, std::string_view place) {
  if (!points.is_number() || !(points.get<double>() > 0))
    throw usage_error(msg::rubric_points_missing(place, name));
  return points.get<double>();
}

std::map<std::string, double> weights_of(const Json& weights, std::string_view name, std::string_view place) {
  if (!weights.is_object()) throw usage_error(msg::rubric_weights_not_object(place, name));
  std::map<std::string, double> read;
  for (const auto& [part, weight] : weights.items()) {
    if (!weight.is_number() || !(weight.get<double>() >= 0))
      throw usage_error(msg::rubric_weight_wrong(place, name, part));
    read[part] = weight.get<double>();
  }
  return read;
}

// Parses 6, or {"points": 6, "weights": {"right results": 2, …}}.
ExercisePoints points_of_exercise(const Json& text, const std::string& name, std::string_view place) {
  if (!text.is_object()) return {points_above_0(text, name, place), {}};
  ExercisePoints points;
  for (const auto& [key, value] : text.items())
    if (key == "points")
      points.points = points_above_0(value, name, place);
    else if (key == "weights")
      points.weights = weights_of(value, name, place);
    else
      throw usage_error(msg::rubric_exercise_key_unknown(place, name, key));
  return points;
}

std::map<std::string, ExercisePoints> exercises_of(const Json& rubric, std::string_view place) {
  std::map<std::string, ExercisePoints> exercises;
  const Json points = rubric.value("exercise", Json::object());
  if (!points.is_object()) throw usage_error(msg::rubric_exercise_not_object(place));
  for (const auto& [name, text] : points.items()) exercises[name] = points_of_exercise(text, name, place);
  return exercises;
}

void refuse_unknown_keys(const Json& rubric, std::string_view place) {
  for (const auto& [key, value] : rubric.items())
    if (key != "identifies" && key != "criteria" && key != "exercise")
      throw usage_error(msg::rubric_key_unknown(place, key));
}

Json parsed(const fs::path& file) {
  try {
    return Json::parse(read_text(file));
  } catch (const Json::exception&) {
    throw usage_error(msg::rubric_not_json(file.string()));
  }
}

}  // namespace

double Rubric::most() const {
  double sum = 0;
  for (const course::Criterion& criterion : criteria) sum += criterion.points;
  return sum;
}

Rubric rubric_from(const Json& answer_key, std::string_view place) {
  const Json& text = required(answer_key, "rubric", place);
  std::string here = fmt::format("{}: rubric", place);
  if (!text.is_object()) throw usage_error(msg::rubric_not_object(here));
  refuse_unknown_keys(text, here);
  const Json& lab = required(answer_key, "lab", place);
  if (!lab.is_string()) throw usage_error(msg::rubric_lab_not_text(place));
  return {lab.get<std::string>(), identifies_by_file(text, here), criteria_of(text, here),
          exercises_of(text, here)};
}

std::optional<Rubric> load_rubric(const fs::path& keys, const std::string& lab) {
  fs::path file = is_folder(keys) ? keys / (lab + ".json") : keys;
  if (nothing_is_at(file)) return std::nullopt;
  Rubric rubric = rubric_from(parsed(file), file.string());
  return rubric.lab == lab ? std::optional(std::move(rubric)) : std::nullopt;
}

fs::path keys_directory() { return lab::labs_directory().parent_path() / "expected"; }

}  // namespace cudalab::grading
