// A walk through a lab, labs/LAB/learn.json: paragraphs, and predictions of numbers that a run of the lab
// then shows.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "course/questions.h"
#include "course/row_values.h"
#include "lab/lab.h"

namespace cudalab::course {

using Paragraphs = std::vector<std::string>;

// A number that the learner says first and a run says then.
struct Prediction {
  std::string question;
  std::string unit;                                          // "sectors"; may be empty
  std::string shown_unit;                                    // the same in the learner's language
  std::vector<std::pair<std::string, std::string>> options;  // of the run: {{"rows", "256"}, …}
  std::string stage;
  std::string kept;  // "transfer": the number comes from the H200's result expected/h200/transfer.json, for
                     // what only a card can show; empty: from a run
  ValuePaths value, per;  // as in an exercise's criterion
  double tolerance = 0;   // a share of the number: 0.05 takes 5 % more or less as right
  Paragraphs why;
};

using Step = std::variant<Paragraphs, Prediction>;
using Lesson = std::vector<Step>;

// Throws Error(kUsage) that names `place`, the step and the key; also for a stage or an option that the lab
// does not have.
Lesson lesson_from(const nlohmann::json& text, const lab::Lab& lab, const Message& place);
Lesson load_lesson(const std::filesystem::path& labs, const lab::Lab& lab);

// "cudalab transpose --stage naive --rows 256", as one would type it.
std::string command_of(const lab::Lab& lab, const Prediction& prediction);

// Runs the lab on the virtual GPU, which counts on every machine, and takes the number from the first row
// that is no CPU version; or takes it from a kept result in `expected`/h200, from the row named as the stage.
// Throws Error(kUnavailable) where there is no such number.
double measured(const lab::Lab& lab, const Prediction& prediction, const std::filesystem::path& expected);

struct LessonScore {
  Score predictions, quiz;
  bool is_complete() const { return predictions.is_complete() && quiz.is_complete(); }
};

// Walks through the steps, then through the quiz. `measure` gives the number of a prediction.
LessonScore walk(const lab::Lab& lab, const Lesson& lesson, const Quiz& quiz, const Dialogue& dialogue,
                 const std::function<double(const Prediction&)>& measure);

}  // namespace cudalab::course
