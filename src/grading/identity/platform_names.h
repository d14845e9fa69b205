// Whose a file is by the name that a platform gave it when somebody downloaded all submissions at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudalab::grading {

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

}  // namespace cudalab::grading
