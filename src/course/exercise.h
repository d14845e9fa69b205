// The exercises of the course: reads labs/LAB/exercise/NAME/exercise.json, whose format docs/exercises.md
// documents.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "course/cases/ranges.h"
#include "course/criterion.h"
#include "lab/lab.h"
#include "ptx/silence.h"

namespace cudalab::course {

struct ExerciseCriterion {
  Criterion criterion;
  Case judged_on;
  Ranges drawn_from = {};  // if its "case" has ranges: drawn from these instead
  // For a program: `value` is a number that the program prints, and `per` a property of its kernel, which the
  // grader measures by running the kernel alone.
  bool is_seen_outside = false;
  // Statements through which the results must depend on the inputs; none if both are false.
  ptx::Carriers matters = {};
  std::optional<Case> matters_on = {};  // the case in which this is tested; by default the criterion's
  bool has_matter() const { return matters.exchanges || matters.shared_loads; }
};

// The options of a numerical integration.
struct QuadratureOptions {
  std::string integrand, from, to, strips;
};

inline constexpr std::size_t kHints = 3;
inline constexpr int kMostStars = 3;

struct Exercise {
  std::string name;  // "padded-tile"; unique in the course
  std::string lab;   // "transpose"
  std::filesystem::path folder;
  std::string title;
  int difficulty = 1;                 // 1 to kMostStars
  int minutes = 0;                    // that a learner of the course needs
  std::vector<std::string> concepts;  // names in labs/course/course.json, the main one first
  std::vector<std::string> task;      // paragraphs
  std::string stage;                  // the lab's stage that the learner's kernel replaces
  bool is_program = false;            // the stage, and so the learner's file, is a whole program
  // For a program: the stage that its kernel alone replaces, in addition, during grading. Empty if there is
  // none.
  std::string kernel_stage;
  std::vector<Case> cases;  // at least one
  Ranges ranges;            // from which every check draws further cases; may be empty
  std::vector<ExerciseCriterion> criteria;
  std::optional<QuadratureOptions> quadrature;  // if its kernel integrates a function
  std::array<std::string, kHints> hints;
  std::map<std::string, std::string> wrong;  // file in wrong/ -> why it is rejected: "shared_race"

  std::filesystem::path starter() const { return folder / "starter.cu"; }
  std::filesystem::path solution() const { return folder / "solution.cu"; }
};

// Reads the text of an exercise.json. Throws Error(kUsage) that names `place` and the key.
Exercise exercise_from(const nlohmann::json& text, const lab::Lab& lab, const Message& place);

// Reads an exercise from its folder, whose name is the exercise's name.
Exercise load_exercise(const std::filesystem::path& folder, const lab::Lab& lab);

// The exercise for the kernel of a program alone, which the lab launches in `kernel_stage`: its hazards,
// results and predicted time come from the interpreter, not from the program. Only criteria about these
// remain.
Exercise kernel_alone(Exercise program);

// Reads a list of cases, as in the key `cases`. Throws Error(kUsage) that names `place`.
std::vector<Case> cases_from(const nlohmann::json& list, const lab::Lab& lab, const Message& place);

// The folders of a lab's exercises, by name; none where it has none.
std::vector<std::filesystem::path> exercise_folders(const std::filesystem::path& labs,
                                                    const std::string& lab);

// All exercises of these labs: first those that the plan names, in its order, then the others by lab and
// name. Throws Error(kUsage) for the first exercise that cannot be read.
std::vector<Exercise> load_course(const std::filesystem::path& labs, std::span<const lab::Lab> of);
// Puts the exercises with these names first, in this order; the other exercises keep their order.
void arrange(std::vector<Exercise>& course, std::span<const std::string> names);

// Returns null if there is no exercise of that name.
const Exercise* find_exercise(std::span<const Exercise> course, std::string_view name);

// The cases of a check without duplicates: the exercise's cases, then those of its criteria.
std::vector<Case> all_cases(const Exercise& exercise);

// "rows 67, cols 129", or "the defaults" if no option is set; in English and as a message.
std::string describe(const Case& options);
Message named(const Case& options);

}  // namespace cudalab::course
