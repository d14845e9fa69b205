// A criterion about one run, such as "at most 4 sectors per request": reads it, evaluates its bound and
// checks it.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "course/row_values.h"
#include "messages/lab.h"

namespace cudalab::course {

// Whether the error already names this place, or a place inside it such as a criterion inside a file.
bool names_place(const Message& error, const Message& place);

// Runs `work`. If it throws an Error that does not name `place` yet, prefixes the message with it. For code
// that does not know which file it reads.
template <class Work>
auto at_place(const Message& place, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (names_place(error.message(), place)) throw;
    throw Error(error.code(), msg::at_place(place, error.message()));
  }
}

// Returns the value of an option by name; empty if there is no such option.
using NumberOf = std::function<std::optional<double>(std::string_view)>;

// Evaluates a formula of numbers, options, C's operators and ceil(), such as "rows * cols / 32 + 64", in
// double (core/expression.h). Throws Error(kUsage) for a malformed formula or an unknown option.
double formula_value(std::string_view formula, const NumberOf& number_of);

// One criterion about one run, such as "at most 4 sectors per request". In exercises, it judges a row of a
// result. In rubrics, it judges a document `cudalab.result/1`, and may name any of its values.

enum class Comparison { kAtMost, kAtLeast, kEquals, kNotEquals };

struct Criterion {
  std::string name;
  double points = 1;
  std::string run;  // the run's name in the document; empty if the caller knows the run
  ValuePaths value, per;
  Comparison comparison{};
  nlohmann::json bound;  // a number, a text or a boolean
  // The bound as a formula of the options, such as "rows * cols / 32"; empty if it is constant.
  std::string formula;
  std::vector<Criterion> also = {};  // further conditions that must hold
  std::string says;                  // the sentence for a missed criterion, with {value} and {bound}
};

// Reads a criterion: {"name": TEXT, "value": PATH, one of "at_most", "at_least", "equals", "not_equals":
// BOUND, "points": NUMBER, "run": NAME, "per": PATH, "says": TEXT, "case": OPTIONS, "and": [{"value": PATH,
// "per": PATH, one comparison, "says": TEXT}]}. The first three keys are required; "case" is read by the
// caller. The bound of "at_most" and "at_least" may be a formula. Throws Error(kUsage) that names place and
// key.
Criterion criterion_from(const nlohmann::json& text, const Message& place);

// Looks up all values that the criterion compares in rows of this lab. Throws Error(kUsage) that names place
// and criterion if a path exists in no run.
void resolve_values(Criterion& criterion, const lab::Lab& lab, const Message& place);

struct Assessment {
  enum Outcome { kMet, kMissed, kNotAssessed };
  Outcome outcome = kNotAssessed;
  std::optional<double> value;  // the value found (after division by `per`), if it is a number
  Message sentence;             // never empty
  std::string about;  // path of the value that decided: the criterion's or that of a further condition
};

// Runs the solution with the same options, if it has not run yet.
using RowOfSolution = std::function<const lab::Row&()>;

// Judges a row. Requires resolve_values(). `options` are those of the run, for formulas; in these, `solution`
// is the value that the solution has.
Assessment assess(const Criterion& criterion, const lab::Row& row,
                  const std::vector<std::pair<std::string, lab::OptionValue>>& options,
                  const RowOfSolution& solution = {});

// Judges one element of "runs" of a document, which may contain anything. A value that cannot be compared
// gives kNotAssessed, never kMet. For a list, its length is compared.
Assessment assess(const Criterion& criterion, const nlohmann::json& run, const nlohmann::json& options = {});

// e.g. "at most 4", "pass", "not 0"
Message wanted(const Criterion& criterion);

}  // namespace cudalab::course
