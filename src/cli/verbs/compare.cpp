// `cudalab compare`: compares two result documents.

#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "grading/submission.h"
#include "messages/cli.h"
#include "report/page/result_page.h"
#include "report/pictures/builders.h"
#include "report/pictures/renderers.h"
#include "report/text/comparison.h"

namespace cudalab::cli {
namespace {

struct CompareTexts {
  std::string before, after, color = "auto";
  std::optional<std::string> html;
};

Options compare_options(CompareTexts& texts) {
  return {required({"BEFORE.json", "", &texts.before, "a result document, as written by --json=FILE"}),
          required({"AFTER.json", "", &texts.after, "another result document"}),
          html_option(texts.html, "the comparison"), color_option(texts.color, "colour the output")};
}

// Pictures of the most expensive requests, before and after.
std::string pictures_of(const report::Comparison& found, const CompareTexts& texts,
                        const report::TableStyle& style) {
  std::string text;
  for (const report::ComparedRun& run : found.runs)
    for (const report::ComparedAccess& access : run.accesses) {
      auto was = report::regular_picture(access.before), is = report::regular_picture(access.after);
      if (!was || !is) continue;
      was->row = texts.before;
      is->row = texts.after;
      text += report::picture_text(*was, style) + "\n" + report::picture_text(*is, style) + "\n";
    }
  return text;
}

ExitCode compare(const CompareTexts& texts, const Console& console) {
  const bool colour = console.colour(chosen("--color", texts.color, kColours));
  const PageFile page(texts.html, "comparison");
  const report::Comparison found = report::compare_results(grading::document_in(texts.before).json,
                                                           grading::document_in(texts.after).json);
  if (found.runs.empty()) throw usage_error(msg::compare_nothing_common(texts.before, texts.after));
  const report::TableStyle style{.colour = colour, .width = console.width, .wording = console.wording};
  console.print(report::comparison_text(found, style) + pictures_of(found, texts, style));
  if (page.is_asked_for())
    page.write(report::comparison_page(found, texts.before, texts.after, console.wording), console);
  return ExitCode::kPassed;
}

}  // namespace

Verb compare_verb() {
  return {
      .name = "compare",
      .alias = "",
      .summary = "compare two results: what became better, by how much, and why",
      .examples = {"cudalab transpose --stage naive --json=naive.json",
                   "cudalab transpose --stage padded --json=padded.json",
                   "cudalab compare naive.json padded.json", "cudalab compare naive.json padded.json --html"},
      .declare = with_options(compare_options, compare)};
}

}  // namespace cudalab::cli
