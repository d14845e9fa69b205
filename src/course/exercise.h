// The exercises of the course, as labs/LAB/exercise/NAME/exercise.json describes them; docs/exercises.md
// documents the format.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "course/cases/ranges.h"
#include "course/criterion.h"
#include "lab/lab.h"

namespace cudalab::course {

struct ExerciseCriterion {
  Criterion criterion;
  Case judged_on;
  Ranges drawn_from = {};  // instead, where its "case" holds ranges
  // Of a program: `value` is what it writes, and `per` the time that its kernel takes, which whoever runs the
  // kernel by itself knows without asking the program.
  bool is_seen_outside = false;
  // What has to matter: without it, the results are wrong.
  enum Matter { kNothing, kExchanges, kSharedLoads } matters = kNothing;
};

inline constexpr std::size_t kHints = 3;

struct Exercise {
  std::string name;  // "padded-tile": unique in the course
  std::string lab;   // "transpose"
  std::filesystem::path folder;
  int order = 0;  // place in the course
  std::string title;
  std::vector<std::string> task;  // paragraphs
  std::string stage;              // the lab's stage in whose place the learner's kernel runs
  bool is_program = false;        // that stage is a whole program, and so is the learner's file
  // Of a program's kernel alone: the lab's stage in whose place it runs, too, when the file is graded. Empty:
  // none.
  std::string kernel_stage;
  std::vector<Case> cases;  // at least one
  Ranges ranges;            // of the options that every check draws anew, after the cases; may be empty
  std::vector<ExerciseCriterion> criteria;
  std::array<std::string, kHints> hints;
  std::map<std::string, std::string> wrong;  // a file in wrong/ -> what rejects it: "shared_race" and so on

  std::filesystem::path starter() const { return folder / "starter.cu"; }
  std::filesystem::path solution() const { return folder / "solution.cu"; }
};

// From the text of an exercise.json. Throws Error(kUsage) that names `place` and the key.
Exercise exercise_from(const nlohmann::json& text, const lab::Lab& lab, const Message& place);

// From its folder, which gives it its name.
Exercise load_exercise(const std::filesystem::path& folder, const lab::Lab& lab);

// A list of cases, as the key `cases` holds it. Throws Error(kUsage) that names `place`.
std::vector<Case> cases_from(const nlohmann::json& list, const lab::Lab& lab, const Message& place);

// The folders of a lab's exercises, in no particular order; none where it has none.
std::vector<std::filesystem::path> exercise_folders(const std::filesystem::path& labs,
                                                    const std::string& lab);

// All exercises of these labs, in the order of the course. Throws Error(kUsage) for the first that cannot be
// read.
std::vector<Exercise> load_course(const std::filesystem::path& labs, std::span<const lab::Lab> of);

// Null where there is none of that name.
const Exercise* find_exercise(std::span<const Exercise> course, std::string_view name);

// All that a check runs, each once: the exercise's cases, then those that criteria are judged on.
std::vector<Case> all_cases(const Exercise& exercise);

// "rows 67, cols 129"; "the defaults" where nothing is set.
// "rows 67, cols 129", or "the defaults", in English and as a message.
std::string describe(const Case& options);
Message named(const Case& options);

}  // namespace cudalab::course
