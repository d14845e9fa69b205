// Reads rosters.
#include "grading/identity/roster.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "grading/identity/csv.h"

namespace cudalab::grading {
namespace {

constexpr std::size_t kTimes = 3;  // the columns before
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
      throw usage_error("{}: row {} needs three cells: platform id, name, student as typed", place, number);
    if (number == 1 && row[2] == "student") {
      headings = row;
      continue;
    }
    if (!ids.insert(row[0]).second)
      throw usage_error("{}: row {}: {} stands there twice", place, number, row[0]);
    roster.push_back(entry_from(row, headings));
  }
  if (roster.empty()) throw usage_error("{} holds no students", place);
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

}  // namespace cudalab::grading
