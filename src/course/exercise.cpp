// Reads exercise.json key by key; errors name the wrong key.
#include "course/exercise.h"

#include <algorithm>
#include <set>

#include "core/files.h"
#include "course/cases/ranges.h"
#include "course/criterion.h"
#include "course/plan.h"
#include "messages/course.h"
#include "messages/lab.h"
#include "report/formats/json.h"
#include "report/text/values.h"

namespace cudalab::course {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr int kMostMinutes = 240;  // more is no exercise but a project

const std::set<std::string, std::less<>> kKeys{
    "title", "difficulty", "minutes", "concepts", "task",     "stage",      "kernel", "cases",
    "hints", "wrong",      "ranges",  "criteria", "together", "quadrature", "numbers"};  // numbers: tests

void require_known_keys(const Json& text, const Message& place) {
  if (!text.is_object()) throw usage_error(msg::at_place(place, msg::object_expected()));
  for (const auto& [key, value] : text.items())
    if (!kKeys.contains(key)) throw usage_error(msg::at_place(place, msg::exercise_key_unknown(key)));
}

const Json& at(const Json& text, std::string_view key, const Message& place) {
  const auto found = text.find(key);
  if (found == text.end()) throw usage_error(msg::at_place(place, msg::exercise_key_missing(key)));
  return *found;
}

template <class T>
T read(const Json& text, std::string_view key, const Message& kind, const Message& place) {
  try {
    return at(text, key, place).get<T>();
  } catch (const Json::exception&) {
    throw usage_error(msg::at_place(place, msg::exercise_key_wrong(key, kind)));
  }
}

// ---- options -----------------------------------------------------------------------------------------

lab::OptionValue value_of(const lab::OptionSpec& spec, const Json& value, const Message& place) {
  if (auto read = report::option_value(spec, value)) return *std::move(read);
  throw usage_error(
      msg::at_place(place, msg::option_cannot_be(spec.name, value.dump(), lab::allowed_values(spec))));
}

Case case_from(const Json& text, const lab::Lab& lab, const Message& place) {
  if (!text.is_object()) throw usage_error(msg::at_place(place, msg::case_no_object()));
  lab::Options ranges(lab.options, false);
  at_place(place, [&] {
    for (const auto& [name, value] : text.items())
      ranges.set(name, value_of(option_of(lab, name, place), value, place));
  });
  Case options;
  for (const auto& [name, value] : ranges.effective())
    if (ranges.given(name)) options.emplace_back(name, value);
  return options;
}

// ---- the rest ----------------------------------------------------------------------------------------

ptx::Carriers carriers_from(const Json& text, const Message& place) {
  if (text == "exchanges") return {.exchanges = true};
  if (text == "shared loads") return {.shared_loads = true};
  if (text == "exchanges or shared loads") return {.exchanges = true, .shared_loads = true};
  throw usage_error(msg::at_place(place, msg::matters_wrong()));
}

// If the criterion's case has ranges, every check draws from them; plain values in it stay fixed.
ExerciseCriterion criterion_with_case(const Json& text, const lab::Lab& lab, const Case& fallback,
                                      const Message& place) {
  ExerciseCriterion own{criterion_from(text, place), fallback};
  resolve_values(own.criterion, lab, place);
  own.is_seen_outside = text.value("seen_outside", Json(false)) == Json(true);
  if (text.contains("matters")) own.matters = carriers_from(text["matters"], place);
  if (text.contains("matters_case")) own.matters_on = case_from(text["matters_case"], lab, place);
  if (!text.contains("case")) return own;
  Json options = text["case"];
  const auto is_range = [](const Json& value) { return value.is_object(); };
  if (!options.is_object() || std::none_of(options.begin(), options.end(), is_range)) {
    own.judged_on = case_from(options, lab, place);
    return own;
  }
  for (Json& value : options)
    if (!is_range(value)) value = {{"of", {value}}};
  own.drawn_from = ranges_from(options, lab, place);
  return own;
}

Ranges all_ranges_from(const Json& text, const lab::Lab& lab, const Message& place) {
  if (!text.contains("ranges")) return {};
  return at_place(place, [&] {
    Ranges ranges = ranges_from(text["ranges"], lab, place);
    if (text.contains("together")) ranges.together = together_from(text["together"], ranges, place);
    return ranges;
  });
}

std::vector<ExerciseCriterion> criteria_from(const Json& text, const lab::Lab& lab, const Case& fallback,
                                             const Message& place) {
  std::vector<ExerciseCriterion> criteria;
  if (!text.contains("criteria")) return criteria;
  for (const Json& one : text["criteria"]) criteria.push_back(criterion_with_case(one, lab, fallback, place));
  return criteria;
}

std::optional<QuadratureOptions> quadrature_from(const Json& text, const lab::Lab& lab,
                                                 const Message& place) {
  if (!text.contains("quadrature")) return std::nullopt;
  const Message kind = msg::kind_quadrature();
  const auto names = read<std::map<std::string, std::string>>(text, "quadrature", kind, place);
  const auto option = [&](const char* key) {
    const auto found = names.find(key);
    if (names.size() != 4 || found == names.end())
      throw usage_error(msg::at_place(place, msg::exercise_key_wrong("quadrature", kind)));
    return option_of(lab, found->second, place).name;
  };
  return QuadratureOptions{option("integrand"), option("from"), option("to"), option("strips")};
}

std::array<std::string, kHints> hints_from(const Json& text, const Message& place) {
  const auto hints = read<std::vector<std::string>>(text, "hints", msg::kind_three_texts(), place);
  if (hints.size() != kHints) throw usage_error(msg::at_place(place, msg::hints_wrong_count(hints.size())));
  return {hints[0], hints[1], hints[2]};
}

int number_from(const Json& text, std::string_view key, int most, const Message& place) {
  const Message kind = msg::kind_number_up_to(most);
  const auto number = read<int>(text, key, kind, place);
  if (number < 1 || number > most)
    throw usage_error(msg::at_place(place, msg::exercise_key_wrong(key, kind)));
  return number;
}

std::vector<std::string> concepts_from(const Json& text, const Message& place) {
  const Message kind = msg::kind_concepts();
  auto concepts = read<std::vector<std::string>>(text, "concepts", kind, place);
  if (concepts.empty()) throw usage_error(msg::at_place(place, msg::exercise_key_wrong("concepts", kind)));
  return concepts;
}

void require_kernel_stage(const Exercise& exercise, const lab::Lab& lab, const Message& place) {
  const auto& stages = lab.stages;
  if (exercise.stage == "cpu" || std::find(stages.begin(), stages.end(), exercise.stage) == stages.end())
    throw usage_error(msg::at_place(place, msg::stage_has_no_kernel(exercise.stage, lab.name)));
}

// A program's kernel can run alone only in a stage that is not a program.
std::string kernel_stage_from(const Json& text, const lab::Lab& lab, const Message& place) {
  if (!text.contains("kernel")) return "";
  const auto stage = read<std::string>(text, "kernel", msg::kind_text(), place);
  const bool is_declared = std::find(lab.stages.begin(), lab.stages.end(), stage) != lab.stages.end();
  if (!is_declared || stage == "cpu" || lab::is_program(lab, stage))
    throw usage_error(msg::at_place(place, msg::stage_is_no_single_kernel(stage, lab.name)));
  return stage;
}

}  // namespace

