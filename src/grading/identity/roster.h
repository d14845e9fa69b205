// The students of a class: how their platform calls them, and the name that they give to `--student`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::grading {

struct RosterEntry {
  std::string id;                                        // of the platform
  std::string name;                                      // for people
  std::string student;                                   // as typed; the seed follows from it
  std::string submitted;                                 // when, where a fourth column says so
  std::map<std::string, std::string> submitted_of = {};  // by lab or exercise, as further columns are called
};

// From CSV: platform id, name, student as typed and, if wanted, the time of submission; a first row of
// headings (`id,name,student`) is none of them. A further column with the name of a lab or exercise has the
// times of that. Throws Error(kUsage) that names `place` and the line for a row with
// too few cells and for two with one id.
std::vector<RosterEntry> roster_from(std::string_view csv, std::string_view place);

// Whose id or name that is, or who types that; null: nobody's. What two have is nobody's.
const RosterEntry* find_in(const std::vector<RosterEntry>& roster, std::string_view who);

}  // namespace cudalab::grading
