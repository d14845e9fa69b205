// Identifies the student of a submission by class rosters (CSV) and by the file names of platforms, and
// derives a seed from a student's name.
#include "grading/identity.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/digest.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_pattern.h"
#include "grading/submission.h"
#include "messages/grading.h"

namespace cudalab::grading {
namespace {

class Rows {
 public:
  explicit Rows(std::string_view text) : text_(text) {
    const std::string_view first = text.substr(0, text.find('\n'));
    if (first.find(',') == std::string_view::npos) separator_ = ';';
  }

  std::vector<std::vector<std::string>> all() {
    while (at_ < text_.size()) step(text_[at_++]);
    end_row();
    return std::move(rows_);
  }

 private:
  void step(char letter) {
    if (is_quoted_) return step_in_quotes(letter);
    if (letter == '"' && trimmed(cell_).empty()) {
      is_quoted_ = was_quoted_ = true;
      cell_.clear();
    } else if (letter == separator_) {
      end_cell();
    } else if (letter == '\n') {
      end_row();
    } else if (!was_quoted_) {
      cell_ += letter;
    }
  }
  void step_in_quotes(char letter) {
    const bool is_doubled = letter == '"' && at_ < text_.size() && text_[at_] == '"';
    if (letter == '"' && !is_doubled) {
      is_quoted_ = false;
      return;
    }
    cell_ += letter;
    at_ += is_doubled;
  }
  void end_cell() {
    row_.emplace_back(trimmed(cell_));
    cell_.clear();
    was_quoted_ = false;
  }
  void end_row() {
    const bool is_blank = row_.empty() && trimmed(cell_).empty();
    end_cell();
    if (!is_blank) rows_.push_back(row_);
    row_.clear();
  }

  std::string_view text_;
  char separator_ = ',';
  std::size_t at_ = 0;
  bool is_quoted_ = false, was_quoted_ = false;
  std::string cell_;
  std::vector<std::string> row_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::vector<std::vector<std::string>> csv_rows(std::string_view text) { return Rows(text).all(); }

namespace {

using Json = nlohmann::json;

// Canvas appends a number to further attempts: kernel-1.cu was submitted as kernel.cu.
std::string without_attempt(const std::string& original) {
  static const TextPattern attempt(R"(-\d{1,2}(\.[^.]+)$)");
  return attempt.replace_all(original, "$1");
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

std::optional<PlatformName> platform_name(std::string_view name) {
  static const TextPattern moodle(R"(([^_/]+)_(\d+)_assignsubmission_file_?(.*))");
  static const TextPattern canvas(R"(([a-z0-9-]+)_(LATE_)?(\d+)_(\d+)_(.+))");
  if (const auto found = moodle.fits(name))
    return PlatformName{found->groups[2], found->groups[1], found->groups[3]};
  if (const auto found = canvas.fits(name))
    return PlatformName{found->groups[3], found->groups[1], without_attempt(found->groups[5]),
                        !found->groups[2].empty()};
  return std::nullopt;
}

std::optional<GradescopeMetadata> gradescope_metadata(std::string_view json) {
  const Json text = Json::parse(json, nullptr, false);
  if (!text.is_object() || !text.contains("users") || !text["users"].is_array() || text["users"].empty())
    return std::nullopt;
  const Json& user = text["users"][0];
  GradescopeMetadata metadata{text_of(user, "email"), text_of(user, "name"), text_of(text, "created_at"), ""};
  if (metadata.id.empty()) metadata.id = text_of(user, "id");
  for (const Json& place : {user, text})
    if (metadata.due_date.empty() && place.contains("assignment"))
      metadata.due_date = text_of(place["assignment"], "due_date");
  return metadata;
}

namespace {

constexpr std::size_t kTimes = 3;  // columns before the submission times
constexpr std::string_view kOfAll = "submitted";

RosterEntry entry_from(const std::vector<std::string>& row, const std::vector<std::string>& headings) {
  RosterEntry entry{row[0], row[1], row[2], ""};
  for (std::size_t column = kTimes; column < row.size(); ++column) {
    const bool is_named = column < headings.size() && headings[column] != kOfAll;
    if (row[column].empty()) continue;
    if (is_named)
      entry.submitted_of[headings[column]] = row[column];
    else if (entry.submitted.empty())
      entry.submitted = row[column];
  }
  return entry;
}

}  // namespace

std::vector<RosterEntry> roster_from(std::string_view csv, std::string_view place) {
  std::vector<RosterEntry> roster;
  std::set<std::string> ids;
  std::vector<std::string> headings;
  std::size_t number = 0;
  for (const std::vector<std::string>& row : csv_rows(csv)) {
    ++number;
    if (row.size() < 3 || row[0].empty() || row[2].empty())
      throw usage_error(msg::roster_needs_three_cells(place, number));
    if (number == 1 && row[2] == "student") {
      headings = row;
      continue;
    }
    if (!ids.insert(row[0]).second) throw usage_error(msg::roster_id_twice(place, number, row[0]));
    roster.push_back(entry_from(row, headings));
  }
  if (roster.empty()) throw usage_error(msg::roster_empty(place));
  return roster;
}

const RosterEntry* find_in(const std::vector<RosterEntry>& roster, std::string_view who) {
  for (const auto key : {&RosterEntry::id, &RosterEntry::student, &RosterEntry::name}) {
    const auto is_it = [&](const RosterEntry& entry) { return entry.*key == who; };
    const auto found = std::find_if(roster.begin(), roster.end(), is_it);
    if (found != roster.end()) return std::count_if(found, roster.end(), is_it) == 1 ? &*found : nullptr;
  }
  return nullptr;
}

namespace {

constexpr std::size_t kHexDigitsOfASeed = 12;  // 48 bits

}  // namespace

std::uint64_t student_seed(std::string_view student) {
  std::string text = "cudalab student " + std::string(student);
  return std::stoull(digest(text).substr(0, kHexDigitsOfASeed), nullptr, 16);
}

void require_student_name(std::string_view student) {
  if (student.empty() || student.size() > kLongestName || harmless_line(student, kLongestName) != student)
    throw usage_error(msg::student_name_wrong(kLongestName));
}

}  // namespace cudalab::grading
