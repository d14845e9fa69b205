// Reads what students submit, which may contain anything: each problem becomes one sentence, never an
// exception.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "grading/identity.h"

namespace cudalab::grading {

// Reading documents that nobody vouches for: what is not there, or is of another kind, is nothing.

// The value of a key; null where there is none.
const nlohmann::json& at(const nlohmann::json& object, const std::string& key);

// The same as text; empty where it is none.
std::string text_at(const nlohmann::json& object, const std::string& key);

// The run of that name in a document `cudalab.result/1`; nullptr where there is none.
const nlohmann::json* run_called(const nlohmann::json& document, const std::string& name);

// Reads what students hand in, which may be anything: each problem becomes one sentence, never an exception.

inline constexpr std::size_t kLargestDocument = 16u << 20;  // bytes; a lab writes some 20 KB
inline constexpr std::size_t kLargestKernel = 1u << 20;

// One file to grade, and whose it is as far as its path says.
struct Submission {
  std::filesystem::path file;
  std::string
      student;  // the first folder below the folder that was named, or the file's name without its ending
  std::string problem;         // why it is not even opened; empty when it is
  bool is_certain = false;     // the student is a folder's or a platform's, not a guess from the file's name
  std::string expected = {};   // the student that a document must name, as a roster says; empty: any
  std::string submitted = {};  // when, as far as a platform or a roster says
  std::string original = {};   // the file's name before a platform gave it another; empty: it has none else
  std::string flag = {};       // for the instructor; may be empty
  std::map<std::string, std::string> submitted_of = {};  // the same by lab or exercise, as a roster says
  std::string due = {};  // the platform's deadline for this student; empty: it has none
  bool is_late = false;  // as the platform says, which may not say by how much
};

// The file as the student named it, in its folder: a platform gives it another name.
std::filesystem::path name_of(const Submission& submission);

// Files stand for themselves. Of folders, everything below them whose name does not begin with a dot, in the
// order of the names; links inside them are not followed. A folder that cannot be opened is a submission with
// that problem, so that nobody is left out. Names that Moodle and Canvas give to files and folders, and
// Gradescope's submission_metadata.json beside them, say whose they are (identity/platform_names.h). Throws
// Error(kUsage) for a path that does not exist.
std::vector<Submission> find_submissions(const std::vector<std::string>& paths);

// All are this student's, whatever folders and platforms say.
void expect_student(const std::string& student, std::vector<Submission>& submissions);

// Each is that of the student of the roster whose id, name or own name its folder, platform or file has; the
// platform's id is then what the grade goes by. Who is not in the roster is flagged.
void expect_roster(const std::vector<RosterEntry>& roster, std::vector<Submission>& submissions);

struct FileText {
  std::string text;
  std::string problem;  // empty when the text was read
};

// Opens regular files only, and never waits (a pipe would). Reads at most `most_bytes`.
FileText read_submission(const std::filesystem::path& file, std::size_t most_bytes);

struct Document {
  nlohmann::json json;
  std::string lab;
  std::string problem;  // empty when it is a document `cudalab.result/1` with a lab and runs
};

Document document_from(std::string_view text);

// The document in a file that the user named. Throws Error(kUsage) where it is none.
Document document_in(const std::string& file);

}  // namespace cudalab::grading
