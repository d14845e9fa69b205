// One statement about one run of a result document, `cudalab.result/1`: "at most 4 sectors a request".
// Exercises and rubrics are made of these.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace cudalab::course {

enum class Comparison { kAtMost, kAtLeast, kEquals, kNotEquals };

struct Criterion {
  std::string name;
  double points = 1;
  std::string run;         // the run's name in the document; empty where the reader of the criterion knows it
  std::string value, per;  // paths into the run: "counters/NAME", "hazards/0/kind"; of a list, its length
  Comparison comparison{};
  nlohmann::json bound;  // a number, text or truth value
  std::string says;      // what to tell who missed it; {value} and {bound} stand for the numbers
};

// {"name": TEXT, "value": PATH, one of "at_most", "at_least", "equals", "not_equals": BOUND,
//  "points": NUMBER, "run": NAME, "per": PATH, "says": TEXT, "case": OPTIONS}
// The first three must be there; "case" is for who runs the kernel. Throws Error(kUsage) that names place and
// key.
Criterion criterion_from(const nlohmann::json& text, std::string_view place);

struct Assessment {
  enum Outcome { kMet, kMissed, kNotAssessed };
  Outcome outcome = kNotAssessed;
  std::optional<double> value;  // what was found, where it is a number (divided already)
  std::string sentence;         // never empty
};

// `run` is one element of "runs". It may hold anything at all: what cannot be compared is not assessed, which
// is never a pass.
Assessment assess(const Criterion& criterion, const nlohmann::json& run);

// "at most 4", "pass", "not 0"
std::string wanted(const Criterion& criterion);

}  // namespace cudalab::course
