// Makes a table of students by items, and writes it in each platform's format.

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "grading/book/totals.h"
#include "grading/formats.h"

namespace cudalab::grading {
namespace {

std::string row(const std::vector<std::string>& cells) {
  return joined(cells, ",", [](const std::string& cell) { return csv_cell(cell); }) + "\r\n";
}

}  // namespace

std::string moodle_text(std::span<const Grade> grades) {
  const Totals totals = totals_of(grades);
  std::vector<std::string> heading{"username"};
  for (const std::string& work : totals.works) heading.insert(heading.end(), {work, work + " (feedback)"});
  std::string text = row(heading);
  for (const StudentTotal& student : totals.students) {
    std::vector<std::string> cells{student.student};
    for (const Grade* grade : student.counting) {
      cells.push_back(grade ? points_text(*grade, "") : "");
      cells.push_back(grade ? grade->feedback("; ") : "");
    }
    text += row(cells);
  }
  return text;
}

// The participant's number, which Moodle uses in the names of downloaded files.
std::string moodle_identifier(const std::string& student) {
  const bool is_number = std::ranges::all_of(student, is_digit) && !student.empty();
  return is_number ? "Participant " + student : "";
}

std::string feedback_of(const StudentTotal& student) {
  std::vector<std::string> texts;
  for (const Grade* grade : student.counting)
    if (grade && !grade->feedback("; ").empty()) texts.push_back(grade->feedback("; "));
  return joined(texts, "; ", [](const std::string& text) { return text; });
}

std::string moodle_worksheet_text(std::span<const Grade> grades) {
  const Totals totals = totals_of(grades);
  std::string text = row({"Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade",
                          "Grade can be changed", "Last modified (grade)", "Online text",
                          "Last modified (submission)", "Feedback comments"});
  for (const StudentTotal& student : totals.students)
    text += row({moodle_identifier(student.student), student.student, "", "", student.points_in_words(""),
                 points_text(student.at_stake), "Yes", "", "", "", feedback_of(student)});
  return text;
}

std::string canvas_text(std::span<const Grade> grades) {
  const Totals totals = totals_of(grades);
  std::vector<std::string> heading{"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  std::vector<std::string> possible{"    Points Possible", "", "", "", ""};
  for (std::size_t work = 0; work < totals.works.size(); ++work) {
    heading.push_back(totals.works[work]);
    possible.push_back(points_text(totals.most[work]));
  }
  std::string text = row(heading) + row(possible);
  for (const StudentTotal& total : totals.students) {
    const std::string& student = total.student;
    const bool is_users_number = std::ranges::all_of(student, is_digit) && !student.empty();
    std::vector<std::string> cells{student, is_users_number ? student : "", "",
                                   is_users_number ? "" : student, ""};
    for (const Grade* grade : total.counting) cells.push_back(grade ? points_text(*grade, "") : "");
    text += row(cells);
  }
  return text;
}

std::string canvas_rubric_text(const Grade& grade) {
  std::vector<std::string> heading{"Rubric Name", "Criteria Name", "Criteria Description",
                                   "Criteria Enable Range"};
  for (int rating = 0; rating < 2; ++rating)
    heading.insert(heading.end(), {"Rating Name", "Rating Description", "Rating Points"});
  std::string text = row(heading);
  for (const Mark& mark : grade.marks)
    text += row({"cudalab " + grade.work(), mark.name, "", "false", "met", "", points_text(mark.most),
                 "missed", "", "0"});
  return text;
}

}  // namespace cudalab::grading
