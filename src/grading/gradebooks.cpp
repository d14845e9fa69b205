// A table of students by items, and how each platform writes it.
#include "grading/gradebooks.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/text.h"
#include "grading/formats.h"

namespace cudalab::grading {
namespace {

struct Gradebook {
  std::vector<std::string> items, students;                          // in the order in which they appear
  std::map<std::string, double> most;                                // by item
  std::map<std::pair<std::string, std::string>, const Grade*> best;  // by student and item
};

void list_once(std::vector<std::string>& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

// What is of no lab, since it could not be read, is of the only item where there is but one.
Gradebook gradebook_of(std::span<const Grade> grades) {
  Gradebook book;
  for (const Grade& grade : grades)
    if (!grade.work().empty()) list_once(book.items, grade.work());
  const std::string of_none = book.items.size() == 1 ? book.items.front() : "not graded";
  for (const Grade& grade : grades) {
    const std::string& item = grade.work().empty() ? of_none : grade.work();
    list_once(book.items, item);
    list_once(book.students, grade.student);
    book.most[item] = std::max(book.most[item], grade.most());
    const Grade*& best = book.best[{grade.student, item}];
    if (best == nullptr || grade.points() > best->points()) best = &grade;
  }
  return book;
}

const Grade* grade_in(const Gradebook& book, const std::string& student, const std::string& item) {
  const auto found = book.best.find({student, item});
  return found == book.best.end() ? nullptr : found->second;
}

std::string row(const std::vector<std::string>& cells) {
  return joined(cells, ",", [](const std::string& cell) { return csv_cell(cell); }) + "\r\n";
}

}  // namespace

std::string moodle_text(std::span<const Grade> grades) {
  const Gradebook book = gradebook_of(grades);
  std::vector<std::string> heading{"username"};
  for (const std::string& item : book.items) heading.insert(heading.end(), {item, item + " (feedback)"});
  std::string text = row(heading);
  for (const std::string& student : book.students) {
    std::vector<std::string> cells{student};
    for (const std::string& item : book.items) {
      const Grade* grade = grade_in(book, student, item);
      cells.push_back(grade ? points_text(grade->points()) : "");
      cells.push_back(grade ? grade->feedback("; ") : "");
    }
    text += row(cells);
  }
  return text;
}

std::string canvas_text(std::span<const Grade> grades) {
  const Gradebook book = gradebook_of(grades);
  std::vector<std::string> heading{"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  std::vector<std::string> possible{"    Points Possible", "", "", "", ""};
  for (const std::string& item : book.items) {
    heading.push_back(item);
    possible.push_back(points_text(book.most.at(item)));
  }
  std::string text = row(heading) + row(possible);
  for (const std::string& student : book.students) {
    const bool is_users_number = std::ranges::all_of(student, is_digit) && !student.empty();
    std::vector<std::string> cells{student, is_users_number ? student : "", "",
                                   is_users_number ? "" : student, ""};
    for (const std::string& item : book.items) {
      const Grade* grade = grade_in(book, student, item);
      cells.push_back(grade ? points_text(grade->points()) : "");
    }
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