Exercise kernel_alone(Exercise program) {
  program.is_program = false;
  program.stage = program.kernel_stage;
  std::erase_if(program.criteria, [](const auto& each) { return !each.is_seen_outside; });
  return program;
}

std::vector<Case> cases_from(const Json& list, const lab::Lab& lab, const Message& place) {
  std::vector<Case> cases;
  for (const Json& one : list) cases.push_back(case_from(one, lab, place));
  if (cases.empty()) throw usage_error(msg::at_place(place, msg::cases_missing()));
  return cases;
}

Exercise exercise_from(const Json& text, const lab::Lab& lab, const Message& place) {
  require_known_keys(text, place);
  Exercise exercise;
  exercise.lab = lab.name;
  exercise.title = read<std::string>(text, "title", msg::kind_text(), place);
  exercise.difficulty = number_from(text, "difficulty", kMostStars, place);
  exercise.minutes = number_from(text, "minutes", kMostMinutes, place);
  exercise.concepts = concepts_from(text, place);
  exercise.task = read<std::vector<std::string>>(text, "task", msg::kind_paragraphs(), place);
  exercise.stage = read<std::string>(text, "stage", msg::kind_text(), place);
  exercise.is_program = lab::is_program(lab, exercise.stage);
  exercise.kernel_stage = kernel_stage_from(text, lab, place);
  exercise.cases = cases_from(at(text, "cases", place), lab, place);
  exercise.ranges = all_ranges_from(text, lab, place);
  exercise.criteria = criteria_from(text, lab, exercise.cases.back(), place);
  exercise.quadrature = quadrature_from(text, lab, place);
  exercise.hints = hints_from(text, place);
  exercise.wrong = read<std::map<std::string, std::string>>(text, "wrong", msg::kind_wrong_kernels(), place);
  require_kernel_stage(exercise, lab, place);
  return exercise;
}

