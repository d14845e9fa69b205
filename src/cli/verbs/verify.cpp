// `cudalab verify`: runs what a result document claims again, and says what does not stand.
#include "grading/verify.h"

#include <fmt/format.h>

#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "core/files.h"
#include "core/text.h"
#include "grading/submission.h"
#include "lab/lab.h"

namespace cudalab::cli {
namespace {

grading::Document document_in(const std::string& file) {
  grading::FileText text = grading::read_submission(file, grading::kLargestDocument);
  if (!text.problem.empty()) throw usage_error("{} {}", file, text.problem);
  grading::Document document = grading::document_from(text.text);
  if (!document.problem.empty()) throw usage_error("{} {}", file, document.problem);
  return document;
}

Options verify_options(std::string& file) {
  return {required({"RESULT.json", "", &file, "a document that --json=FILE wrote"})};
}

ExitCode verify(const std::string& file, const Console& console) {
  grading::Document document = document_in(file);
  const lab::Lab* lab = lab::find_lab(document.lab);
  if (lab == nullptr)
    throw usage_error("{} is of a lab {} that there is not", file, harmless_line(document.lab, 40));
  console.show_progress("running " + lab->name + " again");
  grading::Verification found =
      grading::verify(document.json, *lab, absolute_path(file).parent_path(), heard_on(console));
  console.clear_progress();
  for (const std::string& sentence : found.differences) console.say_line("differs: " + sentence);
  for (const std::string& sentence : found.unverified) console.say_line("not verified: " + sentence);
  if (!found.differences.empty()) return ExitCode::kFailed;
  console.say_line(
      fmt::format("{}: outputs, counters, hazards and verdicts are those of a second run", file));
  return ExitCode::kPassed;
}

}  // namespace

Verb verify_verb() {
  return {
      .name = "verify",
      .alias = "",
      .summary = "run what a result document claims again, and compare",
      .examples = {"cudalab verify result.json"},
      .declare = with_options(verify_options, verify),
      .more_help =
          "Compared on the virtual GPU: outputs, counters, hazards, verdicts, the student's seed. Times are "
          "not.\nA run of a kernel of one's own is compared when its file lies beside the document.\n"};
}

}  // namespace cudalab::cli
