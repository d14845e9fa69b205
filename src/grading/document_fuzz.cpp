// libFuzzer's entry point: every document gets a grade or a reason, and so does every answer key that is not
// rejected.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/fuzz_testing.h"
#include "course/sample_exercise_testing.h"
#include "grading/formats.h"
#include "grading/grade.h"
#include "grading/rubric.h"
#include "grading/submission.h"
#include "grading/verify.h"

namespace {

using namespace cudalab;
using namespace cudalab::grading;

Rubric sample_rubric() {
  return rubric_from(nlohmann::json::parse(R"({"lab": "double", "rubric": {"criteria": [
      {"name": "passes", "value": "verdict", "equals": "pass", "points": 1},
      {"name": "few requests", "run": "plain", "value": "counters/a.sum", "at_most": 3, "points": 2}]}})"),
                     "sample");
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

void grade_by(const nlohmann::json& document, const Rubric& rubric) {
  std::vector<Grade> grades(2);
  grade_document(document, rubric, grades[0]);
  for (const std::string& objection : objections(document)) grades[0].flags.push_back(objection);
  forfeit(grades[1], "nothing was handed in");
  level_maxima(grades);
  require(grades[0].points() <= grades[0].most(), "more points than there are");
  csv_text(grades);
  table_text(grades, {});
  gradescope_text(grades[0]);
  require(to_json(grade_from(to_json(grades[0]))) == to_json(grades[0]),
          "a grade that is read back is another");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Rubric rubric = sample_rubric();
  static const lab::Lab lab = course::doubling_lab();
  const Document document = document_from(std::string_view(reinterpret_cast<const char*>(data), size));
  if (document.json.is_discarded() || document.json.is_null()) return 0;
  unless_refused([&] { grade_by(document.json, rubric_from(document.json, "fuzz")); });
  if (!document.problem.empty()) return 0;
  grade_by(document.json, rubric);
  unless_refused([&] { request_from(document.json, lab, ""); });
  summary(compare(document.json, document.json).differences);  // differs if two runs share a name
  return 0;
}
