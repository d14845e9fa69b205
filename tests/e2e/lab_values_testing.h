// The numbers that the course's texts take from runs, recordings and GPU models, by the names that tables and
// markers use.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cudalab::e2e {

// A number of a run, as a table's heading names it.
struct RunValue {
  std::string name;
  std::function<std::optional<double>(const nlohmann::json& run)> of;
  int digits = 4;        // in tables
  double tolerance = 0;  // relative
};

// "load requests"; "/extra/order", a JSON pointer into the run. Any other name is a column of the lab: "lines
// a request" is extra/lines_a_request.
RunValue value_named(const std::string& name);

// The kernel rows that a command (its words, without --device and --json) produces on the virtual GPU. Each
// command runs once.
const std::vector<nlohmann::json>& rows_of(const std::vector<std::string>& command);

// The same rows of the recording expected/h200/NAME.json.
std::vector<nlohmann::json> recorded_rows(const std::string& name);

// An expression of terms with + - * / and ( ). A term is a number or one of these in brackets:
//   [cudalab dot --stage tree: load requests]    of the first row
//   [cudalab dot: load requests of tree]
//   [h200 dot: µs of tree]                       expected/h200/dot.json
//   [h200 designs.md: number 2 after blocks along rows]
//   [card h200: multiprocessors]
double value_of(const std::string& sum);

}  // namespace cudalab::e2e
