// What an instructor gives points for: the key "rubric" of an answer key, expected/LAB.json. docs/grading.md
// describes it.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/criterion.h"

namespace cudalab::grading {

// What the check of an exercise gives.
struct ExercisePoints {
  double points = 0;                      // in all; 0: the sum of the weights
  std::map<std::string, double> weights;  // of its parts, by name; the others have their usual ones
};

struct Rubric {
  std::string lab;
  bool identifies_by_file = false;  // else by the document's "student", where it has one
  std::vector<course::Criterion>
      criteria;  // judged on the run that each names; on the whole document if it names none
  std::map<std::string, ExercisePoints> exercises;  // for kernel files, by the exercise's name

  double most() const;
};

// From a whole answer key. Throws Error(kUsage) that names place and key; so does a key without "rubric".
Rubric rubric_from(const nlohmann::json& answer_key, std::string_view place);

// From FOLDER/LAB.json, or from `keys` itself where that is a file. Nothing where there is no such file;
// throws Error(kUsage) that names the file where it is there and cannot be read.
std::optional<Rubric> load_rubric(const std::filesystem::path& keys, const std::string& lab);

// The answer keys that belong to the labs: the folder "expected" beside theirs.
std::filesystem::path keys_directory();

}  // namespace cudalab::grading
