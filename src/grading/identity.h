// Identifies the student of a submission by class rosters (CSV) and by the file names of platforms, and
// derives a seed from a student's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::grading {

// CSV tables as spreadsheets write them.

// Rows according to RFC 4180: cells are separated by commas (or by semicolons if the first line has no
// comma), quotes inside quotes are doubled, and lines end in LF or CRLF. Skips blank lines and removes spaces
// around cells.
std::vector<std::vector<std::string>> csv_rows(std::string_view text);

// The student according to the file name that a platform assigns when all submissions are downloaded at once.

struct PlatformName {
  std::string id;        // of the student or participant
  std::string name;      // the display name, as far as the platform writes it
  std::string original;  // the submitted file's name: "padded-tile.cu"; empty for a folder
  bool is_late = false;
};

// Moodle:  Ada Lovelace_1234567_assignsubmission_file[_][ORIGINAL]
// Canvas:  lovelaceada_[LATE_]123_4567_ORIGINAL, where ORIGINAL of a further attempt ends in -1, -2, …
std::optional<PlatformName> platform_name(std::string_view name);

// From Gradescope's submission_metadata.json: the student (the ID is an e-mail address), the submission time,
// and the due date, which includes the student's extension, if any.
struct GradescopeMetadata {
  std::string id, name, created_at, due_date;
};
// Empty if the text is not such a file.
std::optional<GradescopeMetadata> gradescope_metadata(std::string_view json);

// The students of a class: their platform IDs, and the names that they pass to `--student`.

struct RosterEntry {
  std::string id;                                        // the platform's
  std::string name;                                      // the display name
  std::string student;                                   // as passed to --student; determines the seed
  std::string submitted;                                 // the submission time, if there is a fourth column
  std::map<std::string, std::string> submitted_of = {};  // by lab or exercise, from further columns
};

// Parses CSV: platform ID, name, student as typed and, optionally, the submission time. A first row of
// headings (`id,name,student`) is skipped. Further columns named after a lab or exercise contain submission
// times for that work. Throws Error(kUsage) that names `place` and the line for rows with too few cells and
// for duplicate IDs.
std::vector<RosterEntry> roster_from(std::string_view csv, std::string_view place);

// Finds a student by platform ID, name, or name as typed. Null if there is no such student, or several.
const RosterEntry* find_in(const std::vector<RosterEntry>& roster, std::string_view who);

// Ties a result document to its student: the inputs depend on a seed from the student's name, so another
// student's numbers differ.

inline constexpr std::size_t kLongestName = 100;  // bytes

// At most 48 bits, which every JSON reader keeps exactly.
std::uint64_t student_seed(std::string_view student);

// Throws Error(kUsage) for names that a document cannot store and display: empty, too long, or with control
// characters.
void require_student_name(std::string_view student);

}  // namespace cudalab::grading
