// A walk through a lab, labs/LAB/learn.json: paragraphs, and numbers to predict before a run of the lab shows
// them.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
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

// A number that the learner predicts before a run shows it.
struct Prediction {
  std::string question;
  std::string unit;                                          // "sectors"; may be empty
  std::string shown_unit;                                    // the unit in the learner's language
  std::vector<std::pair<std::string, std::string>> options;  // of the run: {{"rows", "256"}, …}
  std::string stage;
  // "transfer": the number is read from the recorded result expected/h200/transfer.json, because only a real
  // GPU can show it. Empty: it comes from a run.
  std::string kept;
  ValuePaths value, per;  // as in an exercise's criterion
  double tolerance = 0;   // relative: 0.05 accepts 5 % more or less
  Paragraphs why;
};

using Step = std::variant<Paragraphs, Prediction>;
using Lesson = std::vector<Step>;

// Throws Error(kUsage) that names `place`, the step and the key, also for a stage or an option that the lab
// does not have.
Lesson lesson_from(const nlohmann::json& text, const lab::Lab& lab, const Message& place);
Lesson load_lesson(const std::filesystem::path& labs, const lab::Lab& lab);

// The command as a user would type it: "cudalab transpose --stage naive --rows 256".
std::string command_of(const lab::Lab& lab, const Prediction& prediction);

// The same as words behind the program's name, with the option that selects the virtual GPU.
std::vector<std::string> command_words(const lab::Lab& lab, const Prediction& prediction);

// The source of the number, as shown to a learner: the command or a recorded result.
Message source_of(const lab::Lab& lab, const Prediction& prediction);

// Returns the number: runs the lab on the virtual GPU and takes the first row that is not a CPU version, or
// reads the row of this stage in a recorded result in `expected`/h200. Throws Error(kUnavailable) if there is
// no such number.
double measured(const lab::Lab& lab, const Prediction& prediction, const std::filesystem::path& expected);

// Returns the number that the command wrote to a result document. Throws Error(kUnavailable) if there is
// none.
double number_in(const nlohmann::json& document, const lab::Lab& lab, const Prediction& prediction);

// "Your prediction (sectors):"
std::string prompt_for(const Prediction& prediction, const Wording& wording);

// A learner's answer to a prediction.
struct Guess {
  std::optional<double> number;  // empty: the learner does not know
};

// Accepts "4", "12.5 %", "4 sectors" and "?", with the unit in English or in the learner's language.
std::optional<Guess> guess_in(std::string_view answer, const Prediction& prediction);
bool is_right(const Guess& guess, double value, const Prediction& prediction);
// "You said 4 sectors; the run gave 32 sectors. Not this time."
std::string comparison(const Guess& guess, double value, const Prediction& prediction,
                       const Wording& wording);

struct LessonScore {
  Score predictions, quiz;
  bool is_complete() const { return predictions.is_complete() && quiz.is_complete(); }
};

// Conducts the walk, then the quiz. `measure` returns the number of a prediction.
LessonScore walk(const lab::Lab& lab, const Lesson& lesson, const Quiz& quiz, const Dialogue& dialogue,
                 const std::function<double(const Prediction&)>& measure);

}  // namespace cudalab::course
