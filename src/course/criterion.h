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

// Adds the place of a mistake, such as a file, to errors thrown by code that does not know the place.

// Whether the error names this place or a place inside it, such as a criterion inside a file.
bool names_place(const Message& error, const Message& place);

// Runs `work`. An Error that it throws gets `place` in front, unless it already names that place.
template <class Work>
auto at_place(const Message& place, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (names_place(error.message(), place)) throw;
    throw Error(error.code(), msg::at_place(place, error.message()));
  }
}

// A bound that grows with the case: "rows * cols / 32 + 64".

// The value of an option, or nothing where there is none of that name.
using NumberOf = std::function<std::optional<double>(std::string_view)>;

// Numbers, options, C's operators and ceil(), in double (core/expression.h). Throws
double formula_value(std::string_view formula, const NumberOf& number_of);

// One statement about one run: "at most 4 sectors per request". Exercises and rubrics consist of these. An
// exercise judges a row of a result; a rubric judges a document `cudalab.result/1`, in which it may name
// anything.

enum class Comparison { kAtMost, kAtLeast, kEquals, kNotEquals };

struct Criterion {
  std::string name;
  double points = 1;
  std::string run;  // the run's name in the document; empty where the reader of the criterion knows it
  ValuePaths value, per;
  Comparison comparison{};
  nlohmann::json bound;  // a number, text or truth value
  std::string formula;   // the bound where it grows with the options: "rows * cols / 32"; empty: it does not
  std::vector<Criterion> also = {};  // what must hold, too, for the criterion to be met
  std::string says;                  // what to tell who missed it; {value} and {bound} stand for the numbers
};

// {"name": TEXT, "value": PATH, one of "at_most", "at_least", "equals", "not_equals": BOUND,
//  "points": NUMBER, "run": NAME, "per": PATH, "says": TEXT, "case": OPTIONS,
//  "and": [{"value": PATH, "per": PATH, one comparison, "says": TEXT}]}
// The first three must be there; "case" is for who runs the kernel. Throws Error(kUsage) that names place and
// key.
// The bound of "at_most" and "at_least" may be a formula of options (course/criterion.h).
Criterion criterion_from(const nlohmann::json& text, const Message& place);

// Finds all values that the criterion compares, in rows of this lab. Throws Error(kUsage) that names place
// and criterion for a path that no run has.
void resolve_values(Criterion& criterion, const lab::Lab& lab, const Message& place);

struct Assessment {
  enum Outcome { kMet, kMissed, kNotAssessed };
  Outcome outcome = kNotAssessed;
  std::optional<double> value;  // what was found, where it is a number (divided already)
  Message sentence;             // never empty
  std::string about;  // the path of the value that it judges: the criterion's, or of what must hold, too
};

// Judges a row. Requires resolve_values(). `options`: those of the run, for formulas.
Assessment assess(const Criterion& criterion, const lab::Row& row,
                  const std::vector<std::pair<std::string, lab::OptionValue>>& options);

// Judges one element of "runs" of a document, which may hold anything: a value that cannot be compared is not
// assessed, which is never a pass. Of a list, a criterion compares the length.
Assessment assess(const Criterion& criterion, const nlohmann::json& run, const nlohmann::json& options = {});

// "at most 4", "pass", "not 0"
Message wanted(const Criterion& criterion);

}  // namespace cudalab::course
