// The numbers that the course's texts take from runs, records and cards, by the names that tables and markers
// give them.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cudalab::e2e {

// A number of a run: what a table's heading says it is.
struct RunValue {
  std::string name;
  std::function<std::optional<double>(const nlohmann::json& run)> of;
  int digits = 4;        // in tables
  double tolerance = 0;  // a share
};

// "load requests"; "/extra/order", a pointer into the run; any other name is a column of the lab's own:
// "lines a request" is extra/lines_a_request.
RunValue value_named(const std::string& name);

// The kernels' rows of what a command (its words, without --device and --json) finds on the virtual GPU. Each
// command runs once.
const std::vector<nlohmann::json>& rows_of(const std::vector<std::string>& command);

// The same of expected/h200/NAME.json.
std::vector<nlohmann::json> recorded_rows(const std::string& name);

// A sum of terms with + - * / and ( ), where a term is a number or stands in brackets:
//   [cudalab dot --stage tree: load requests]    of the first row
//   [cudalab dot: load requests of tree]
//   [h200 dot: µs of tree]                       expected/h200/dot.json
//   [h200 designs.md: number 2 after blocks along rows]
//   [card h200: multiprocessors]
double value_of(const std::string& sum);

}  // namespace cudalab::e2e
