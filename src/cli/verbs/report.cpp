// `cudalab report`: summarizes the errors of a class from graded results.
#include <filesystem>

#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "grading/formats.h"
#include "grading/grade_file.h"
#include "lab/locate.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;
using grading::Grade;
using Json = nlohmann::ordered_json;

struct ReportTexts {
  std::vector<std::string> files;
  std::string format = "text", output, key;
  std::optional<std::string> html;
};

enum class ReportFormat { kText, kCsv };
constexpr Named<ReportFormat> kReportFormats[]{{"text", ReportFormat::kText}, {"csv", ReportFormat::kCsv}};

Options report_options(ReportTexts& texts) {
  return {required({"RESULTS", "", &texts.files,
                    "output of `grade --format json`, or result documents, or folders of them"}),
          {"--format", " " + alternatives(kReportFormats), &texts.format,
           "the format of the output; default text"},
          {"--output", " FILE", &texts.output, "the file to write"},
          html_option(texts.html, "an overview of the class"),
          {"--key", " PATH", &texts.key, "the answer keys, as for `grade`"}};
}

// Reads the output of `grade --format json`; empty if the text is not such a document.
std::vector<Grade> grades_in(const std::string& text) {
  std::vector<Grade> grades;
  Json document = Json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("schema", Json()) != "cudalab.grades/1") return grades;
  for (const Json& grade : document.at("grades")) grades.push_back(grading::grade_from(grade));
  return grades;
}

void add_grades(const grading::Submission& submission, const std::string& key, std::vector<Grade>& grades) {
  grading::FileText text = grading::read_submission(submission.file, grading::kLargestDocument);
  try {
    std::vector<Grade> graded = grades_in(text.text);
    if (!graded.empty()) return void(grades.insert(grades.end(), graded.begin(), graded.end()));
  } catch (const Json::exception&) {
    throw usage_error(msg::grades_unreadable(submission.file.string()));
  }
  if (grading::is_kernel_file(submission.file))
    throw usage_error(msg::report_of_kernel(submission.file.string()));
  grades.push_back(grading::grade_file(
      submission, {key.empty() ? grading::keys_directory() : fs::path(key), "", false, 1}));
}

ExitCode report(const ReportTexts& texts, const Console& console) {
  ReportFormat format = chosen("--format", texts.format, kReportFormats);
  const PageFile page(texts.html, "class");
  std::vector<Grade> grades;
  for (const grading::Submission& submission : grading::find_submissions(texts.files))
    add_grades(submission, texts.key, grades);
  std::vector<grading::CommonMistake> mistakes = grading::common_mistakes(grades);
  std::string text = format == ReportFormat::kCsv
                         ? grading::mistakes_csv(mistakes)
                         : grading::mistakes_text(mistakes, grades.size(), console.width);
  if (texts.output.empty())
    console.print(text);
  else
    OutputFile(texts.output).write(text);
  if (page.is_asked_for()) page.write(grading::class_page(grades), console);
  return ExitCode::kPassed;
}

}  // namespace

Verb report_verb() {
  return {.name = "report",
          .alias = "",
          .summary = "summarize the mistakes of a class by criterion and hazard",
          .examples = {"cudalab grade submissions/ --format json --output grades.json",
                       "cudalab report grades.json", "cudalab report grades.json --html=class.html",
                       "cudalab report submissions/ --format csv"},
          .declare = with_options(report_options, report)};
}

}  // namespace cudalab::cli