Exercise load_exercise(const fs::path& folder, const lab::Lab& lab) {
  const fs::path file = folder / "exercise.json";
  const Message place = Message::verbatim(
      fmt::format("labs/{}/exercise/{}/exercise.json", lab.name, folder.filename().string()));
  const Json text = Json::parse(read_text(file), nullptr, false);
  if (text.is_discarded()) throw usage_error(msg::file_no_json(place));
  Exercise exercise = exercise_from(text, lab, place);
  exercise.name = folder.filename();
  exercise.folder = folder;
  return exercise;
}

std::vector<fs::path> exercise_folders(const fs::path& labs, const std::string& lab) {
  std::vector<fs::path> folders;
  const fs::path all = labs / lab / "exercise";
  if (nothing_is_at(all)) return folders;
  for (const fs::path& entry : entries_of(all))
    if (is_folder(entry)) folders.push_back(entry);
  std::ranges::sort(folders);
  return folders;
}

std::vector<Exercise> load_course(const fs::path& labs, std::span<const lab::Lab> of) {
  std::vector<Exercise> course;
  for (const lab::Lab& lab : of)
    for (const fs::path& folder : exercise_folders(labs, lab.name))
      course.push_back(load_exercise(folder, lab));
  arrange(course, load_plan(labs).exercises);
  return course;
}

void arrange(std::vector<Exercise>& course, std::span<const std::string> names) {
  std::ranges::stable_sort(course, {}, [names](const Exercise& exercise) {
    return std::ranges::find(names, exercise.name) - names.begin();
  });
}

const Exercise* find_exercise(std::span<const Exercise> course, std::string_view name) {
  for (const Exercise& exercise : course)
    if (exercise.name == name) return &exercise;
  return nullptr;
}

std::vector<Case> all_cases(const Exercise& exercise) {
  std::vector<Case> cases = exercise.cases;
  for (const ExerciseCriterion& each : exercise.criteria)
    if (std::ranges::find(cases, each.judged_on) == cases.end()) cases.push_back(each.judged_on);
  return cases;
}

std::string describe(const Case& options) { return named(options).text(); }

Message named(const Case& options) {
  if (options.empty()) return msg::case_defaults();
  std::string text;
  for (const auto& [name, value] : options)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, report::shown(value));
  return Message::verbatim(std::move(text));
}

}  // namespace cudalab::course
