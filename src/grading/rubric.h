// An instructor's points: the key "rubric" of an answer key, expected/LAB.json, described in docs/grading.md.
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

// The points for an exercise's check.
struct ExercisePoints {
  double points = 0;                      // total; 0: the sum of the weights
  std::map<std::string, double> weights;  // by part; other parts have their default weights
};

struct Rubric {
  std::string lab;
  bool identifies_by_file = false;  // false: by the document's "student", if present
  std::vector<course::Criterion>
      criteria;  // each is judged on the run that it names, or else on the whole document
  std::map<std::string, ExercisePoints> exercises;  // for kernel files, by the exercise's name

  double most() const;
};

// Reads a complete answer key. Throws Error(kUsage) that names place and key if it is invalid or has no
// "rubric".
Rubric rubric_from(const nlohmann::json& answer_key, std::string_view place);

// Reads FOLDER/LAB.json, or `keys` itself if it is a file. Empty if there is no such file. Throws
// Error(kUsage) that names the file if it cannot be read.
std::optional<Rubric> load_rubric(const std::filesystem::path& keys, const std::string& lab);

// The folder of answer keys that come with the labs: "expected", next to the labs folder.
std::filesystem::path keys_directory();

}  // namespace cudalab::grading
