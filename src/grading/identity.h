// Who a submission belongs to: class rosters (CSV), file names that platforms give, and the seed of a
// student's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::grading {

// Tables as spreadsheets write them.

// The rows of RFC 4180: cells between commas (or semicolons, where the first line has no comma), quotes
// doubled within quotes, lines that end in LF or CRLF. Blank lines are no rows; blanks around a cell are not
// part of it.
std::vector<std::vector<std::string>> csv_rows(std::string_view text);

// Whose a file is by the name that a platform gave it when somebody downloaded all submissions at once.

struct PlatformName {
  std::string id;        // of the student, or of the participant
  std::string name;      // for people, as far as the platform writes it
  std::string original;  // the file as it was handed in: "padded-tile.cu"; empty for a folder
  bool is_late = false;
};

// Moodle:  Ada Lovelace_1234567_assignsubmission_file[_][ORIGINAL]
// Canvas:  lovelaceada_[LATE_]123_4567_ORIGINAL, where a further attempt's ORIGINAL ends in -1, -2, …
std::optional<PlatformName> platform_name(std::string_view name);

// Gradescope's submission_metadata.json: who handed in (an e-mail address as id), and when; what is due when
// for this student, who may have an extension, else for all.
struct GradescopeMetadata {
  std::string id, name, created_at, due_date;
};
// Nothing where it is no such file.
std::optional<GradescopeMetadata> gradescope_metadata(std::string_view json);

// The students of a class: how their platform calls them, and the name that they give to `--student`.

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

// Whose result a document is: the seed follows from the student's name, so that nobody else's numbers fit it.

inline constexpr std::size_t kLongestName = 100;  // bytes

// At most 48 bits: every JSON reader keeps it exactly.
std::uint64_t student_seed(std::string_view student);

// Throws Error(kUsage) where a name cannot be kept in a document and shown again: empty, too long, control
// characters.
void require_student_name(std::string_view student);

}  // namespace cudalab::grading
